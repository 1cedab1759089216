internal import Glibc
internal import HTTP
internal import Loop
internal import Server
internal import Testing
internal import Threads

@Suite("Content of requests") struct ContentTests {
    @Test("content reaches the responder, however it is framed and cut", arguments: [1, 3, 1000])
    func echo(step: Int) async throws {
        try await RunningServer.serve { client in
            let text =
                post("/echo", "Content-Length: 5\r\n", "hello")
                + post("/echo", "Transfer-Encoding: chunked\r\n", "3;x\r\nabc\r\n3\r\ndef\r\n0\r\nT: 1\r\n\r\n")
                + post("/echo", "Content-Length: 0\r\n", "") + get("/echo")
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: step) {
                try client.send(Array(bytes[start..<min(start + step, bytes.count)]))
            }
            #expect(try (0..<4).map { _ in try client.answer().text } == ["hello", "abcdef", "", ""])
        }
    }

    @Test("megabytes of content arrive whole")
    func large() async throws {
        try await RunningServer.serve { client in
            let content = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try client.send(post("/echo", "Content-Length: \(content.count)\r\n", ""))
            try client.send(content)
            #expect(try client.answer().body == content)
        }
    }

    @Test("content that nobody reads is thrown away, and the next request is answered")
    func unread() async throws {
        try await RunningServer.serve { client in
            for framing in ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"] {
                try client.send(post("/ignore", framing, framing.hasPrefix("C") ? "hello" : "5\r\nhello\r\n0\r\n\r\n"))
                #expect(try client.answer().status == 405)
            }
            try client.send(post("/ignore", "Content-Length: 1000000\r\n", ""))
            for _ in 0..<10 { try client.send([UInt8](repeating: 0x62, count: 100_000)) }
            #expect(try client.answer().status == 405)
            try client.send(get("/"))
            #expect(try client.answer().text == "root")
        }
    }

    @Test(
        "an answer stands however much content follows, unless it is a success that took no notice of any",
        arguments: [
            (Status.methodNotAllowed, false, 405), (.serviceUnavailable, true, 503), (.created, true, 201),
            (.ok, false, 413),
        ])
    func muchUnread(status: Status, reads: Bool, expected: Int) async throws {
        var limits = ServerLimits()
        limits.request.content = 4_000_000
        for framing in ["Content-Length: 3000000\r\n", "Transfer-Encoding: chunked\r\n"] {
            try await RunningServer.serve(limits: limits) { client in
                try client.send(post("/", framing, framing.hasPrefix("C") ? "" : "2dc6c0\r\n"))
                for _ in 0..<30 { try client.send([UInt8](repeating: 0x62, count: 100_000)) }
                let answer = try client.answer()
                #expect(answer.status == expected)
                #expect(answer["Connection"] == "close")
                #expect(try client.end() == .closed)
            } _: { (request, _) async throws(GatewayError) -> Response in
                if reads, case .stream(let stream) = request.body { _ = try await stream.next() }
                return Response(status: status)
            }
        }
    }

    @Test("a framing error in content that nobody reads replaces the answer", arguments: [true, false])
    func brokenUnread(isCut: Bool) async throws {
        try await RunningServer.serve { client in
            let head = post("/ignore", "Transfer-Encoding: chunked\r\n", "5\r\nhel")
            try client.send(isCut ? head : head + "lo\nx\r\n")
            if isCut { try client.send("lo\nx\r\n") }
            try client.send(get("/canary"))
            #expect(try client.answer().status == 400)
            #expect(try client.end() == .closed)
        }
    }

    @Test("too much content is refused, announced or not", arguments: ["/echo", "/ignore"])
    func tooMuch(path: String) async throws {
        var limits = ServerLimits()
        limits.request.content = 1000
        for framing in [
            "Content-Length: 1001\r\n", "Transfer-Encoding: chunked\r\n",
            "Expect: 100-continue\r\nContent-Length: 1001\r\n",
        ] {
            try await RunningServer.serve(limits: limits) { client in
                try client.send(post(path, framing, ""))
                if framing.hasPrefix("T") {
                    try client.send("3e8\r\n" + String(repeating: "a", count: 1000) + "\r\n1\r\n")
                }
                let answer = try client.answer()
                #expect(answer.status == 413)
                #expect(answer["Connection"] == "close")
                #expect(try client.end() == .closed)
            }
        }
    }

    @Test("cut content is refused, and the responder is told")
    func cut() async throws {
        let told = Locked<[String]>([])
        try await RunningServer.serve { client in
            try client.send(post("/", "Content-Length: 10\r\n", "hello"))
            client.endSending()
            #expect(try client.answer().status == 400)
            #expect(try client.end() == .closed)
        } _: { (request, _) async throws(GatewayError) -> Response in
            do throws(GatewayError) {
                return Response(body: .bytes(try await request.body.collected(limit: 100)))
            } catch {
                told.withLock { $0.append(error.code) }
                throw error
            }
        }
        #expect(told.withLock { $0 } == ["incomplete-request"])
    }

    @Test("a sender is held back as long as nobody pulls")
    func backPressure() async throws {
        var limits = ServerLimits()
        limits.request.content = 100_000_000
        let pull = Signal()
        let running = try RunningServer(limits: limits) { (request, _) async throws(GatewayError) -> Response in
            await pull.wait()
            return Response(
                body: .bytes(Array(String(try await request.body.collected(limit: 100_000_000).count).utf8)))
        }
        defer { running.stop() }
        let text = try await running.onClient { client in
            try client.send(post("/", "Content-Length: 50000000\r\n", ""))
            let piece = [UInt8](repeating: 0x61, count: 100_000)
            var sent = 0
            var state = pollfd(fd: client.descriptor, events: Int16(POLLOUT), revents: 0)
            while sent < 50_000_000, poll(&state, 1, 300) > 0 {
                sent += max(
                    0, Glibc.send(client.descriptor, piece, min(piece.count, 50_000_000 - sent), CInt(MSG_DONTWAIT)))
            }
            #expect(sent < 40_000_000)
            pull.give()
            while sent < 50_000_000 {
                let count = min(piece.count, 50_000_000 - sent)
                try client.send(Array(piece[..<count]))
                sent += count
            }
            return try client.answer().text
        }
        #expect(text == "50000000")
    }

    // MARK: Expect

    @Test(
        "100 Continue is sent once, at the first pull",
        arguments: ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"])
    func expectation(framing: String) async throws {
        try await RunningServer.serve { client in
            for _ in 0..<2 {
                try client.send(post("/echo", "Expect: 100-continue\r\n" + framing, ""))
                #expect(try client.answer().status == 100)
                try client.send(framing.hasPrefix("C") ? "hello" : "5\r\nhello\r\n0\r\n\r\n")
                #expect(try client.answer().text == "hello")
            }
        }
    }

    @Test(
        "an answer without a pull ends the connection, whether the content has come or not", arguments: [true, false])
    func unpulledExpectation(comes: Bool) async throws {
        try await RunningServer.serve { client in
            try client.send(
                post("/ignore", "Expect: 100-continue\r\nContent-Length: 5\r\n", comes ? "hello" + get("/canary") : ""))
            let answer = try client.answer()
            #expect(answer.status == 405)
            #expect(answer["Connection"] == "close")
            #expect(try client.end() == .closed)
        }
    }

    @Test("HTTP/1.0 gets no 100, and an unknown expectation 417")
    func otherExpectations() async throws {
        try await RunningServer.serve { client in
            try client.send(
                "POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"
            )
            #expect(try client.answer().text == "hello")
            try client.send(post("/echo", "Expect: teapot\r\nContent-Length: 5\r\n", "hello"))
            #expect(try client.answer().status == 417)
            #expect(try client.end() == .closed)
        }
    }
}
