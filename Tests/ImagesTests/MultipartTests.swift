import HTTP
import Testing

@testable import Images

@Suite("Forms with parts")
struct MultipartTests {
    private static func reader(_ boundary: String = "XyZ") -> MultipartReader? {
        Boundary(contentType: "multipart/form-data; boundary=\(boundary)").map(MultipartReader.init)
    }

    private func read(_ text: String) throws -> [UploadEvent] {
        try events(#require(MultipartTests.reader()), [Array(text.utf8)])
    }

    private static func part(_ head: String, _ content: String) -> String { "--XyZ\r\n\(head)\r\n\r\n\(content)\r\n" }
    private static let image = part("Content-Disposition: form-data; name=\"image\"; filename=\"a.png\"", "bytes")
    private static let end = "--XyZ--\r\n"

    @Test(
        "boundaries are taken by the rules of RFC 2046",
        arguments: [
            ("multipart/form-data; boundary=abc", "abc"), ("Multipart/Form-Data;boundary=\"a b\"", "a b"),
            ("multipart/form-data; charset=utf-8; boundary=a-b_c", "a-b_c"),
            (
                "multipart/form-data; boundary=\"" + String(repeating: "x", count: 70) + "\"",
                String(repeating: "x", count: 70)
            ),
            ("multipart/form-data; boundary=a;", "a"),
        ])
    func boundary(_ type: String, _ boundary: String) {
        #expect(Boundary(contentType: type)?.bytes == Array(boundary.utf8))
    }

    @Test(
        "what is no boundary is refused",
        arguments: [
            "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
            "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=\"a\\\r\n\"",
            "multipart/form-data; boundary=a; boundary=b", "multipart/mixed; boundary=a",
            "multipart/form-data; boundary=\"a",
            "multipart/form-data; boundary=é", "multipart/form-data; boundary=" + String(repeating: "x", count: 71),
            "multipart/form-data boundary=a",
        ])
    func noBoundary(_ type: String) {
        #expect(Boundary(contentType: type) == nil)
    }

    @Test("the fields may come in any order, with anything before and behind")
    func order() throws {
        let title = MultipartTests.part("content-disposition: form-data; name=title", "A \"ship\"\u{E9}")
        let expected: [UploadEvent] = [.text(.title, "A \"ship\"\u{E9}"), .image(Array("bytes".utf8))]
        #expect(try read(title + MultipartTests.image + MultipartTests.end) == expected)
        #expect(
            try read("before\r\n" + title + MultipartTests.image + MultipartTests.end + "behind --XyZ\r\n") == expected)
        #expect(try read(MultipartTests.image + title + "--XyZ--") == [expected[1], expected[0]])
        #expect(try read(title + MultipartTests.image + "--XyZ-- \t\r\n") == expected)
        #expect(
            try read(title.replacing("--XyZ\r\n", with: "--XyZ  \t\r\n") + MultipartTests.image + MultipartTests.end)
                == expected)
    }

    @Test(
        "file names of every spelling are passed over",
        arguments: [
            "filename=\"a.png\"", "filename=a.png", "filename=my picture.png", "filename=\"a;b\\\"c.png\"",
            "filename=\"\"",
            "filename=\"C:\\\\dir\\\\x.png\"", "filename=\"%22.png\"; filename*=UTF-8''na%C3%AFve.png",
            "filename*=utf-8''%e2%82%ac", "filename=\"\u{4F60}\u{597D}.png\"", "filename=\"../../etc/passwd\"",
        ])
    func fileNames(_ name: String) throws {
        let part = MultipartTests.part(
            "Content-Disposition: form-data; name=\"image\"; \(name)\r\nContent-Type: image/png", "x")
        #expect(try read(part + MultipartTests.end) == [.image([0x78])])
    }

    @Test("an image may hold what looks nearly like a boundary")
    func nearBoundaries() throws {
        let content = "\r\n--Xy\r\n-\r\r\n--XyY\n--XyZ\r--XyZ\r\r\n\r\n--"
        #expect(
            try read(MultipartTests.image.replacing("bytes", with: content) + MultipartTests.end) == [
                .image(Array(content.utf8))
            ])
    }

    @Test("a part may be empty, at once or behind its head's end")
    func empty() throws {
        let title = "--XyZ\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n\r\n"
        #expect(try read(title + MultipartTests.image + MultipartTests.end).first == .text(.title, ""))
        let bare = "--XyZ\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n"
        #expect(try read(bare + MultipartTests.image + MultipartTests.end).first == .text(.title, ""))
    }

    private static func image(_ old: String, _ new: String) -> String { image.replacing(old, with: new) }
    private static func titled(_ head: String, _ content: String = "x") -> String {
        part("Content-Disposition: form-data; name=\(head)", content)
    }
    private static let long = String(repeating: "x", count: 9000)

    private static let faults: [(String, String)] = [
        ("", "bad-form"), ("no boundary at all", "bad-form"), (image, "bad-form"), ("\(image)--XyZ-", "bad-form"),
        ("\(image)--XyZ--x", "bad-form"), ("\(image)--XyZ--\r", "bad-form"),
        ("\(image("--XyZ\r\n", "--XyZ\n"))\(end)", "bad-form"),
        ("\(image("--XyZ\r\n", "--XyZW\r\n"))\(end)", "bad-form"),
        ("--XyZ\(String(repeating: " ", count: 65))\r\n", "bad-form"), (end, "missing-image"),
        ("--XyZ\r\n\r\nbytes\r\n\(end)", "bad-part"), ("\(image)\(image)\(end)", "repeated-part"),
        ("\(image("form-data", "attachment"))\(end)", "bad-part"),
        ("\(image("name=\"image\"", "nam=\"image\""))\(end)", "bad-part"),
        ("\(image("\"image\"", "\"imag\""))\(end)", "unknown-part"),
        ("\(image("\"a.png\"", "\"a.png"))\(end)", "bad-part"),
        ("\(image("Content-D", " Content-D"))\(end)", "bad-part"),
        ("\(image("Content-D", "Content-Type : a\r\nContent-D"))\(end)", "bad-part"),
        ("\(titled("image\r\nContent-Transfer-Encoding: base64"))\(end)", "coded-part"),
        ("\(titled("image\r\nX: \(long)"))\(end)", "part-head-too-long"), ("--XyZ\r\nX: \(long)", "part-head-too-long"),
        ("\(titled("title", String(long.prefix(513))))\(end)", "text-too-long"),
        ("\(titled("title", "a\u{0}b"))\(end)", "bad-text"),
        ("\(titled("image; name=title"))\(end)", "bad-part"),
        ("\(titled("image\r\n\(String(repeating: "A: b\r\n", count: 20))C: d"))\(end)", "bad-part"),
    ]

    @Test("what breaks the form is refused", arguments: faults)
    func broken(_ text: String, _ expected: String) throws {
        let reader = try #require(MultipartTests.reader())
        for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }] {
            #expect(code { () throws(GatewayError) in _ = try events(reader, pieces) } == expected)
        }
    }

    @Test("text that is no UTF-8 is refused")
    func noText() throws {
        let bytes =
            Array("--XyZ\r\nContent-Disposition: form-data; name=title\r\n\r\n".utf8) + [0xFF, 0xFE]
            + Array("\r\n--XyZ--".utf8)
        let reader = try #require(MultipartTests.reader())
        #expect(code { () throws(GatewayError) in _ = try events(reader, [bytes]) } == "bad-text")
    }

    @Test("the bytes mean the same however they are cut", arguments: 0..<300)
    func cuts(_ seed: Int) throws {
        var random = Seeded(seed)
        // Made of what boundaries are made of, so that many of them nearly are one.
        let alphabet = Array("\r\n-XyZ".utf8)
        let content = (0..<Int.random(in: 1...400, using: &random)).compactMap { _ in
            alphabet.randomElement(using: &random)
        }
        let head = Array("--XyZ\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\n".utf8)
        let title = Array(
            "\r\n--XyZ\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nhello\r\n--XyZ--\r\n".utf8)
        let reader = try #require(MultipartTests.reader())
        func outcome(_ pieces: [[UInt8]]) -> String {
            do throws(GatewayError) { return "\(try events(reader, pieces))" } catch { return error.code }
        }
        let bytes = head + content + title
        let whole = outcome([bytes])
        #expect(outcome(cut(bytes, &random)) == whole)
        #expect(outcome(bytes.map { [$0] }) == whole)
        let hasBoundary =
            content.indices.contains { (content + title)[$0...].starts(with: "\r\n--XyZ".utf8) }
            || content.starts(with: "--XyZ".utf8)
        if !hasBoundary { #expect(whole == "\([UploadEvent.image(content), .text(.title, "hello")])") }
    }

    @Test("bytes changed at random never end the program", arguments: 0..<300)
    func noise(_ seed: Int) throws {
        var random = Seeded(seed + 1000)
        var bytes = Array(
            (MultipartTests.part("Content-Disposition: form-data; name=title", "T") + MultipartTests.image
                + MultipartTests.end).utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(contentsOf: [0x0D, 0x0A, 0x2D].shuffled(using: &random), at: place)
            }
        }
        let reader = try #require(MultipartTests.reader())
        let whole = code { () throws(GatewayError) in _ = try events(reader, [bytes]) }
        let pieces = cut(bytes, &random, longest: 7)
        #expect(code { () throws(GatewayError) in _ = try events(reader, pieces) } == whole)
    }
}
