import HTTP
import Testing

@testable import Sample

@Suite("Forms of uploads")
struct UploadFormTests {
    private static func form(_ text: String, _ type: String = formType) -> UploadForm {
        UploadForm(Array(text.utf8), contentType: type)
    }

    private static func image(_ form: UploadForm) -> String? {
        form.image.map { String(decoding: $0.content, as: UTF8.self) + ($0.isFile ? " (file)" : "") }
    }

    @Test("parts are told by their boundary alone, whatever else is in them")
    func parts() {
        let content = "a\r\n------edge\r\n--\r\n\r\n------EDGE7\r\nb------edge7"
        let form = UploadForm(
            multipart([.text("title", "T"), .file(Array(content.utf8)), .text("description", "")]),
            contentType: formType)
        #expect(Self.image(form) == content + " (file)")
        #expect(form["title"] == "T")
        #expect(form["description"] == nil)
        #expect(form["name"] == nil)
    }

    @Test("a preamble, blanks behind boundaries, names without quotes, and a boundary in quotes")
    func lenient() {
        let form = Self.form(
            "To whom it may concern\r\n--a b \t\r\ncontent-DISPOSITION:form-data;name=image ; filename*=UTF-8''x\r\nX: y\r\n\r\nA"
                + "\r\n--a b\r\nContent-Disposition: form-data; name=\"ti\\tle\"\r\n\r\nB\r\n--a b--\r\nafterwards",
            "Multipart/Form-Data ; Boundary=\"a b\"")
        #expect(Self.image(form) == "A (file)")
        #expect(form["title"] == "B")
    }

    static let broken = [
        "", "------edge7", "------edge7--", "------edge7\r\n\r\nA\r\n------edge7--",
        "------edge7\r\nContent-Disposition: form-data; name=image\r\n\r\nA",
        "------edge7\r\nContent-Disposition: form-data; name=image\r\nA\r\n------edge7--",
        "------edge7\r\nContent-Disposition: attachment; name=image\r\n\r\nA\r\n------edge7--",
        "------edge7\r\nContent-Disposition: form-data\r\n\r\nA\r\n------edge7--",
        "------edge7--\r\nContent-Disposition: form-data; name=image\r\n\r\nA\r\n------edge7--",
        "x------edge7\r\nContent-Disposition: form-data; name=image\r\n\r\nA\r\n------edge7--",
    ]

    @Test("what is broken has no picture", arguments: broken)
    func none(text: String) { #expect(Self.form(text).image == nil) }

    @Test(
        "of another type nothing is read",
        arguments: [
            nil, "", ";", "image/png", "application/json", "multipart/form-data", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=x" + String(repeating: "y", count: 70),
            "multipart/mixed; boundary=----edge7",
        ])
    func types(type: String?) {
        #expect(UploadForm(multipart([.file(png())]), contentType: type).image == nil)
    }

    @Test("fields past the thirty-second are nobody's")
    func most() {
        let many = (1...31).map { FormPart.text("n\($0)", "x") }
        #expect(UploadForm(multipart(many + [.file(png())]), contentType: formType).image != nil)
        #expect(UploadForm(multipart(many + many + [.file(png())]), contentType: formType).image == nil)
        let pairs = String(repeating: "a=b&", count: 31)
        let type = "application/x-www-form-urlencoded"
        #expect(Self.image(Self.form(pairs + "image=A", type)) == "A")
        #expect(Self.form(pairs + pairs + "image=A", type).image == nil)
    }

    @Test("the other encoding, with what can't be decoded left as it is")
    func encoded() {
        let form = Self.form("image=a%2Bb%2&title=%41+%zz%&im%61ge=last%", "application/x-www-form-urlencoded")
        #expect(Self.image(form) == "last%")
        #expect(form["title"] == "A %zz%")
    }

    @Test("long texts are cut")
    func long() {
        let text = String(repeating: "é", count: 1 << 16)
        let form = UploadForm(multipart([.text("title", text)]), contentType: formType)
        #expect(form["title"]?.utf8.count == 1 << 16)
    }

    @Test("base64 with and without padding and line ends")
    func base64() {
        func decoded(_ text: String) -> String? {
            Base64.decoded(Array(text.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
        }
        for (text, plain) in [
            ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm8", "fo"), ("Zm9v", "foo"),
            ("Zm9v\r\nYmFy", "foobar"),
            (" Z m\t9 v\n", "foo"),
        ] {
            #expect(decoded(text) == plain)
        }
        for text in ["Z", "Zm9vY", "Zg=v", "Zm9_", "Zm-v", "é", "data:image/png;base64,Zm9v"] {
            #expect(decoded(text) == nil, "\(text)")
        }
        #expect(Base64.decoded(Array("+/+/".utf8)[...]) == [0xFB, 0xFF, 0xBF])
    }

    @Test("no content stops it")
    func hostile() {
        let whole = multipart([.text("title", "T\r\n--"), .file(png()), .text("type", "file")])
        for seed in 0..<2000 {
            var bytes = whole
            for change in 0..<3 {
                let chance = scattered(seed * 3 + change)
                bytes[Int(chance % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: chance >> 32)
            }
            let cut = Array(bytes.prefix(Int(scattered(seed) >> 8 % UInt64(whole.count))))
            for content in [bytes, cut] {
                let form = UploadForm(content, contentType: formType)
                #expect(form.image.map { $0.content.count <= content.count } ?? true)
            }
        }
    }
}
