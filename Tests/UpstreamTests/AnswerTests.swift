import CZlib
import HTTP
import Testing

@testable import Upstream

/// Feeds a head to the reader line by line; throws what it throws.
private func read(_ text: String, conditional: Bool = false, form: AnswerForm = .decoded) throws -> AnswerHead {
    var head = AnswerHead(mayBeNotModified: conditional, form: form)
    var line: [UInt8] = []
    for byte in text.utf8 {
        line.append(byte)
        guard byte == 0x0A else { continue }
        try line.withUnsafeBufferPointer { buffer throws(HeadFault) in try head.take(buffer) }
        line = []
    }
    return head
}

@Suite("The head of an answer")
struct AnswerHeadTests {
    private static let ok = "HTTP/1.1 200 OK\r\n"

    @Test("for a mirror any status and coding is taken as it comes, and nothing is refused less than else")
    func verbatim() throws {
        let head = try read(
            fine(206) + "Content-Encoding: gzip, br\r\nContent-Encoding: x-own\r\n\r\n", form: .verbatim)
        #expect(head.status?.code == 206 && head.coding == .identity)
        #expect(head.fields.values(.contentEncoding) == ["gzip, br", "x-own"])
        #expect(try read(fine(304) + "\r\n", form: .verbatim).status == .notModified)
        for wrong in [
            "HTTP/1.1 101 Over\r\n\r\n", fine(200) + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            fine(200) + "X A: b\r\n\r\n",
        ] {
            #expect(throws: HeadFault.self) { try read(wrong, form: .verbatim) }
        }
    }

    private func fine(_ code: Int) -> String { "HTTP/1.1 \(code) Fine\r\n" }

    @Test(
        "is refused where it could be understood in two ways",
        arguments: [
            ok + "Content-Length: 11\r\nContent-Length: 5\r\n\r\n",
            ok + "Content-Length: 5\r\ncontent-length: 5\r\n\r\n",
            ok + "Content-Length: 5, 5\r\n\r\n", ok + "Content-Length: +5\r\n\r\n", ok + "Content-Length: -5\r\n\r\n",
            ok + "Content-Length: \r\n\r\n", ok + "Content-Length: 0x5\r\n\r\n",
            ok + "Content-Length: 99999999999999999999\r\n\r\n", ok + "Content-Length : 5\r\n\r\n",
            ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            ok + "Transfer-Encoding: chonked\r\n\r\n", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            ok + "Transfer-Encoding: identity\r\n\r\n", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            ok + "Content-Encoding: snappy\r\n\r\n", ok + "Content-Encoding: gzip, gzip\r\n\r\n",
            ok + "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n", ok + "X-A: a\rb\r\n\r\n",
            ok + "X-A: a\u{0}b\r\n\r\n", ok + "X-A: a\u{1B}b\r\n\r\n", ok + "X-A: a\u{7F}b\r\n\r\n",
            ok + "X-A: a\n\r\n",
            ok + "X A: b\r\n\r\n", ok + ": b\r\n\r\n", ok + "nocolon\r\n\r\n", ok + " folded: first\r\n\r\n",
            ok + "Content-Length: 1\r\n 1\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1 600 OK\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
            "HTTP/2 200 \r\n\r\n", "http/1.1 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n",
            "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n" + ok + "\r\n",
        ])
    func refused(text: String) {
        #expect(throws: HeadFault.self) { try read(text) }
    }

    @Test("is refused where it has no end")
    func limits() {
        let lines = Self.ok + String(repeating: "X-A: b\r\n", count: 101) + "\r\n"
        let line = Self.ok + "X-A: " + String(repeating: "a", count: 40_000) + "\r\n\r\n"
        let interims = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 9) + Self.ok + "\r\n"
        for text in [lines, line, interims] { #expect(throws: HeadFault.self) { try read(text) } }
    }

    @Test("is read past interim answers")
    func interim() throws {
        let head = try read("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + Self.ok + "X-A: b\r\n\r\n")
        #expect(head.isComplete && head.status == .ok)
        #expect(head.fields["X-A"] == "b" && !head.fields.contains(.link))
    }

    @Test("keeps what is meant for whoever asked, byte for byte")
    func endToEnd() throws {
        let head = try read(
            Self.ok
                + "ETag:\"x\" \r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\nTE: x\r\n"
                + "Trailer: x\r\nProxy-Authenticate: x\r\nContent-Encoding: GZIP\r\nContent-Length: 12\r\nX-E: 1\r\n"
                + "X-Name: caf\u{E9}\r\nX-Empty:\r\n\r\n")
        #expect(
            String(decoding: head.fields.wire, as: UTF8.self)
                == "ETag: \"x\"\r\nX-E: 1\r\nX-Name: caf\u{E9}\r\nX-Empty: \r\n")
        #expect(head.coding == .gzip && head.length == 12 && !head.isChunked && !head.mustClose)
    }

    @Test("joins a folded field on one line")
    func fold() throws {
        let head = try read(Self.ok + "X-A: caf\u{E9}\r\n\t Set-Cookie: evil=1 \r\nX-B: c\r\n\r\n")
        #expect(
            String(decoding: head.fields.wire, as: UTF8.self) == "X-A: caf\u{E9} Set-Cookie: evil=1\r\nX-B: c\r\n")
    }

    @Test("may say 304 where the request asked for it")
    func notModified() throws {
        #expect(try read("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", conditional: true).isComplete)
    }

    @Test(
        "closes the connection where it announces content that can't be",
        arguments: [
            ("HTTP/1.1 204 No Content\r\nContent-Length: 11\r\n\r\n", true),
            ("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", true),
            ("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", false), ("HTTP/1.1 204 No Content\r\n\r\n", false),
        ])
    func mustClose(text: String, mustClose: Bool) throws { #expect(try read(text).mustClose == mustClose) }
}

/// Takes `bytes` in pieces of at most `size`, and gives back what comes out.
private func unchunk(_ bytes: [UInt8], size: Int) throws -> String? {
    var reader = ChunkReader()
    var out: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
        try Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBufferPointer { buffer throws(Fault) in
            try reader.take(buffer) { out.append(contentsOf: $0) }
        }
    }
    return reader.isFinished ? String(decoding: out, as: UTF8.self) : nil
}

@Suite("Chunks")
struct ChunkTests {
    @Test("are taken off however they are cut", arguments: 1...40)
    func pieces(size: Int) throws {
        let text = "5;x=\"y\"\r\nhello\r\n0007 \r\n, world\r\n00\r\nX-T: 1\r\nX-U: 2\r\n\r\n"
        #expect(try unchunk(Array(text.utf8), size: size) == "hello, world")
    }

    @Test(
        "are refused where they are malformed",
        arguments: [
            "5\nhello\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "zz\r\n", "\r\n", "-5\r\n",
            "+5\r\n", "0x5\r\nhello",
            "fffffffffffffffff\r\n", "ffffffffffffffff\r\n", "00000000000000005\r\n", "5;\u{0}\r\n", "5;a\nb\r\n",
            " 5\r\n",
            "0\r\nX-T: \u{0}\r\n\r\n", "0\r\n\r\nHTTP/1.1 200 OK\r\n", "0\r\n\n",
        ])
    func malformed(text: String) {
        #expect(throws: Fault.self) { try unchunk(Array(text.utf8), size: 1000) }
    }

    @Test("are refused where an extension or a trailer has no end")
    func limits() {
        let texts = ["5;" + String(repeating: "x", count: 300), "0\r\n" + String(repeating: "X-T: 1\r\n", count: 2000)]
        for text in texts { #expect(throws: Fault.self) { try unchunk(Array(text.utf8), size: 1000) } }
    }

    @Test(
        "are not complete before the last one", arguments: ["5\r\nhello\r\n", "0\r\n", "5\r\nhel", "0\r\nX: y\r\n", ""])
    func incomplete(text: String) throws { #expect(try unchunk(Array(text.utf8), size: 3) == nil) }
}

/// `bytes` as one gzip member.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    precondition(czlib_deflate_gzip(&stream, 9) == Z_OK)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
    let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
            return output.count - Int(stream.avail_out)
        }
    }
    return Array(output.prefix(count))
}

private func decode(
    _ bytes: [UInt8], _ lines: String, limit: Int = 8 << 20, budget: Budget? = nil, size: Int = 1 << 14
) throws -> [UInt8] {
    let head = try read("HTTP/1.1 200 OK\r\n" + lines + "\r\n")
    let inflater = head.coding == .gzip ? Inflater() : nil
    var content = AnswerContent(head: head, limit: limit, budget: budget, inflater: inflater)
    for start in stride(from: 0, to: bytes.count, by: size) {
        try Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBufferPointer { buffer throws(Fault) in
            try content.take(buffer)
        }
    }
    try content.finish()
    return content.bytes
}

@Suite("The content of an answer")
struct AnswerContentTests {
    private static let json = Array("{\"ok\":true}".utf8)
    private static let coded = "Content-Encoding: gzip\r\n"

    @Test("is decoded however it is cut", arguments: [1, 2, 3, 7, 100])
    func decoded(size: Int) throws {
        #expect(try decode(gzip(Self.json), Self.coded, size: size) == Self.json)
        let chunked =
            gzip(Self.json).flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) } + Array("0\r\n\r\n".utf8)
        #expect(try decode(chunked, Self.coded + "Transfer-Encoding: chunked\r\n", size: size) == Self.json)
    }

    @Test("may be as large as the limit, and no larger")
    func limit() throws {
        let large = (0..<100_000).map { _ in UInt8.random(in: 0...255) }
        #expect(try decode(gzip(large), Self.coded, limit: 100_000) == large)
        #expect(throws: Fault.self) { try decode(gzip(large), Self.coded, limit: 99_999) }
        #expect(try decode(large, "", limit: 100_000) == large)
        #expect(throws: Fault.self) { try decode(large, "", limit: 99_999) }
    }

    @Test("is refused where gzip is cut short, at every point")
    func cut() {
        let whole = gzip(Self.json)
        for count in 1..<whole.count {
            #expect(throws: Fault.self) { try decode(Array(whole.prefix(count)), Self.coded) }
        }
    }

    @Test("is refused where gzip is corrupt or something follows it")
    func corrupt() {
        let whole = gzip(Self.json)
        for index in [0, 1, 2, whole.count / 2, whole.count - 8, whole.count - 1] {
            var bytes = whole
            bytes[index] ^= 0xFF
            #expect(throws: Fault.self) { try decode(bytes, Self.coded) }
        }
        #expect(throws: Fault.self) { try decode(whole + [0], Self.coded) }
        #expect(throws: Fault.self) { try decode(whole + whole + [0], Self.coded) }
        #expect(throws: Fault.self) { try decode(whole + [0x1F], Self.coded) }
        #expect(throws: Fault.self) { try decode(whole + Self.json, Self.coded) }
        #expect(throws: Fault.self) { try decode(Self.json, Self.coded) }
    }

    @Test("may be several gzip members, one after the other, however they are cut", arguments: [1, 2, 3, 7, 31, 1000])
    func members(size: Int) throws {
        let whole = gzip(Array("{\"a\":1,".utf8)) + gzip([]) + gzip(Array("\"b\":2}".utf8))
        #expect(String(decoding: try decode(whole, Self.coded, size: size), as: UTF8.self) == "{\"a\":1,\"b\":2}")
        #expect(
            try decode(gzip(Self.json) + gzip(Self.json), Self.coded, limit: 22, size: size) == Self.json + Self.json)
        #expect(throws: Fault.self) {
            try decode(gzip(Self.json) + gzip(Self.json), Self.coded, limit: 21, size: size)
        }
        for count in gzip(Self.json).count + 1..<2 * gzip(Self.json).count {
            let cut = Array((gzip(Self.json) + gzip(Self.json)).prefix(count))
            #expect(throws: Fault.self) { try decode(cut, Self.coded, size: size) }
        }
    }

    @Test("is refused where empty members go on and on")
    func endlessMembers() throws {
        let member = gzip([])
        func members(_ bytes: Int) -> [UInt8] { (0..<bytes / member.count).flatMap { _ in member } }
        #expect(try decode(members(64 * 1024 + 1000), Self.coded, limit: 1000) == [])
        #expect(throws: Fault.self) { try decode(members(64 * 1024 + 1100), Self.coded, limit: 1000) }
    }

    @Test("is refused where it grows more than a hundred times")
    func bomb() {
        #expect(throws: Fault.self) { try decode(gzip([UInt8](repeating: 0x20, count: 1 << 20)), Self.coded) }
    }

    @Test("may be empty although it is coded, where its length says so")
    func empty() throws {
        #expect(try decode([], Self.coded + "Content-Length: 0\r\n") == [])
        #expect(throws: Fault.self) { try decode([], Self.coded) }
    }

    @Test("is taken from the client's budget")
    func budget() throws {
        let budget = Budget(deadline: .now + .seconds(1), calls: 1, bytes: 12)
        _ = try decode(Self.json, "", budget: budget)
        #expect(throws: Fault.self) { try decode(Self.json, "", budget: budget) }
    }
}
