internal import Glibc
internal import HTTP
internal import Loop
internal import Server
internal import Testing
internal import Threads

@Suite("Hostile and unlucky clients") struct HostileClientTests {
    @Test(
        "a broken request gets one answer and the end, and what follows is never answered",
        arguments: [
            (get("/", "X A: b\r\n"), 400), (get("/", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400),
            (post("/echo", "Transfer-Encoding: chunked\r\n", "5\r\nhelloX"), 400), (get("/", version: "2.0"), 505),
            (get("/" + String(repeating: "a", count: 9000)), 414),
            (get("/", String(repeating: "A: b\r\n", count: 101)), 431),
            (get("/", method: "TRACE"), 501), (get("http://b.test/"), 421), ("\u{16}\u{3}\u{1}\0\u{C8}", 400),
            (post("/echo", "Content-Length: 5\r\nContent-Length: 6\r\n", "hello"), 400), ("GET /\r\n", 400),
        ])
    func refused(text: String, status: Int) async throws {
        try await RunningServer.serve { client in
            try client.send(get("/") + text + get("/canary"))
            #expect(try client.answer().text == "root")
            let answer = try client.answer()
            #expect(answer.status == status)
            #expect(answer["Connection"] == "close")
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(try client.end() == .closed)
        }
    }

    @Test("a refused HEAD has no content")
    func refusedHead() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/", "X A: b\r\n", method: "HEAD"))
            #expect(try client.answer(isHead: true).status == 400)
            #expect(try client.end() == .closed)
        }
    }

    @Test("an answer survives the megabytes that were still on their way")
    func linger() async throws {
        try await RunningServer.serve { client in
            try client.send("GET / HTTP/9.9\r\n\r\n" + String(repeating: "x", count: 60_000))
            #expect(try client.answer().status == 505)
            #expect(try client.end() == .closed)
        }
    }

    // MARK: Time

    private static func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = ServerLimits()
        change(&limits)
        return limits
    }

    @Test("a silent client is closed")
    func silent() async throws {
        try await RunningServer.serve(limits: Self.limits { $0.headTime = .milliseconds(30) }) { client in
            let end = try client.end()
            #expect(end == .closed)
        }
    }

    @Test("a head that takes too long is answered with 408, counted from its first byte", arguments: ["", get("/")])
    func slowHead(before: String) async throws {
        // Long enough for a busy machine to send the first bytes in time.
        try await RunningServer.serve(limits: Self.limits { $0.headTime = .milliseconds(1500) }) { client in
            try client.send(before + "GET / HTTP/1.1\r\nHos")
            if !before.isEmpty { #expect(try client.answer().status == 200) }
            #expect(try client.answer().status == 408)
            #expect(try client.end() == .closed)
        }
    }

    @Test("content that takes too long is answered with 408, whoever reads it", arguments: ["/echo", "/ignore"])
    func slowContent(path: String) async throws {
        try await RunningServer.serve(limits: Self.limits { $0.contentGrace = .milliseconds(30) }) { client in
            try client.send(post(path, "Content-Length: 1000\r\n", "a"))
            #expect(try client.answer().status == 408)
            #expect(try client.end() == .closed)
        }
    }

    @Test("content in time for its rate but not for the whole is answered with 408")
    func contentTime() async throws {
        try await RunningServer.serve(limits: Self.limits { $0.contentTime = .milliseconds(50) }) { client in
            try client.send(post("/echo", "Content-Length: 1000000\r\n", String(repeating: "a", count: 100_000)))
            #expect(try client.answer().status == 408)
            #expect(try client.end() == .closed)
        }
    }

    @Test("an idle connection is closed")
    func idle() async throws {
        try await RunningServer.serve(limits: Self.limits { $0.idleTime = .milliseconds(30) }) { client in
            try client.send(get("/"))
            #expect(try client.answer().status == 200)
            #expect(try client.end() == .closed)
        }
    }

    @Test("a client that doesn't read its answer is reset")
    func stalled() async throws {
        let limits = Self.limits { $0.stallTime = .milliseconds(100) }
        try await RunningServer.serve(limits: limits, receiveBuffer: 4096) { client in
            try client.send(get("/large"))
            #expect(client.waitForReset(milliseconds: 8000))
        }
    }

    // MARK: Going away

    @Test("a reset cancels the responder's work at once")
    func reset() async throws {
        let (arrived, cancelled) = (Signal(), Signal())
        let running = try RunningServer { _, loop in
            arrived.give()
            do { try await loop.sleep(for: .seconds(60)) } catch { cancelled.give() }
            return Response()
        }
        defer { running.stop() }
        try await running.onClient { client in
            try client.send(get("/"))
            client.resetAtEnd()
            let isHere = Locked(false)
            Task {
                await arrived.wait()
                isHere.withLock { $0 = true }
            }
            while !isHere.withLock({ $0 }) { sched_yield() }
        }
        await cancelled.wait()
        #expect(await running.onLoop { $0.connectionCount } == 0)
    }

    @Test("a reset while the request waits in a queue of others cancels too")
    func resetBehindOthers() async throws {
        let (arrived, cancelled) = (Signal(), Signal())
        let running = try RunningServer { _, loop in
            arrived.give()
            do { try await loop.sleep(for: .seconds(60)) } catch { cancelled.give() }
            return Response()
        }
        defer { running.stop() }
        let port = running.port
        let client = try await RawClient.onThread { Kept(try RawClient(port: port)) }
        try client.value.send(get("/"))
        await arrived.wait()
        try client.value.send(String(repeating: get("/"), count: 50))
        client.value.resetAtEnd()
        client.drop()
        await cancelled.wait()
    }

    @Test("a client that ends its side after a request keeps its answer")
    func halfClose() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/") + get("/yield?a") + get("/yield?b"))
            client.endSending()
            #expect(try (0..<3).map { _ in try client.answer().text } == ["root", "a", "b"])
            #expect(try client.end() == .closed)
        }
    }

    @Test("a client that ends its side inside a head is refused")
    func cutHead() async throws {
        try await RunningServer.serve { client in
            try client.send("GET / HTTP/1.1\r\nHost: a.te")
            client.endSending()
            #expect(try client.answer().status == 400)
            #expect(try client.end() == .closed)
        }
    }

    @Test("hundreds of aborted clients leave nothing behind")
    func aborts() async throws {
        let running = try RunningServer()
        defer { running.stop() }
        let port = running.port
        for text in [
            get("/"), "GET / HT", post("/echo", "Content-Length: 100\r\n", "abc"),
            String(repeating: get("/yield"), count: 50),
        ] {
            try await RawClient.onThread {
                for _ in 0..<100 {
                    let client = try RawClient(port: port)
                    try client.send(text)
                    client.resetAtEnd()
                }
            }
        }
        try await running.onClient { client in
            try client.send(get("/", "Connection: close\r\n"))
            #expect(try client.answer().text == "root")
            #expect(try client.end() == .closed)
        }
        var count = -1
        while count != 0 { count = await running.onLoop { $0.connectionCount } }
        #expect(count == 0)
    }
}

/// Keeps a client until it is dropped, on whatever thread.
final class Kept: @unchecked Sendable {
    private var client: RawClient?
    init(_ client: RawClient) { self.client = client }
    var value: RawClient {
        guard let client else { preconditionFailure("dropped") }
        return client
    }
    func drop() { client = nil }
}
