import JSON
import Testing

@Suite("Writing")
struct WriterTests {
    @Test("what needs an escape gets one, and every string reads back the same")
    func quoting() throws {
        #expect(text(JSONText.quoted("a\"b\\c/é😀")) == #""a\"b\\c/é😀""#)
        let controls = "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\""
        #expect(text(JSONText.quoted("\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}")) == controls)
        for value in (0..<0x300 as Range<UInt32>) {
            let string = String(try #require(Unicode.Scalar(value)))
            let document = try JSONDocument(JSONText.quoted(string))
            #expect(document.isString(document.root, equalTo: string))
        }
        var bytes = Array("x".utf8)
        JSONText.append(quoted: "", to: &bytes)
        #expect(text(bytes) == #"x"""#)
    }

    @Test("the writer puts commas and closes what it opens")
    func writing() throws {
        let json = JSONWriter.object {
            $0.member("type", "about:blank")
            $0.member("status", 404)
            $0.member("ok", false)
            $0.null("none")
            $0.array("errors") {
                $0.value("a\nb")
                $0.value(-1)
                $0.value(true)
                $0.null()
                $0.object { _ in }
                $0.array { _ in }
                $0.raw("1.10".utf8)
            }
            $0.object("inner") { $0.member("raw", raw: "[1]".utf8) }
            $0.key("last")
            $0.value("x")
        }
        let expected =
            #"{"type":"about:blank","status":404,"ok":false,"none":null,"errors":["a\nb",-1,true,null,{},[],1.10],"#
            + #""inner":{"raw":[1]},"last":"x"}"#
        #expect(text(json) == expected)
        #expect(refusal(json) == nil)
        #expect(text(JSONWriter.array { $0.value(1) }) == "[1]")
    }

    @Test("an error of a closure comes out typed")
    func throwing() {
        #expect(throws: JSONError.tooDeep) {
            _ = try JSONWriter.object { (_: inout JSONWriter) throws(JSONError) in throw .tooDeep }
        }
    }
}
