internal import Testing

/// Requests that have to be refused, with the status each is owed, and sound ones. One character is one byte.
enum ParserCorpus {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var status: Int
        var text: String
        var testDescription: String { name }
    }

    private static let host = "Host: a.test\r\n"
    private static let chunked = "Transfer-Encoding: chunked\r\n"

    private static func line(_ name: String, _ status: Int, _ line: String) -> Case {
        Case(name: name, status: status, text: line + "\r\n" + host + "\r\n")
    }

    private static func field(_ name: String, _ status: Int, _ lines: String) -> Case {
        Case(name: name, status: status, text: "GET / HTTP/1.1\r\n" + host + lines + "\r\n")
    }

    private static func hosts(_ name: String, _ lines: String) -> Case {
        Case(name: name, status: 400, text: "GET / HTTP/1.1\r\n" + lines + "\r\n")
    }

    private static func framing(_ name: String, _ status: Int, _ lines: String, _ body: String = "hello") -> Case {
        Case(name: name, status: status, text: "POST / HTTP/1.1\r\n" + host + lines + "\r\n" + body)
    }

    private static func chunks(_ name: String, _ status: Int, _ body: String) -> Case {
        framing(name, status, chunked, body)
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    static let requestLines: [Case] = [
        line("no target", 400, "GET HTTP/1.1"), line("no version", 400, "GET /"),
        line("nothing but a method", 400, "GET"),
        line("two blanks", 400, "GET  / HTTP/1.1"), line("two blanks before the version", 400, "GET /  HTTP/1.1"),
        line("a blank at the end", 400, "GET / HTTP/1.1 "), line("a blank first", 400, " GET / HTTP/1.1"),
        line("a blank in the target", 400, "GET /a b HTTP/1.1"), line("tabs between", 400, "GET\t/\tHTTP/1.1"),
        line("a tab in the target", 400, "GET /a\tb HTTP/1.1"), line("NUL in the target", 400, "GET /\0 HTTP/1.1"),
        line("a control byte in the target", 400, "GET /\u{1} HTTP/1.1"),
        line("DEL in the target", 400, "GET /\u{7F} HTTP/1.1"),
        line("8-bit in the target", 400, "GET /\u{E9} HTTP/1.1"), line("a fragment", 400, "GET /#a HTTP/1.1"),
        line("a bare percent", 400, "GET /% HTTP/1.1"), line("half an escape", 400, "GET /%4 HTTP/1.1"),
        line("an escape with no hex", 400, "GET /%g0 HTTP/1.1"),
        line("an escape cut by the query's end", 400, "GET /?a=%2 HTTP/1.1"),
        line("a method with a brace", 400, "G{T / HTTP/1.1"), line("a method with a colon", 400, "GET: / HTTP/1.1"),
        line("a method in lower case", 501, "get / HTTP/1.1"), line("TRACE", 501, "TRACE / HTTP/1.1"),
        line("CONNECT", 501, "CONNECT a.test:443 HTTP/1.1"), line("an unknown method", 501, "BREW /pot HTTP/1.1"),
        line("the end of HTTP/2's preface", 505, "PRI * HTTP/2.0"),
        line("version in lower case", 400, "GET / http/1.1"), line("version with a plus", 400, "GET / HTTP/+1.1"),
        line("version with a minus", 400, "GET / HTTP/-1.1"), line("version with junk", 400, "GET / HTTP/1.1x"),
        line("version 1.10", 400, "GET / HTTP/1.10"), line("version 01.1", 400, "GET / HTTP/01.1"),
        line("a huge major version", 400, "GET / HTTP/4294967297.1"), line("no minor version", 400, "GET / HTTP/1"),
        line("another protocol", 400, "GET / ICAP/1.1"), line("version 0.9", 505, "GET / HTTP/0.9"),
        line("version 2.0", 505, "GET / HTTP/2.0"), line("version 3.1", 505, "GET / HTTP/3.1"),
        line("asterisk without OPTIONS", 400, "GET * HTTP/1.1"), line("authority form", 400, "GET a.test:80 HTTP/1.1"),
        line("a relative target", 400, "GET index HTTP/1.1"),
        line("user information", 400, "GET http://a:b@a.test/ HTTP/1.1"),
        line("another scheme", 400, "GET file:///etc/passwd HTTP/1.1"),
        line("no authority", 400, "GET http:///a HTTP/1.1"),
        line("another server", 421, "GET http://b.test/ HTTP/1.1"),
        line("another port", 421, "GET http://a.test:81/ HTTP/1.1"),
        line("a bad port", 400, "GET http://a.test:x/ HTTP/1.1"),
        Case(name: "bare CR as line end", status: 400, text: "GET / HTTP/1.1\rHost: a.test\r\r"),
        Case(name: "bare LF as line end", status: 400, text: "GET / HTTP/1.1\nHost: a.test\r\n\r\n"),
        Case(name: "bare LF first", status: 400, text: "\nGET / HTTP/1.1\r\n" + host + "\r\n"),
        Case(name: "a TLS hello", status: 400, text: "\u{16}\u{3}\u{1}\0\u{C8}\u{1}\0\0\u{C4}\u{3}\u{3}"),
        Case(name: "an SSH banner", status: 400, text: "SSH-2.0-OpenSSH_9.2\r\n"),
        Case(name: "HTTP/0.9", status: 400, text: "GET /\r\n"),
        Case(name: "empty lines without end", status: 400, text: repeated("\r\n", 200)),
        Case(name: "a long target", status: 414, text: "GET /" + repeated("a", 9000) + " HTTP/1.1\r\n" + host + "\r\n"),
        Case(name: "a target that never ends", status: 414, text: "GET /" + repeated("a", 200_000)),
        Case(name: "a method that never ends", status: 414, text: repeated("A", 10_000)),
    ]

    static let hostLines: [Case] = [
        hosts("Host missing", ""), hosts("Host twice, different", "Host: a.test\r\nHost: b.test\r\n"),
        hosts("Host twice, same", "Host: a.test\r\nHost: a.test\r\n"),
        hosts("Host twice, other case", "Host: a.test\r\nhOST: b.test\r\n"), hosts("Host empty", "Host:\r\n"),
        hosts("Host with a blank", "Host: a.test b.test\r\n"), hosts("Host with a comma", "Host: a.test, b.test\r\n"),
        hosts("Host with a slash", "Host: a.test/b\r\n"), hosts("Host with user information", "Host: a@a.test\r\n"),
        hosts("Host with a control byte", "Host: a\u{1}.test\r\n"), hosts("Host with a tab", "Host: a\t.test\r\n"),
        hosts("Host folded", "Host:\r\n a.test\r\n"), hosts("Host with a word as port", "Host: a.test:80a\r\n"),
        hosts("Host with a negative port", "Host: a.test:-1\r\n"),
        hosts("Host with a big port", "Host: a.test:65536\r\n"),
        hosts("Host with two ports", "Host: a.test:1:2\r\n"), hosts("Host with 8-bit", "Host: \u{E9}.test\r\n"),
        hosts("Host with a question mark", "Host: a.test?b\r\n"),
        hosts("Host with a number sign", "Host: a.test#b\r\n"),
        hosts("Host with a backslash", "Host: a.test\\b\r\n"), hosts("Host with a semicolon", "Host: a.test;b\r\n"),
        hosts("a literal that doesn't end", "Host: [::1\r\n"), hosts("a literal with junk behind", "Host: [::1]x\r\n"),
        hosts("a literal with a zone", "Host: [fe80::1%25eth0]\r\n"), hosts("an empty literal", "Host: []\r\n"),
        hosts("blank before the colon", "Host : a.test\r\n"),
    ]

    static let fieldLines: [Case] = [
        field("blank before the colon", 400, "X-A : b\r\n"), field("tab before the colon", 400, "X-A\t: b\r\n"),
        field("empty name", 400, ": b\r\n"), field("no colon", 400, "garbage\r\n"),
        field("a blank in the name", 400, "X A: b\r\n"),
        field("NUL in the name", 400, "X\0A: b\r\n"), field("a control byte in the name", 400, "X\u{1}A: b\r\n"),
        field("a parenthesis in the name", 400, "X(A: b\r\n"), field("8-bit in the name", 400, "X\u{FF}A: b\r\n"),
        field("NUL in the value", 400, "X-A: a\0b\r\n"), field("ESC in the value", 400, "X-A: a\u{1B}b\r\n"),
        field("DEL in the value", 400, "X-A: a\u{7F}b\r\n"), field("VT in the value", 400, "X-A: a\u{B}b\r\n"),
        field("bare CR in the value", 400, "X-A: a\rb\r\n"), field("CR and a blank", 400, "X-A: a\r b\r\n"),
        field("CR twice", 400, "X-A: a\r\r\nX-B: b\r\n"), field("bare LF", 400, "X-A: a\nX-B: b\r\n"),
        field("bare LF before the end", 400, "X-A: a\r\n\n"), field("a folded value", 400, "X-A: a\r\n b\r\n"),
        field("a value folded by a tab", 400, "X-A: a\r\n\tb\r\n"), field("a line of blanks", 400, "X-A: a\r\n \r\n"),
        Case(
            name: "a blank before the first field", status: 400, text: "GET / HTTP/1.1\r\n X-A: b\r\n" + host + "\r\n"),
        field("101 lines", 431, repeated("X-A: b\r\n", 100)),
        field("lines without end", 431, repeated("X-A: b\r\n", 30_000)),
        field("a long value", 431, "X-A: " + repeated("a", 33_000) + "\r\n"),
        field("much in all", 431, repeated("X-A: " + repeated("a", 1000) + "\r\n", 40)),
        field("a name without end", 431, repeated("a", 40_000)),
        field("an unknown expectation", 417, "Expect: teapot\r\n"),
        field("an expectation beside a known one", 417, "Expect: 100-continue, teapot\r\n"),
    ]

    static let lengths: [Case] = [
        framing("length twice, different", 400, "Content-Length: 5\r\nContent-Length: 6\r\n"),
        framing("length twice, same", 400, "Content-Length: 5\r\nContent-Length: 5\r\n"),
        framing("length twice, other case", 400, "Content-Length: 5\r\ncontent-length: 6\r\n"),
        framing("length list", 400, "Content-Length: 5, 6\r\n"),
        framing("length list, same", 400, "Content-Length: 5, 5\r\n"),
        framing("length with a comma", 400, "Content-Length: 5,\r\n"),
        framing("length empty", 400, "Content-Length:\r\n"),
        framing("length with a plus", 400, "Content-Length: +5\r\n"),
        framing("length below zero", 400, "Content-Length: -5\r\n"),
        framing("length minus zero", 400, "Content-Length: -0\r\n"),
        framing("length in hex", 400, "Content-Length: 0x5\r\n"),
        framing("length with a fraction", 400, "Content-Length: 5.0\r\n"),
        framing("length with a blank", 400, "Content-Length: 5 5\r\n"),
        framing("length with an underscore", 400, "Content-Length: 1_0\r\n"),
        framing("length quoted", 400, "Content-Length: \"5\"\r\n"),
        framing("length behind VT", 400, "Content-Length: \u{B}5\r\n"),
        framing("length with NUL", 400, "Content-Length: 5\0\r\n"),
        framing("length behind 0xA0", 400, "Content-Length: \u{A0}5\r\n"),
        framing("length in other digits", 400, "Content-Length: \u{B2}\r\n"),
        framing("length over 64 bits", 400, "Content-Length: 18446744073709551621\r\n"),
        framing("length just over 63 bits", 400, "Content-Length: 9223372036854775808\r\n"),
        framing("length with a thousand zeros", 400, "Content-Length: " + repeated("0", 1000) + "5\r\n"),
        framing("length of 63 bits", 413, "Content-Length: 9223372036854775807\r\n"),
        framing("length over the limit", 413, "Content-Length: 1048577\r\n"),
        framing("length over the limit, with Expect", 413, "Expect: 100-continue\r\nContent-Length: 1048577\r\n"),
        framing("length with a blank before the colon", 400, "Content-Length : 5\r\n"),
        framing("length folded", 400, "Content-Length:\r\n 5\r\n"),
        framing("a fold that hides a second length", 400, "Content-Length: 5\r\n Content-Length: 0\r\n"),
    ]

    static let codings: [Case] = [
        framing("coding and length", 400, chunked + "Content-Length: 5\r\n"),
        framing("length and coding", 400, "Content-Length: 5\r\n" + chunked),
        framing("coding list and length", 400, "Transfer-Encoding: gzip, chunked\r\nContent-Length: 5\r\n"),
        framing("chunked twice", 400, chunked + chunked),
        framing("chunked twice in a list", 400, "Transfer-Encoding: chunked, chunked\r\n"),
        framing("identity and chunked", 400, "Transfer-Encoding: identity\r\n" + chunked),
        framing("chunked and identity", 400, chunked + "Transfer-Encoding: identity\r\n"),
        framing("identity", 400, "Transfer-Encoding: identity\r\n"),
        framing("gzip alone", 400, "Transfer-Encoding: gzip\r\n"),
        framing("gzip and chunked", 501, "Transfer-Encoding: gzip, chunked\r\n"),
        framing("chunked and gzip", 400, "Transfer-Encoding: chunked, gzip\r\n"),
        framing("empty coding", 400, "Transfer-Encoding:\r\n"),
        framing("xchunked", 400, "Transfer-Encoding: xchunked\r\n"),
        framing("chunked quoted", 400, "Transfer-Encoding: \"chunked\"\r\n"),
        framing("chunked with a parameter", 400, "Transfer-Encoding: chunked;q=1\r\n"),
        framing("chunked with a comma", 400, "Transfer-Encoding: chunked,\r\n"),
        framing("chunked behind a comma", 400, "Transfer-Encoding: ,chunked\r\n"),
        framing("chunked behind VT", 400, "Transfer-Encoding: \u{B}chunked\r\n"),
        framing("chunked with NUL", 400, "Transfer-Encoding: chunked\0\r\n"),
        framing("chunked before 0xA0", 400, "Transfer-Encoding: chunked\u{A0}\r\n"),
        framing("blank before the colon", 400, "Transfer-Encoding : chunked\r\n"),
        framing("coding folded", 400, "Transfer-Encoding:\r\n chunked\r\n"),
        framing("coding behind a bare LF", 400, "X-A: b\nTransfer-Encoding: chunked\r\n"),
        framing("coding behind a bare CR", 400, "X-A: b\rTransfer-Encoding: chunked\r\n"),
        Case(name: "chunked in HTTP/1.0", status: 400, text: "POST / HTTP/1.0\r\n" + host + chunked + "\r\n0\r\n\r\n"),
    ]

    static let chunkFraming: [Case] = [
        chunks("size with a plus", 400, "+5\r\nhello\r\n"), chunks("size below zero", 400, "-5\r\nhello\r\n"),
        chunks("minus zero", 400, "-0\r\n\r\n"), chunks("0x5", 400, "0x5\r\nhello\r\n"),
        chunks("0X5", 400, "0X5\r\nhello\r\n"),
        chunks("blank before the size", 400, " 5\r\nhello\r\n"), chunks("tab before the size", 400, "\t5\r\nhello\r\n"),
        chunks("VT before the size", 400, "\u{B}5\r\nhello\r\n"),
        chunks("blank after the size", 400, "5 \r\nhello\r\n"),
        chunks("a word after the size", 400, "5 foo\r\nhello\r\n"), chunks("size with NUL", 400, "5\0\r\nhello\r\n"),
        chunks("no size", 400, "\r\nhello\r\n"), chunks("no size, an extension", 400, ";a\r\nhello\r\n"),
        chunks("empty lines before a size", 400, "\r\n\r\n5\r\nhello\r\n"),
        chunks("size with g", 400, "5g\r\nhello\r\n"),
        chunks("size with an underscore", 400, "0_5\r\nhello\r\n"), chunks("size with a dot", 400, "5.0\r\nhello\r\n"),
        chunks("size of 64 bits", 400, "ffffffffffffffff\r\nhello\r\n"),
        chunks("size just over 63 bits", 400, "8000000000000000\r\n"),
        chunks("size of 63 bits", 413, "7fffffffffffffff\r\nhello\r\n"),
        chunks("17 digits", 400, "00000000000000005\r\nhello\r\n"),
        chunks("a thousand zeros", 400, repeated("0", 1000) + "5\r\nhello\r\n"),
        chunks("zeros without end", 400, repeated("0", 100_000)),
        chunks("size over the limit", 413, "100001\r\n"), chunks("bare LF after the size", 400, "5\nhello\r\n"),
        chunks("bare CR after the size", 400, "5\rhello\r\n"),
        chunks("bare LF after the content", 400, "5\r\nhello\n0\r\n\r\n"),
        chunks("bare CR after the content", 400, "5\r\nhello\r0\r\n\r\n"),
        chunks("nothing after the content", 400, "5\r\nhello0\r\n\r\n"),
        chunks("content too long", 400, "5\r\nhello!\r\n0\r\n\r\n"),
        chunks("bare LF after the last size", 400, "5\r\nhello\r\n0\n\r\n"),
        chunks("bare LF at the end", 400, "5\r\nhello\r\n0\r\n\n"),
        chunks("bare CR at the end", 400, "5\r\nhello\r\n0\r\n\rG"),
        chunks("LF in an extension", 400, "5;a\nb\r\nhello\r\n"),
        chunks("NUL in an extension", 400, "5;a\0b\r\nhello\r\n"),
        chunks("CR in an extension", 400, "5;a\rb\r\nhello\r\n"),
        chunks("a long extension", 413, "5;" + repeated("a", 300) + "\r\nhello\r\n"),
        chunks("an extension without end", 413, "5;" + repeated("a", 100_000)),
        chunks("blanks without end", 413, "5" + repeated(" ", 100_000)),
        chunks("many extensions", 413, repeated("1;" + repeated("a", 200) + "\r\nx\r\n", 30) + "0\r\n\r\n"),
        chunks("a trailer without a colon", 400, "0\r\ngarbage\r\n\r\n"),
        chunks("a trailer with a blank", 400, "0\r\nX-A : b\r\n\r\n"),
        chunks("a folded trailer", 400, "0\r\nX-A: b\r\n c\r\n\r\n"),
        chunks("a trailer with NUL", 400, "0\r\nX-A: \0\r\n\r\n"),
        chunks("a trailer with a bare LF", 400, "0\r\nX-A: b\nX-B: c\r\n\r\n"),
        chunks("a trailer with an empty name", 400, "0\r\n: b\r\n\r\n"),
        chunks("a long trailer", 431, "0\r\nX-A: " + repeated("a", 9000) + "\r\n\r\n"),
        chunks("many trailers", 431, "0\r\n" + repeated("X-A: b\r\n", 1000) + "\r\n"),
    ]

    static let refused = requestLines + hostLines + fieldLines + lengths + codings + chunkFraming

    /// Sound input; each case's status is how many complete requests it holds.
    static let sound: [Case] = [
        Case(name: "a GET", status: 1, text: "GET /a?b=c HTTP/1.1\r\n" + host + "\r\n"),
        Case(name: "an empty line first", status: 1, text: "\r\nGET / HTTP/1.1\r\n" + host + "\r\n"),
        Case(name: "three in a row", status: 3, text: repeated("GET / HTTP/1.1\r\n" + host + "\r\n", 3)),
        Case(
            name: "a body and a request", status: 2,
            text: "POST / HTTP/1.1\r\n" + host + "Content-Length: \t 5 \t\r\n\r\nhelloGET / HTTP/1.1\r\n" + host
                + "\r\n"),
        Case(
            name: "chunks and a request", status: 2,
            text: "POST / HTTP/1.1\r\n" + host
                + "Transfer-Encoding:\tcHuNkEd\r\n\r\n0005;a=\"b;c\"\r\nhello\r\n1 ;x\r\n!\r\n00\r\nX-T: 1\r\nContent-Length: 50\r\n\r\nGET / HTTP/1.1\r\n"
                + host + "\r\n"),
        Case(
            name: "a body that looks like a request", status: 1,
            text: "POST / HTTP/1.1\r\n" + host + "Content-Length: 18\r\n\r\nGET /x HTTP/1.1\r\n\r"),
        Case(name: "HTTP/1.0 without Host", status: 1, text: "GET / HTTP/1.0\r\n\r\n"),
        Case(name: "HTTP/1.7", status: 1, text: "GET / HTTP/1.7\r\n" + host + "\r\n"),
        Case(name: "OPTIONS *", status: 1, text: "OPTIONS * HTTP/1.1\r\n" + host + "\r\n"),
        Case(name: "the absolute form", status: 1, text: "GET HTTP://A.test:80?q HTTP/1.1\r\n" + host + "\r\n"),
        Case(name: "an IPv6 literal", status: 1, text: "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
        Case(name: "100 lines", status: 1, text: "GET / HTTP/1.1\r\n" + host + repeated("X-A: b\r\n", 99) + "\r\n"),
        Case(name: "Latin-1 in a value", status: 1, text: "GET / HTTP/1.1\r\n" + host + "X-A: caf\u{E9}\r\n\r\n"),
        Case(
            name: "a length of zeros", status: 1,
            text: "POST / HTTP/1.1\r\n" + host + "Content-Length: 0000000000000000000\r\n\r\n"),
        Case(
            name: "hop-by-hop fields", status: 1,
            text: "GET / HTTP/1.1\r\n" + host
                + "X-A: 1\r\nConnection: X-A, close\r\nTE: trailers\r\nX-B: 2\r\nUpgrade: h2c\r\nKeep-Alive: 5\r\nX-C:\r\n\r\n"
        ),
        Case(name: "an incomplete head", status: 0, text: "GET / HTTP/1.1\r\nHos"),
        Case(
            name: "an incomplete body", status: 0,
            text: "POST / HTTP/1.1\r\n" + host + "Content-Length: 10\r\n\r\nhello"),
    ]
}
