internal import HTTP
internal import Testing

@Suite("How an answer is written") struct AnswerPlanTests {
    private final class Unknown: BodyStream {
        var length: Int? { nil }
        func next() async throws(GatewayError) -> [UInt8]? { nil }
    }

    private static func client(isHead: Bool = false, isVersion10: Bool = false, keepsAlive: Bool = true)
        -> AnswerPlan.Client
    {
        AnswerPlan.Client(isHead: isHead, isVersion10: isVersion10, keepsAlive: keepsAlive)
    }

    private static func head(_ response: Response, _ client: AnswerPlan.Client, mustClose: Bool = false) -> String {
        var out: [UInt8] = []
        AnswerPlan(for: response, to: client, mustClose: mustClose).writeHead(
            response, date: bytes("Date: D\r\n"), to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    @Test("bytes have a length, also an answer without content")
    func lengths() {
        let text = Response(body: .bytes(bytes("hello")))
        #expect(Self.head(text, Self.client()) == "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\n")
        #expect(Self.head(Response(), Self.client()) == "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\n\r\n")
        #expect(AnswerPlan(for: text, to: Self.client()).content == .length(5))
    }

    @Test("HEAD has the length of GET and no content")
    func head() {
        let text = Response(body: .bytes(bytes("hello")))
        #expect(Self.head(text, Self.client(isHead: true)) == "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\n")
        #expect(AnswerPlan(for: text, to: Self.client(isHead: true)).content == .none)
        let bodiless = Response(fields: Fields([(.contentLength, "7")]))
        #expect(
            Self.head(bodiless, Self.client(isHead: true)) == "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 7\r\n\r\n")
    }

    @Test("204 and 304 have neither length nor content", arguments: [204, 304])
    func contentless(code: Int) throws {
        let response = Response(
            status: try #require(Status(code: code)), fields: Fields([(.contentLength, "7")]), body: .bytes(bytes("x")))
        #expect(!Self.head(response, Self.client()).contains("Content-Length"))
        #expect(AnswerPlan(for: response, to: Self.client()).content == .none)
        #expect(!AnswerPlan(for: response, to: Self.client()).closes)
    }

    @Test("a stream is chunked for HTTP/1.1 and ends with the connection for HTTP/1.0")
    func streams() {
        let response = Response(body: .stream(Unknown()))
        #expect(
            Self.head(response, Self.client()) == "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(
            Self.head(response, Self.client(isVersion10: true))
                == "HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\n\r\n")
        #expect(AnswerPlan(for: response, to: Self.client()).content == .chunks)
        #expect(AnswerPlan(for: response, to: Self.client(isVersion10: true)).content == .untilClose)
        #expect(AnswerPlan(for: response, to: Self.client(isHead: true, isVersion10: true)).closes == false)
    }

    @Test("closing is said, and keeping where HTTP/1.0 asked for it")
    func persistence() {
        let response = Response()
        #expect(Self.head(response, Self.client(keepsAlive: false)).hasSuffix("Connection: close\r\n\r\n"))
        #expect(Self.head(response, Self.client(), mustClose: true).hasSuffix("Connection: close\r\n\r\n"))
        #expect(Self.head(response, Self.client(isVersion10: true)).hasSuffix("Connection: keep-alive\r\n\r\n"))
        #expect(!Self.head(response, Self.client()).contains("Connection"))
    }

    @Test("an answer's own date is kept, and a status without a name is written")
    func details() throws {
        let response = Response(status: try #require(Status(code: 299)), fields: Fields([(.date, "then")]))
        #expect(Self.head(response, Self.client()) == "HTTP/1.1 299 \r\nDate: then\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("chunks have their size in hexadecimal, and an empty piece is none")
    func chunks() {
        var out: [UInt8] = []
        Chunk.write([], to: &out)
        Chunk.write([UInt8](repeating: 0x61, count: 26), to: &out)
        Chunk.writeEnd(to: &out)
        #expect(out == bytes("1a\r\n" + String(repeating: "a", count: 26) + "\r\n0\r\n\r\n"))
    }

    @Test("numbers are written in decimal", arguments: [0, 7, 10, 4096, Int.max])
    func decimals(number: Int) {
        var out: [UInt8] = []
        out.append(decimal: number)
        #expect(String(decoding: out, as: UTF8.self) == String(number))
    }

    @Test("a token is letters, digits and fifteen signs")
    func tokens() {
        let expected = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        #expect(Set((0...255).filter { Token.contains($0) }) == expected)
    }
}
