import HTTP
import Loop
import Plan
import Testing
internal import Threads

@testable import Upstream

@Suite("Connections to an upstream", .timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test("are used again")
    func keepAlive() async throws {
        let server = RawServer { ok(requestLine($0)) }
        let texts = try await Bench.run(server) { bench in
            [await bench.get("/1").text, await bench.get("/2").text, await bench.get("/3").text]
        }
        #expect(texts == (1...3).map { "200 GET /\($0) HTTP/1.1" })
        #expect(server.connections.count == 1)
    }

    @Test("are not used again before the upstream has earned it")
    func probation() async throws {
        let server = RawServer { _ in ok("{}") }
        let texts = try await Bench.run(server, quietConnections: 9) { bench in
            [await bench.get("/1").text, await bench.get("/2").text]
        }
        #expect(texts == ["200 {}", "200 {}"])
        #expect(server.connections.count == 2)
    }

    @Test("that hold a late second answer give it to nobody")
    func lateAnswer() async throws {
        let server = RawServer { ok(requestLine($0)) }
        let (texts, counts) = try await Bench.run(server) { bench in
            let first = await bench.get("/1").text
            server.connections.last?.send(ok("{\"smuggled\":true}"))
            return ([first, await bench.get("/2").text, await bench.get("/3").text], bench.counts)
        }
        #expect(texts == (1...3).map { "200 GET /\($0) HTTP/1.1" })
        #expect(counts.retries == 1)
        // The upstream has lost its trust: the third request has a connection of its own as well.
        #expect(server.connections.count == 3)
    }

    @Test("serve at most 32 requests")
    func requests() async throws {
        let server = RawServer { connection in
            var count = 0
            while connection.receiveHead() != nil {
                count += 1
                connection.send(ok("\(count)"))
            }
        }
        let texts = try await Bench.run(server) { bench in
            var texts: [String] = []
            for _ in 0..<70 { texts.append(await bench.get("/1").text) }
            return texts
        }
        #expect(texts.allSatisfy { (1...32).contains(Int($0.dropFirst(4)) ?? 0) })
        #expect(server.connections.count >= 3)
    }

    @Test("on which all answers are one off are found out, and used no more")
    func chain() async throws {
        // On the first connection an answer of nobody's comes instead of the second one; each right one goes out when the
        // request after it is there, or nothing more comes for a moment.
        let isFirst = Locked(true)
        let server = RawServer { connection in
            let isOdd = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            var owed: String?
            while true {
                if owed != nil, !connection.isReadable(within: 20), let text = owed {
                    connection.send(text)
                    owed = nil
                }
                guard let head = connection.receiveHead() else { return }
                let answer = ok(requestLine(head))
                guard isOdd, !head.hasPrefix("GET /0 ") else {
                    connection.send(answer)
                    continue
                }
                connection.send(owed ?? ok("nobody's"))
                owed = answer
            }
        }
        let (texts, counts, end) = try await Bench.run(server) { bench in
            var texts: [String] = []
            while texts.count < 100_000, bench.counts.trustLosses == 0 {
                texts.append(await bench.get("/\(texts.count)").text)
            }
            let end = texts.count
            for index in end..<end + 40 { texts.append(await bench.get("/\(index)").text) }
            return (texts, bench.counts, end)
        }
        let wrong = texts.indices.filter { texts[$0] != "200 GET /\($0) HTTP/1.1" }
        #expect(wrong.count <= 32 && wrong.contains(1))
        #expect(wrong.allSatisfy { $0 < end })
        #expect(counts.trustLosses == 1)
    }

    @Test("carry the bytes of a field as they are")
    func bytes() async throws {
        let server = RawServer { connection in
            var bytes: [UInt8] = []
            while let more = connection.receive() {
                bytes += more
                guard bytes.suffix(4) == Array("\r\n\r\n".utf8)[...] else { continue }
                let line = Array("\r\nX-A: ".utf8) + [0x63, 0xE9, 0x80, 0xFF, 0xC3, 0xA9] + Array("\r\n".utf8)
                return connection.send(ok(bytes.contains(line) ? "kept" : "changed"))
            }
        }
        let text = try await Bench.run(server) { bench in
            var request = Request(target: Target("/1"))
            request.fields.append(nameBytes: Array("X-A".utf8), valueBytes: [0x63, 0xE9, 0x80, 0xFF, 0xC3, 0xA9])
            return await bench.send(request).text
        }
        #expect(text == "200 kept")
    }

    @Test("that are watched are closed when the request is given up")
    func watchedCancellation() async throws {
        let ended = AsyncStream.makeStream(of: Bool.self)
        let arrived = AsyncStream.makeStream(of: Void.self)
        let server = RawServer { connection in
            guard connection.receiveHead() != nil else { return }
            arrived.continuation.yield()
            ended.continuation.yield(connection.receive() == nil)
        }
        // Not trusted yet: the first connection is one that is watched.
        let text = try await Bench.run(server, quietConnections: 9, plan: Bench.plan { $0.timeout = .seconds(50) }) {
            bench in
            let request = Task(executorPreference: bench.loop) { await bench.get("/1").text }
            for await _ in arrived.stream { break }
            request.cancel()
            let text = await request.value
            for await isEnded in ended.stream { return text + (isEnded ? ", ended" : "") }
            return text
        }
        #expect(text == "503 cancelled, ended")
    }

    @Test("that the upstream closed while they were idle cost no request")
    func idleClose() async throws {
        let server = RawServer { connection in
            guard connection.receiveHead() != nil else { return }
            connection.send(ok("{}"))
        }
        let (texts, counts) = try await Bench.run(server, plan: Bench.plan { $0.retries = 0 }) { bench in
            var texts = [await bench.get("/1").text]
            server.connections.last?.end()
            texts.append(await bench.get("/2").text)
            return (texts, bench.counts)
        }
        #expect(texts == ["200 {}", "200 {}"])
        #expect(counts.failures.keys.allSatisfy { $0 == "upstream-closed" })
    }

    @Test("are closed after an answer with content that can't be", arguments: ["204 No Content", "200 OK"])
    func excess(status: String) async throws {
        let server = RawServer { _ in
            "HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n{}" + ok("{\"smuggled\":true}")
        }
        let texts = try await Bench.run(server) { bench in [await bench.get("/1").text, await bench.get("/2").text] }
        #expect(texts == (status.hasPrefix("204") ? ["204", "204"] : ["200 {}", "200 {}"]))
        #expect(server.connections.count == 2)
    }

    @Test("stay right through HEAD, 304 and GET")
    func bodiless() async throws {
        let server = RawServer { head in
            if head.hasPrefix("HEAD") { return "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nETag: \"x\"\r\n\r\n" }
            return head.contains("If-None-Match: \"x\"")
                ? "HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n" : ok("{}")
        }
        let texts = try await Bench.run(server) { bench in
            var conditional = Request(target: Target("/2"))
            conditional.fields.append(.ifNoneMatch, "\"x\"")
            return [
                await bench.send(Request(method: .head, target: Target("/1"))).text,
                await bench.send(conditional).text, await bench.get("/3").text,
            ]
        }
        #expect(texts == ["200", "304", "200 {}"])
        #expect(server.connections.count == 1)
    }

    @Test(
        "that break before an answer are tried once more, for GET alone",
        arguments: [Method.get, .head, .post, .delete])
    func reset(method: Method) async throws {
        let server = RawServer { connection in
            if connection.receiveHead() != nil { connection.reset() }
        }
        let (text, counts) = try await Bench.run(server) { bench in
            (await bench.send(Request(method: method, target: Target("/1"))).text, bench.counts)
        }
        #expect(text == "502 upstream-closed")
        #expect(server.connections.count == (method == .get || method == .head ? 2 : 1))
        #expect(counts.calls == server.connections.count)
    }

    @Test("that break in the pool under a POST are not used for it")
    func postIsFresh() async throws {
        let server = RawServer { connection in
            while let head = connection.receiveHead() {
                if head.hasPrefix("POST") { return }
                connection.send(ok("{}"))
            }
        }
        let texts = try await Bench.run(server) { bench in
            [await bench.get("/1").text, await bench.send(Request(method: .post, target: Target("/2"))).text]
        }
        #expect(texts == ["200 {}", "502 upstream-closed"])
        #expect(server.connections.count == 2)
    }

    @Test("are closed at once when the request is given up")
    func cancellation() async throws {
        let ended = AsyncStream.makeStream(of: Bool.self)
        let arrived = AsyncStream.makeStream(of: Void.self)
        let server = RawServer { connection in
            guard connection.receiveHead() != nil else { return }
            arrived.continuation.yield()
            ended.continuation.yield(connection.receive() == nil)
        }
        let text = try await Bench.run(server, plan: Bench.plan { $0.timeout = .seconds(50) }) { bench in
            let request = Task(executorPreference: bench.loop) { await bench.get("/1").text }
            for await _ in arrived.stream { break }
            request.cancel()
            let text = await request.value
            // Before the client is gone.
            for await isEnded in ended.stream { return text + (isEnded ? ", ended" : "") }
            return text
        }
        #expect(text == "503 cancelled, ended")
    }

    @Test("that nobody accepts are a 502, and soon the breaker answers")
    func refused() async throws {
        let server = RawServer { _ in }
        server.stop()
        let (texts, counts) = try await Bench.run(server) { bench in
            var texts: [String] = []
            for _ in 0..<6 { texts.append(await bench.get("/1").text) }
            return (texts, bench.counts)
        }
        #expect(texts.first == "502 upstream-refused")
        #expect(texts.last == "503 breaker-open")
        #expect(counts.calls == 5)
        #expect(counts.isBreakerOpen)
    }
}
