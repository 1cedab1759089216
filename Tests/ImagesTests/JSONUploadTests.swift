import HTTP
import Testing

@testable import Images

@Suite("Uploads as JSON")
struct JSONUploadTests {
    private func read(_ text: String) throws(GatewayError) -> [UploadEvent] {
        try events(JSONUploadReader(), [Array(text.utf8)])
    }

    @Test("base64 comes out as the bytes, texts as texts")
    func members() throws {
        #expect(try read(#"{"base64":"aGVsbG8="}"#) == [.image(Array("hello".utf8))])
        #expect(
            try read(#" { "title" : "A \"b\" \u00e9\ud83d\ude80" , "\u0075rl" : "https:\/\/a.example\/x" } "#)
                == [.text(.title, "A \"b\" \u{E9}\u{1F680}"), .text(.url, "https://a.example/x")])
        #expect(try read(#"{"title":null,"base64":"\/\u002b8=","description":null}"#) == [.image([0xFF, 0xEF])])
    }

    @Test(
        "what is no upload is refused",
        arguments: [
            ("", "bad-json"), ("[]", "bad-json"), ("{", "bad-json"), ("{}", "missing-image"),
            ("{\"title\":\"a\"}", "missing-image"),
            (#"{"base64":"AA==","url":"http://a"}"#, "two-images"),
            (#"{"url":"http://a","url":"http://b"}"#, "repeated-member"),
            (#"{"base64":"AA==",}"#, "bad-json"), (#"{"base64":"AA=="}x"#, "bad-json"),
            (#"{"base64":"AA=="},"#, "bad-json"),
            (#"{"base64":1}"#, "bad-json"), (#"{"base64":null}"#, "bad-json"),
            (#"{"title":nul,"base64":"AA=="}"#, "bad-json"),
            (#"{"title":nu ll}"#, "bad-json"), (#"{"file":"AA=="}"#, "unknown-member"),
            ("{\"" + String(repeating: "x", count: 300), "unknown-member"), (#"{"base64":"AA="}"#, "bad-base64"),
            (#"{"base64":"A=="}"#, "bad-base64"), (#"{"base64":"AA==AA=="}"#, "bad-base64"),
            (#"{"base64":"AA\n=="}"#, "bad-base64"),
            (#"{"base64":"AB=="}"#, "bad-base64"), (#"{"base64":"A A="}"#, "bad-base64"),
            (#"{"base64":"AA-_"}"#, "bad-base64"),
            (#"{"base64":"=AAA"}"#, "bad-base64"), (#"{"base64":"AA=A"}"#, "bad-base64"),
            (#"{"base64":"A===="}"#, "bad-base64"),
            (#"{"title":"\ud800","base64":"AA=="}"#, "bad-json"), (#"{"title":"\x","base64":"AA=="}"#, "bad-json"),
            (#"{"title":"\udc00","base64":"AA=="}"#, "bad-json"), ("{\"title\":\"a\u{1}\"}", "bad-json"),
            (#"{"title":"\u0000","base64":"AA=="}"#, "bad-text"),
            ("{\"title\":\"" + String(repeating: "x", count: 600), "text-too-long"),
            ("{\"base64\":\"AA==\" \"title\":\"\"}", "bad-json"), ("{\"base64\" \"AA==\"}", "bad-json"),
            ("\u{FEFF}{}", "bad-json"),
        ])
    func broken(_ text: String, _ expected: String) {
        for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }] {
            #expect(code { () throws(GatewayError) in _ = try events(JSONUploadReader(), pieces) } == expected)
        }
    }

    @Test("the bytes mean the same however they are cut", arguments: 0..<200)
    func cuts(_ seed: Int) throws {
        var random = Seeded(seed)
        let image = (0..<Int.random(in: 1...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        var text = ""
        for character in base64(image) {
            text += character == "/" && Bool.random(using: &random) ? "\\/" : String(character)
        }
        let json = Array("{\"title\": \"\\ud83d\\ude80é\", \"base64\": \"\(text)\"}".utf8)
        let expected: [UploadEvent] = [.text(.title, "\u{1F680}\u{E9}"), .image(image)]
        #expect(try events(JSONUploadReader(), cut(json, &random)) == expected)
        #expect(try events(JSONUploadReader(), json.map { [$0] }) == expected)
    }

    /// The other way round, bit by bit.
    private func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text += place <= group.count ? String(alphabet[bits >> (18 - 6 * place) & 63]) : "="
            }
        }
        return text
    }
}
