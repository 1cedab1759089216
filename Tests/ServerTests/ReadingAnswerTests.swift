internal import Glibc
internal import HTTP
internal import Loop
internal import Server
internal import Testing

@Suite("Answers that are sent while content is still coming") struct ReadingAnswerTests {
    /// Gives back each piece of content as it comes.
    private final class Echo: BodyStream, @unchecked Sendable {
        let length: Int? = nil
        private let content: any BodyStream
        init(_ content: any BodyStream) { self.content = content }
        func next() async throws(GatewayError) -> [UInt8]? { try await content.next() }
    }

    @Sendable private static func echo(
        _ request: Request, _ loop: EventLoop
    ) async throws(GatewayError) -> Response {
        guard case .stream(let content) = request.body else { return Response(body: request.body) }
        var response = Response(fields: Fields([(.contentType, "text/event-stream")]), body: .stream(Echo(content)))
        response.readsContent = true
        return response
    }

    private static func post(_ framing: String) -> String { "POST /echo HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n" }

    @Test(
        "each piece is answered before the next one is sent",
        arguments: ["Content-Length: 6", "Transfer-Encoding: chunked"])
    func pieces(framing: String) async throws {
        try await RunningServer.serve(
            to: { client in
                let isChunked = framing.hasPrefix("T")
                try client.send(Self.post(framing))
                for piece in ["ab", "cd", "ef"] {
                    try client.send(isChunked ? "2\r\n\(piece)\r\n" : piece)
                    if piece == "ab" {
                        let head = try client.head()
                        #expect(head.first == "HTTP/1.1 200 OK")
                        #expect(head.contains("Connection: close"))
                    }
                    #expect(try client.chunk() == piece)
                }
                if isChunked { try client.send("0\r\n\r\n") }
                #expect(try client.chunk() == "")
                #expect(try client.end() == .closed)
            }, Self.echo)
    }

    @Test("a client that waits is told to go on before the answer begins")
    func goOn() async throws {
        try await RunningServer.serve(
            to: { client in
                try client.send(Self.post("Expect: 100-continue\r\nContent-Length: 2"))
                #expect(try client.head() == ["HTTP/1.1 100 Continue"])
                #expect(try client.head().first == "HTTP/1.1 200 OK")
                try client.send("ab")
                #expect(try client.chunk() == "ab")
                #expect(try client.chunk() == "")
            }, Self.echo)
    }

    @Test("content that breaks off or breaks the framing resets the answer", arguments: [true, false])
    func broken(isCut: Bool) async throws {
        try await RunningServer.serve(
            to: { client in
                try client.send(Self.post("Transfer-Encoding: chunked") + "2\r\nab\r\n")
                _ = try client.head()
                #expect(try client.chunk() == "ab")
                if isCut { client.endSending() } else { try client.send("xyz\r\n") }
                #expect(try client.end() == .reset)
            }, Self.echo)
    }

    /// Says what the content has ended with, and ends well.
    private final class Teller: BodyStream, @unchecked Sendable {
        let length: Int? = nil
        private let content: any BodyStream
        private var isOver = false
        init(_ content: any BodyStream) { self.content = content }
        func next() async throws(GatewayError) -> [UInt8]? {
            if isOver { return nil }
            do throws(GatewayError) {
                if let piece = try await content.next() { return piece }
            } catch {
                isOver = true
                return Array(error.code.utf8)
            }
            return nil
        }
    }

    @Test(
        "an answer that tells what became of the content is sent to its end",
        arguments: [("", "request-timeout"), ("end", "incomplete-request"), ("xyz\r\n", "bad-chunk")])
    func told(fault: String, code: String) async throws {
        var limits = ServerLimits()
        if fault.isEmpty { limits.contentTime = .milliseconds(300) }
        try await RunningServer.serve(limits: limits) { client in
            try client.send(Self.post("Transfer-Encoding: chunked") + "2\r\nab\r\n")
            _ = try client.head()
            #expect(try client.chunk() == "ab")
            if fault == "end" { client.endSending() } else { try client.send(fault) }
            #expect(try client.chunk() == code)
            #expect(try client.chunk() == "")
            #expect(try client.end() == .closed)
        } _: { (request, _) async throws(GatewayError) -> Response in
            guard case .stream(let content) = request.body else { return Response(status: .noContent) }
            var response = Response(body: .stream(Teller(content)))
            response.readsContent = true
            return response
        }
    }

    @Test("content that is too large for its route is refused while it comes, and the answer outlives what follows")
    func cutOff() async throws {
        try await RunningServer.serve(
            to: { client in
                let size = 900_000
                try client.send(Self.post("Content-Length: \(size)"))
                // All of it before anything is read: far more than a connection otherwise takes after its last answer.
                for _ in 0..<9 { try client.send([UInt8](repeating: 0x61, count: size / 9)) }
                #expect(try client.answer().status == 413)
                #expect(try client.end() == .closed)
            },
            { request, _ throws(GatewayError) in throw .contentTooLarge(limit: 10) })
        try await RunningServer.serve(
            to: { client in
                try client.send(Self.post("Content-Length: 900000") + "a")
                #expect(try client.answer().status == 413)
            },
            { request, _ throws(GatewayError) in
                _ = request
                throw .contentTooLarge(limit: 10)
            })
    }

    @Test("a new limit of content counts for the connections that begin later")
    func limit() async throws {
        let running = try RunningServer(Self.echo)
        defer { running.stop() }
        try await running.onClient { client in
            try client.send(Self.post("Content-Length: 2") + "ab")
            #expect(try client.answer().status == 200)
        }
        await running.onLoop { $0.takeContent(upTo: 1) }
        try await running.onClient { client in
            try client.send(Self.post("Content-Length: 2") + "ab")
            #expect(try client.answer().status == 413)
        }
    }
}
