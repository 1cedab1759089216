internal import HTTP
internal import Loop
internal import Server
internal import Testing
internal import Threads

@Suite("Answers of the server") struct AnsweringTests {
    @Test("a request is answered and the connection kept")
    func keepAlive() async throws {
        try await RunningServer.serve { client in
            for _ in 0..<3 {
                try client.send(get("/"))
                let answer = try client.answer()
                #expect(answer.status == 200)
                #expect(answer.text == "root")
                #expect(answer["Connection"] == nil)
                #expect(answer["Server"] == nil)
            }
        }
    }

    @Test("the client's wish to close is granted and said", arguments: ["close", "x, CLOSE", "keep-alive, close"])
    func close(option: String) async throws {
        try await RunningServer.serve { client in
            try client.send(get("/", "Connection: \(option)\r\n") + get("/canary"))
            #expect(try client.answer()["Connection"] == "close")
            #expect(try client.end() == .closed)
        }
    }

    @Test("HTTP/1.0 is answered in 1.1 and closed, or kept where it asked")
    func version10() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/", "Connection: keep-alive\r\n", version: "1.0"))
            #expect(try client.answer()["Connection"] == "keep-alive")
            try client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try client.answer()["Connection"] == "close")
            #expect(try client.end() == .closed)
        }
    }

    @Test("pipelined requests are answered in order, whether they suspend or not")
    func pipelining() async throws {
        try await RunningServer.serve { client in
            var text = ""
            for number in 0..<1000 { text += number % 3 == 0 ? get("/") : get("/yield?\(number)") }
            try client.send(text)
            for number in 0..<1000 {
                #expect(try client.answer().text == (number % 3 == 0 ? "root" : String(number)))
            }
        }
    }

    @Test("HEAD has the fields of GET and no content, and the next answer is intact")
    func head() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/", method: "HEAD") + get("/missing", method: "HEAD") + get("/"))
            let answer = try client.answer(isHead: true)
            #expect(answer["Content-Length"] == "4")
            #expect(try client.answer(isHead: true).status == 404)
            #expect(try client.answer().text == "root")
        }
    }

    @Test("204 and 304 have no content", arguments: [204, 304])
    func contentless(status: Int) async throws {
        try await RunningServer.serve { client in
            try client.send(get("/\(status)") + get("/"))
            #expect(try client.answer().status == status)
            #expect(try client.answer().text == "root")
        }
    }

    @Test("OPTIONS * is answered by the server itself")
    func asterisk() async throws {
        try await RunningServer.serve { client in
            try client.send(get("*", method: "OPTIONS") + get("/"))
            let answer = try client.answer()
            #expect(answer.status == 204)
            #expect(answer["Allow"]?.contains("GET, HEAD") == true)
            #expect(try client.answer().text == "root")
        }
    }

    @Test("an error of the responder is a problem document")
    func problem() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/missing"))
            let answer = try client.answer()
            #expect(answer.status == 404)
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer.text.contains(#""code":"not-found""#))
        }
    }

    @Test("framing fields of the responder are replaced by ours, and a 1xx is no answer")
    func framingFields() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/") + get("/100"))
            let answer = try client.answer()
            #expect(answer.fields.filter { !$0.hasPrefix("Date") } == ["X-A: 1", "X-B: 2", "Content-Length: 2"])
            #expect(answer.text == "ok")
            #expect(try client.answer().status == 500)
        } _: { request, _ in
            if request.target.path == "/100" { return Response(status: .continue) }
            let fields = Fields([
                ("X-A", "1"), ("Content-Length", "9"), ("Transfer-Encoding", "chunked"), ("Connection", "X-B"),
                ("X-B", "2"),
            ])
            return Response(fields: fields, body: .bytes(Array("ok".utf8)))
        }
    }

    @Test("a large answer arrives whole")
    func large() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/large") + get("/"))
            #expect(try client.answer().body.count == 5_000_000)
            #expect(try client.answer().text == "root")
        }
    }

    // MARK: Streams

    private static let streaming: @Sendable (Request, EventLoop) async throws(GatewayError) -> Response = {
        request, _ in
        let failure = GatewayError(source: .gateway, code: "x", status: .badGateway, detail: "broken")
        let length: Int? =
            switch request.target.path {
            case "/known": 6
            case "/short": 7
            case "/long": 5
            default: nil
            }
        let isBroken = request.target.path == "/broken"
        return Response(body: .stream(Pieces(["abc", "def"], length: length, failure: isBroken ? failure : nil)))
    }

    @Test("a stream is chunked, or has its length where it is known")
    func streams() async throws {
        try await RunningServer.serve(
            to: { client in
                try client.send(get("/") + get("/known") + get("/", method: "HEAD") + get("/"))
                let chunked = try client.answer()
                #expect(chunked["Transfer-Encoding"] == "chunked")
                #expect(chunked.text == "abcdef")
                let known = try client.answer()
                #expect(known["Content-Length"] == "6")
                #expect(known.text == "abcdef")
                #expect(try client.answer(isHead: true)["Transfer-Encoding"] == nil)
                #expect(try client.answer().text == "abcdef")
            }, Self.streaming)
    }

    @Test("a stream to HTTP/1.0 ends with the connection")
    func streamTo10() async throws {
        try await RunningServer.serve(
            to: { client in
                try client.send(get("/", "Connection: keep-alive\r\n", version: "1.0"))
                let answer = try client.answer()
                #expect(answer["Transfer-Encoding"] == nil)
                #expect(answer["Connection"] == "close")
                #expect(answer.text == "abcdef")
            }, Self.streaming)
    }

    @Test(
        "a stream that breaks, or misses its length, resets the connection", arguments: ["/broken", "/short", "/long"])
    func brokenStream(path: String) async throws {
        try await RunningServer.serve(
            to: { client in
                try client.send(get(path))
                #expect(throws: RawClient.Trouble.ended) { try client.answer() }
            }, Self.streaming)
    }

    @Test("a stream is pulled no faster than the client reads")
    func streamBackPressure() async throws {
        final class Endless: BodyStream, @unchecked Sendable {
            let pulled = Locked(0)
            let length: Int? = nil
            func next() async throws(GatewayError) -> [UInt8]? {
                await Task.yield()
                return pulled.withLock { count in
                    count += 1
                    return count > 2000 ? nil : [UInt8](repeating: 0x61, count: 10_000)
                }
            }
        }
        let stream = Endless()
        let running = try RunningServer { _, _ in Response(body: .stream(stream)) }
        defer { running.stop() }
        let size = try await running.onClient { client in
            try client.send(get("/"))
            // The kernel's buffers fill up, and then nothing more is pulled.
            var last = -1
            while last != stream.pulled.withLock({ $0 }) {
                last = stream.pulled.withLock { $0 }
                _ = client.waitForReset(milliseconds: 100)
            }
            #expect(last < 1500)
            return try client.answer().body.count
        }
        #expect(size == 20_000_000)
    }
}
