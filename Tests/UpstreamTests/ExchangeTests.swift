import HTTP
import Loop
import Plan
import Testing
internal import Threads

@testable import Upstream

@Suite("An exchange with an upstream", .timeLimit(.minutes(1)))
struct ExchangeTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    @Test(
        "ends in 502 where the answer is broken",
        arguments: [
            (head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "upstream-framing"),
            (head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "upstream-framing"),
            (head + "Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n", "upstream-framing"),
            (head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", "upstream-closed"),
            (head + "Content-Length: 20\r\n\r\n{}", "upstream-closed"),
            (head + "X-A: a\rb\r\n\r\n{}", "upstream-framing"),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n{}", "upstream-framing"), ("{\"old\":true}", "upstream-framing"),
            (head + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", "upstream-framing"),
            (head + "\r\n" + String(repeating: " ", count: 60), "upstream-too-large"),
            (head + "Content-Le", "upstream-closed"), ("", "upstream-closed"),
        ])
    func broken(answer: String, code: String) async throws {
        let server = RawServer { connection in
            if connection.receiveHead() != nil { connection.send(answer) }
        }
        let text = try await Bench.run(server, contentLimit: 50) { await $0.get("/1").text }
        #expect(text == "502 \(code)")
    }

    @Test("ends in 502 where a line of the head has no end")
    func endlessLine() async throws {
        let server = RawServer { connection in
            guard connection.receiveHead() != nil else { return }
            connection.send(Self.head + "X-A: ")
            for _ in 0..<1000 { connection.send([UInt8](repeating: 0x61, count: 1000)) }
        }
        let outcome = try await Bench.run(server) { await $0.get("/1") }
        #expect(outcome.text == "502 upstream-framing")
        #expect(outcome.error?.detail.contains("too large") == true)
    }

    @Test("gives gzip back as it was before, and refuses it where it is cut or explodes")
    func gzipped() async throws {
        let json = Array("{\"ok\":true}".utf8)
        let contents = [gzip(json), gzip(json).dropLast(3), gzip([UInt8](repeating: 0x20, count: 1 << 20))].map(
            Array.init)
        let server = RawServer { connection in
            while let head = connection.receiveHead() {
                guard head.contains("Accept-Encoding: gzip\r\n"), let index = Int(head.dropFirst(5).prefix(1)) else {
                    return
                }
                let content = contents[index]
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(content.count)\r\n\r\n")
                connection.send(content)
            }
        }
        let outcomes = try await Bench.run(server) { bench in
            [await bench.get("/0"), await bench.get("/1"), await bench.get("/2")]
        }
        #expect(outcomes.map(\.text) == ["200 {\"ok\":true}", "502 upstream-framing", "502 upstream-too-large"])
        #expect(outcomes.first?.response?.fields.contains(.contentEncoding) == false)
    }

    @Test("ends in 504 where the upstream is silent, at the earlier of timeout and deadline", arguments: [true, false])
    func silence(hasDeadline: Bool) async throws {
        let server = RawServer { connection in
            while connection.receive() != nil {}
        }
        let start = ContinuousClock.now
        let text = try await Bench.run(
            server, plan: Bench.plan { $0.timeout = hasDeadline ? .seconds(50) : .milliseconds(50) }
        ) {
            let budget = Budget(deadline: .now + (hasDeadline ? .milliseconds(50) : .seconds(50)), calls: 9, bytes: 99)
            return await $0.get("/1", budget: budget).text
        }
        #expect(text == "504 upstream-timeout")
        #expect(start.duration(to: .now) < .seconds(20))
        #expect(server.connections.count == 1)
    }

    @Test("spends the client's bytes")
    func budget() async throws {
        let server = RawServer { _ in ok("0123456789") }
        let texts = try await Bench.run(server) { bench in
            let budget = Budget(deadline: .now + .seconds(50), calls: 9, bytes: 15)
            return [await bench.get("/1", budget: budget).text, await bench.get("/2", budget: budget).text]
        }
        #expect(texts == ["200 0123456789", "502 budget-exceeded"])
    }

    @Test("gives redirects and errors back as they are")
    func statuses() async throws {
        let server = RawServer { head in
            head.contains("/old")
                ? ok("", "Location: gopher://127.0.0.1/\r\n", status: "302 Found") : ok("{}", status: "500 Oops")
        }
        let outcomes = try await Bench.run(server) { bench in [await bench.get("/old"), await bench.get("/broken")] }
        #expect(outcomes.map(\.text) == ["302 ", "500 {}"])
        #expect(outcomes[0].response?.fields[.location] == "gopher://127.0.0.1/")
    }

    @Test("isn't begun while the upstream has asked for a pause")
    func pause() async throws {
        let server = RawServer { _ in ok("slow down", "Retry-After: 25924\r\n", status: "429 Too Many Requests") }
        let outcomes = try await Bench.run(server) { bench in [await bench.get("/1"), await bench.get("/2")] }
        #expect(outcomes.map(\.text) == ["429 slow down", "503 upstream-paused"])
        #expect((25_900...25_924).contains(outcomes[1].error?.retryAfter ?? 0))
        #expect(server.connections.count == 1)
    }

    @Test("isn't begun where the quota is spent")
    func quota() async throws {
        let server = RawServer { _ in ok("{}") }
        let texts = try await Bench.run(
            server, plan: Bench.plan { $0.quota = .init(count: 2, window: .seconds(86_400)) }
        ) {
            bench in
            [await bench.get("/1").text, await bench.get("/2").text, await bench.get("/3").text]
        }
        #expect(texts == ["200 {}", "200 {}", "503 quota-spent"])
    }

    @Test("waits for its turn where the upstream takes one at a time, until its deadline")
    func concurrency() async throws {
        let arrived = AsyncStream.makeStream(of: Void.self)
        let server = RawServer { connection in
            while connection.receiveHead() != nil { arrived.continuation.yield() }
        }
        let (texts, counts) = try await Bench.run(server, plan: Bench.plan { $0.concurrency = 1 }) { bench in
            let first = Task(executorPreference: bench.loop) { await bench.get("/1").text }
            for await _ in arrived.stream { break }
            let late = await bench.get("/2", budget: Budget(deadline: .now + .milliseconds(30), calls: 9, bytes: 99))
                .text
            let cancelled = Task(executorPreference: bench.loop) { await bench.get("/3").text }
            while bench.counts.waiting == 0 { await Task.yield() }
            cancelled.cancel()
            let third = await cancelled.value
            let next = Task(executorPreference: bench.loop) { await bench.get("/4").text }
            while bench.counts.waiting == 0 { await Task.yield() }
            let counts = bench.counts
            server.connections.first?.send(ok("one"))
            let texts = [await first.value, late, third]
            for await _ in arrived.stream { break }
            server.connections.last?.send(ok("four"))
            return (texts + [await next.value], counts)
        }
        #expect(texts == ["200 one", "504 upstream-timeout", "503 cancelled", "200 four"])
        #expect(counts.calls == 1 && counts.inFlight == 1 && counts.waiting == 1)
    }

    @Test("keeps to the upstream's limit with all workers together")
    func workers() async throws {
        let busy = Locked((now: 0, most: 0))
        let server = RawServer { connection in
            while let head = connection.receiveHead() {
                busy.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                let answer = ok(requestLine(head))
                busy.withLock { $0.now -= 1 }
                connection.send(answer)
            }
        }
        let plan = Bench.plan { $0.concurrency = 3 }
        let right = try await Bench.run(server, plan: plan) { bench in
            async let here = Self.burst(bench, "here")
            async let there = Bench.run(bench.shared) { await Self.burst($0, "there") }
            return try await here + there
        }
        #expect(right == 400)
        #expect((1...3).contains(busy.withLock { $0.most }))
    }

    /// Sends 200 requests at once; how many had their own answer.
    private static func burst(_ bench: Bench, _ name: String) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { await bench.get("/\(name)/\(number)").text == "200 GET /\(name)/\(number) HTTP/1.1" }
            }
            var right = 0
            for await isRight in group where isRight { right += 1 }
            return right
        }
    }

    @Test("is signed, and no error shows with what")
    func signed() async throws {
        let server = RawServer { head in
            head.contains("?limit=1&key=canary HTTP/1.1\r\n") && head.contains("X-Fixed: canary\r\n")
                ? ok("{}") : "canary"
        }
        let outcomes = try await Bench.run(
            server,
            plan: Bench.plan {
                $0.auth = .query(name: "key", value: Secret("canary"))
                $0.headers = [("X-Fixed", Secret("canary"))]
            }
        ) { bench in [await bench.get("/1?limit=1"), await bench.get("/1?limit=2"), await bench.get("/ canary")] }
        #expect(outcomes.map(\.text) == ["200 {}", "502 upstream-framing", "502 upstream-failed"])
        #expect(outcomes.allSatisfy { !"\($0)".contains("canary") })
    }

    @Test("sends content with its length, or in chunks where that isn't known")
    func upload() async throws {
        let server = RawServer { connection in
            while let head = connection.receiveHead() {
                let isChunked = head.contains("Transfer-Encoding: chunked\r\n")
                let content = connection.receiveContent(until: isChunked ? "0\r\n\r\n" : "world")
                let isRight = content == (isChunked ? "5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n" : "hello, world")
                let isFramed = isChunked != head.contains("Content-Length: 12\r\n") && !head.contains("Expect:")
                connection.send(ok(isRight && isFramed ? "right" : "wrong", "Connection: close\r\n"))
                return
            }
        }
        let texts = try await Bench.run(server) { bench in
            var texts: [String] = []
            for body in [
                Body.bytes(Array("hello, world".utf8)), .stream(Pieces(["hello", ", world"], length: 12)),
                .stream(Pieces(["hello", ", world"], length: nil)),
            ] {
                texts.append(await bench.send(Request(method: .post, target: Target("/1"), body: body)).text)
            }
            return texts
        }
        #expect(texts == ["200 right", "200 right", "200 right"])
    }

    @Test("never sends more content than it said")
    func longContent() async throws {
        let server = RawServer { connection in
            guard connection.receiveHead() != nil else { return }
            connection.send(ok(connection.receiveContent(until: "hello") ?? ""))
            while connection.receive() != nil {}
        }
        let text = try await Bench.run(server, plan: Bench.plan { $0.timeout = .seconds(50) }) { bench in
            let body = Body.stream(Pieces(["hello", ", world"], length: 5))
            return await bench.send(Request(method: .put, target: Target("/1"), body: body)).text
        }
        #expect(text == "200 hello")
    }

    @Test("ends where there is less content than it said, or a piece with more", arguments: [20, 7])
    func mismatch(length: Int) async throws {
        let server = RawServer { connection in
            while connection.receive() != nil {}
        }
        let text = try await Bench.run(server, plan: Bench.plan { $0.timeout = .seconds(50) }) { bench in
            let body = Body.stream(Pieces(["hello", ", world"], length: length))
            return await bench.send(Request(method: .put, target: Target("/1"), body: body)).text
        }
        #expect(text == "400 content-incomplete")
    }

    @Test("ends with the client's error where the client's content fails")
    func failingUpload() async throws {
        let server = RawServer { connection in
            while connection.receive() != nil {}
        }
        let text = try await Bench.run(server, plan: Bench.plan { $0.timeout = .seconds(50) }) { bench in
            let body = Body.stream(Pieces(["hello"], length: nil, failure: .contentTooLarge(limit: 5)))
            return await bench.send(Request(method: .post, target: Target("/1"), body: body)).text
        }
        #expect(text == "413 content-too-large")
    }
}

/// Content in pieces, with a suspension before each.
private final class Pieces: BodyStream {
    let length: Int?
    private let pieces: Locked<[String]>
    private let failure: GatewayError?

    init(_ pieces: [String], length: Int?, failure: GatewayError? = nil) {
        self.pieces = Locked(pieces)
        self.length = length
        self.failure = failure
    }

    func next() async throws(GatewayError) -> [UInt8]? {
        await Task.yield()
        let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if piece == nil, let failure { throw failure }
        return piece.map { Array($0.utf8) }
    }
}
