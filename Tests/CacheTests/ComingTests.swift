import HTTP
import Testing
import Threads

@testable import Cache

struct ComingTests {
    /// Content that a test lets come.
    private final class Tap: BodyStream, Sendable {
        typealias Turn = CheckedContinuation<Void, Never>

        let length: Int?
        private let state = Locked<(pieces: [[UInt8]], end: Result<Void, GatewayError>?, reader: Turn?)>(([], nil, nil))
        private let taken = Counter()

        init(length: Int? = nil) { self.length = length }

        /// Bytes that were taken out.
        var count: Int { taken.value }

        func give(_ text: String) { give(Array(text.utf8)) }
        func give(_ bytes: [UInt8]) { change { $0.pieces.append(bytes) } }
        func end(breaks: Bool = false) {
            let error = GatewayError(source: .upstream("x"), code: "upstream-closed", status: .badGateway, detail: "")
            change { $0.end = breaks ? .failure(error) : .success(()) }
        }

        private func change(
            _ body: (inout (pieces: [[UInt8]], end: Result<Void, GatewayError>?, reader: Turn?)) -> Void
        ) {
            let reader = state.withLock { state in
                body(&state)
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume()
        }

        func next() async throws(GatewayError) -> [UInt8]? {
            while true {
                let (piece, end) = state.withLock { state in
                    (state.pieces.isEmpty ? nil : state.pieces.removeFirst(), state.end)
                }
                if let piece {
                    _ = taken.add(piece.count)
                    return piece
                }
                if let end {
                    try end.get()
                    return nil
                }
                await withCheckedContinuation { turn in
                    let isThere = state.withLock { state in
                        if !state.pieces.isEmpty || state.end != nil { return true }
                        state.reader = turn
                        return false
                    }
                    if isThere { turn.resume() }
                }
            }
        }
    }

    private static func origin(_ taps: Tap..., head: String = "Cache-Control: max-age=60") -> ScriptedOrigin {
        ScriptedOrigin { _, turn in
            Response(fields: fields(head), body: .stream(taps[min(turn, taps.count - 1)]))
        }
    }

    private func reader(_ bench: Bench, _ text: String = "") async throws -> any BodyStream {
        let response = try await bench.cache.respond(to: request(text))
        guard case .stream(let stream) = response.body else { throw CancellationError() }
        return stream
    }

    private func text(_ stream: any BodyStream) async throws(GatewayError) -> String? {
        try await stream.next().map { String(decoding: $0, as: UTF8.self) }
    }

    private static func rest(of stream: any BodyStream) async throws(GatewayError) -> Int {
        var count = 0
        while let bytes = try await stream.next() { count += bytes.count }
        return count
    }

    @Test("content is handed on piece by piece, and kept at its end", arguments: [6, nil])
    func handsOn(length: Int?) async throws {
        let tap = Tap(length: length)
        let bench = Bench(Self.origin(tap), isLively: true)
        let stream = try await reader(bench)
        #expect(stream.length == length)
        for piece in ["abc", "def"] {
            tap.give(piece)
            #expect(try await text(stream) == piece)
            #expect(bench.shared.store.counts.entries == 0)
        }
        tap.end()
        #expect(try await text(stream) == nil)
        #expect(bench.shared.store.counts.entries == 1)
        #expect(await bench.ask().description == "200 abcdef (sluice; hit; ttl=60)")
        #expect(bench.shared.flying == (0, 0))
    }

    @Test("who comes meanwhile reads along from the start, at its own pace")
    func joins() async throws {
        let tap = Tap()
        let bench = Bench(Self.origin(tap), isLively: true)
        let first = try await reader(bench)
        tap.give("a")
        #expect(try await text(first) == "a")
        let second = try await reader(bench)
        tap.give("b")
        tap.end()
        #expect(try await text(first) == "b")
        #expect(try await text(first) == nil)
        #expect(await bench.ask().status.contains("hit"))
        var all = ""
        while let piece = try await text(second) { all += piece }
        #expect(all == "ab" && bench.origin.requests.count == 1)
    }

    @Test("who wants something newer, or comes when it is no longer fresh, doesn't join")
    func fits() async throws {
        let taps = (Tap(), Tap(), Tap())
        let bench = Bench(Self.origin(taps.0, taps.1, taps.2), isLively: true)
        let first = try await reader(bench)
        _ = try await reader(bench, "Cache-Control: no-cache")
        #expect(bench.origin.requests.count == 2)
        bench.pass(61)
        _ = try await reader(bench)
        #expect(bench.origin.requests.count == 3)
        taps.0.end()
        #expect(try await text(first) == nil)
        // Who waits for content that never comes would wait to the end of the process.
        taps.1.end()
        taps.2.end()
    }

    @Test("what is not for all is asked for by each")
    func unshared() async throws {
        let taps = (Tap(), Tap())
        let bench = Bench(Self.origin(taps.0, taps.1, head: "Content-Type: text/event-stream"), isLively: true)
        let streams = (try await reader(bench), try await reader(bench))
        taps.1.give("second")
        #expect(try await text(streams.1) == "second")
        taps.0.give("first")
        #expect(try await text(streams.0) == "first")
        #expect(bench.shared.flying == (0, 0))
    }

    @Test("content that breaks off is broken for all who read it, and nothing of it is kept")
    func breaks() async throws {
        let taps = (Tap(length: 9), Tap(length: 0))
        let bench = Bench(Self.origin(taps.0, taps.1), isLively: true)
        let streams = (try await reader(bench), try await reader(bench))
        taps.0.give("abc")
        taps.0.end(breaks: true)
        for stream in [streams.0, streams.1] {
            #expect(try await text(stream) == "abc")
            await #expect(throws: GatewayError.self) { try await stream.next() }
        }
        #expect(bench.shared.store.counts.entries == 0 && bench.shared.flying == (0, 0))
        taps.1.end()
        #expect(await bench.ask().code == 200)
    }

    @Test("content that is shorter than it said is broken and not kept")
    func short() async throws {
        let tap = Tap(length: 9)
        let bench = Bench(Self.origin(tap), isLively: true)
        let stream = try await reader(bench)
        tap.give("abc")
        tap.end()
        #expect(try await text(stream) == "abc")
        await #expect(throws: GatewayError.self) { try await stream.next() }
        #expect(bench.shared.store.counts.entries == 0)
    }

    @Test("content that gets too long is not kept, and waits for the slowest of its readers")
    func outgrows() async throws {
        let tap = Tap()
        let bench = Bench(Self.origin(tap), isLively: true)
        let piece = [UInt8](repeating: 7, count: 64 * 1024)
        let limit = bench.shared.store.largest
        let streams = (try await reader(bench), try await reader(bench))
        let count = limit / piece.count + 8
        for _ in 0..<count { tap.give(piece) }
        tap.end()
        await until { tap.count > limit }
        for _ in 0..<100 { await Task.yield() }
        #expect(tap.count <= limit + 2 * piece.count)
        var read = 0
        for _ in 0..<(count - 8) { read += try await streams.0.next()?.count ?? 0 }
        #expect(tap.count <= limit + 2 * piece.count)
        async let others = Self.rest(of: streams.0)
        read += try await Self.rest(of: streams.1)
        read += try await others
        #expect(read == 2 * count * piece.count && bench.shared.store.counts.entries == 0)
        #expect(bench.shared.store.counts.refusals == 1)
        // The last piece goes with its readers.
        #expect(bench.shared.growth.taken <= piece.count)
    }

    @Test(
        "many slow readers of content that gets too long take no more than the room for all that comes, and keep no small one out"
    )
    func hoards() async throws {
        let (count, piece) = (40, [UInt8](repeating: 7, count: 16 * 1024))
        let taps = (0...count).map { _ in Tap() }
        let bench = Bench(
            ScriptedOrigin { _, turn in
                Response(fields: fields("Cache-Control: max-age=60"), body: .stream(taps[min(turn, count)]))
            }, isLively: true)
        var streams: [any BodyStream] = []
        for turn in 0..<count {
            for _ in 0..<16 { taps[turn].give(piece) }
            let response = try await bench.cache.respond(to: request(path: "/\(turn)"))
            guard case .stream(let stream) = response.body else { throw CancellationError() }
            streams.append(stream)
        }
        let window = 5 * piece.count
        await until { taps.prefix(count).allSatisfy { $0.count >= window } }
        for _ in 0..<1000 { await Task.yield() }
        let room = bench.shared.store.capacity / 4
        #expect(taps.reduce(0) { $0 + $1.count } <= room + count * window)
        #expect(bench.shared.growth.taken > 0 && bench.shared.growth.taken <= room)
        taps[count].give("abc")
        taps[count].end()
        #expect(await bench.ask().code == 200)
        await until { bench.shared.store.counts.entries == 1 }
        #expect(await bench.ask().description == "200 abc (sluice; hit; ttl=60)")
        streams = []
        for tap in taps { tap.end() }
        await until { bench.shared.growth.taken == 0 }
    }

    @Test("content that says itself that it is too long is for one client, who holds it back")
    func long() async throws {
        let tap = Tap(length: 1 << 30)
        let bench = Bench(Self.origin(tap), isLively: true)
        let stream = try await reader(bench)
        for _ in 0..<10 { tap.give("abc") }
        #expect(try await text(stream) == "abc")
        #expect(tap.count == 3 && bench.shared.flying == (0, 0))
        #expect(bench.shared.store.counts.refusals == 1)
    }

    @Test("that an answer is kept is said where its length is known, and why it isn't where that is too much")
    func promises() async throws {
        let taps = (Tap(length: 3), Tap(), Tap(length: 1 << 30))
        let bench = Bench(Self.origin(taps.0, taps.1, taps.2), isLively: true)
        for (tap, words) in [
            (taps.0, "fwd=uri-miss; fwd-status=200; ttl=60; stored"), (taps.1, "fwd=stale; fwd-status=200; ttl=60"),
            (taps.2, "fwd=stale; fwd-status=200; detail=too-large"),
        ] {
            tap.give("abc")
            tap.end()
            let response = try await bench.cache.respond(to: request(""))
            #expect(response.fields[.cacheStatus] == "sluice; " + words)
            if case .stream(let stream) = response.body { #expect(try await Self.rest(of: stream) == 3) }
            await until { bench.shared.flying == (0, 0) }
            bench.pass(61)
        }
    }

    @Test("what all have left is fetched to its end where little is missing, and given up where much is")
    func leaves() async throws {
        let taps = (Tap(length: 6), Tap(length: 600 * 1024), Tap())
        let bench = Bench(Self.origin(taps.0, taps.1, taps.2), isLively: true)
        var stream: (any BodyStream)? = try await reader(bench)
        taps.0.give("abc")
        #expect(try await text(stream!) == "abc")
        stream = nil
        taps.0.give("def")
        taps.0.end()
        await until { bench.shared.flying == (0, 0) }
        #expect(await bench.ask().description == "200 abcdef (sluice; hit; ttl=60)")
        bench.pass(61)
        stream = try await reader(bench)
        taps.1.give("abc")
        #expect(try await text(stream!) == "abc")
        stream = nil
        taps.1.give("abc")
        bench.pass(11)
        taps.1.give("abc")
        await until { bench.shared.flying == (0, 0) }
        stream = try await reader(bench)
        #expect(bench.origin.requests.count == 3)
        taps.2.end()
    }

    @Test("a reader that is cancelled goes at once")
    func cancelled() async throws {
        let tap = Tap()
        let bench = Bench(Self.origin(tap), isLively: true)
        let stream = try await reader(bench)
        let task = Task { try await stream.next() }
        task.cancel()
        await #expect(throws: GatewayError.self) { try await task.value }
        tap.end()
    }

    @Test("a range of what is stale is cut from the new answer once that is there")
    func range() async throws {
        let tap = Tap(length: 6)
        let bench = Bench(
            ScriptedOrigin { _, turn in
                turn == 0
                    ? response("Cache-Control: max-age=1\nETag: \"a\"", body: "x")
                    : Response(fields: fields("Cache-Control: max-age=60\nETag: \"b\""), body: .stream(tap))
            }, isLively: true)
        _ = await bench.ask()
        bench.pass(9)
        tap.give("abcdef")
        tap.end()
        let reply = await bench.ask("Range: bytes=1-2")
        #expect(reply.code == 206 && reply.body == "bc")
    }
}
