import JSON
import Testing

@Suite("Reading")
struct ReadingTests {
    @Test("each kind is told apart, with its tight range")
    func kinds() throws {
        let document = try document(#" [ {} , [] , "a" , -1.5 , true , false , null ] "#)
        let elements = document.elements(of: document.root).map { $0 }
        #expect(elements.map { document.kind(of: $0) } == [.object, .array, .string, .number, .true, .false, .null])
        #expect(
            elements.map { text(document.bytes(of: $0)) } == ["{}", "[]", #""a""#, "-1.5", "true", "false", "null"])
        #expect(document.kind(of: document.root) == .array)
        #expect(document.count(of: document.root) == 7)
    }

    @Test("members come in order with their keys, duplicates included")
    func members() throws {
        let document = try document(#"{"b":1, "a":{"x":[1,2]}, "b":3}"#)
        #expect(document.members(of: document.root).map { document.string(of: $0.key) } == ["b", "a", "b"])
        let seen = document.members(of: document.root).map { key, value in
            text(document.bytes(of: key)) + text(document.bytes(of: value))
        }
        #expect(seen == [#""b"1"#, #""a"{"x":[1,2]}"#, #""b"3"#])
        #expect(document.count(of: document.root) == 3)
    }

    @Test("what holds nothing of the kind gives an empty sequence")
    func emptySequences() throws {
        let document = try document(#"{"o":{},"a":[],"s":"x","n":1}"#)
        for name in ["o", "a", "s", "n"] {
            let node = try #require(document.member(name, of: document.root))
            #expect(document.members(of: node).map { $0.key } == [])
            #expect(document.elements(of: node).map { $0 } == [])
            #expect(document.count(of: node) == 0)
            #expect(document.member("x", of: node) == nil)
            #expect(document.element(0, of: node) == nil)
        }
        #expect(document.elements(of: document.root).map { $0 } == [])
    }

    @Test("of members with the same name the last one counts")
    func duplicates() throws {
        let document = try document(#"{"a":1,"b":2,"a":3,"\u0061":4}"#)
        #expect(document.member("a", of: document.root).flatMap(document.integer(of:)) == 4)
        #expect(document.node(at: ["a"]).flatMap(document.integer(of:)) == 4)
    }

    @Test("names with escapes are found by their decoded text")
    func escapedNames() throws {
        let document = try document(#"{"__proto__":1,"a\u0022b":2,"":3,"\u00e9":4,"é\n":5,"\ud83d\ude00":6}"#)
        for (name, value) in ["__proto__": 1, "a\"b": 2, "": 3, "é": 4, "é\n": 5, "😀": 6] {
            #expect(document.member(name, of: document.root).flatMap(document.integer(of:)) == value)
        }
        #expect(document.member("e\u{301}", of: document.root) == nil)
        #expect(document.member("a", of: document.root) == nil)
    }

    @Test(
        "strings are decoded",
        arguments: [
            (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u0041\u00e9\u65e5""#, "Aé日"),
            (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00!""#, "😀!"), (#""\ud800""#, "\u{FFFD}"),
            (#""\udc00""#, "\u{FFFD}"),
            (#""\ud800\ud83d\ude00""#, "\u{FFFD}😀"), (#""\ud800x""#, "\u{FFFD}x"), (#""\ud800\n""#, "\u{FFFD}\n"),
            (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"), (#""\u0000""#, "\0"), (#""\\u0041""#, "\\u0041"),
            (#""é\n""#, "é\n"),
            (#""\uffff""#, "\u{FFFF}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
        ])
    func decoding(json: String, decoded: String) throws {
        let document = try document(json)
        let string = try #require(document.string(of: document.root))
        #expect(Array(string.utf8) == Array(decoded.utf8))
        #expect(document.isString(document.root, equalTo: decoded))
        #expect(!document.isString(document.root, equalTo: decoded + "x"))
        #expect(!document.isString(document.root, equalTo: "?"))
    }

    @Test("only strings have text", arguments: ["1", "true", "null", "[]", "{}"])
    func noText(json: String) throws {
        let document = try document(json)
        #expect(document.string(of: document.root) == nil)
        #expect(!document.isString(document.root, equalTo: json))
    }

    @Test(
        "integers are exact or nothing",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("123456789012345678901234567890", nil),
            ("1.0", nil), ("1e3", nil), (#""1""#, nil), ("true", nil), ("[]", nil),
        ] as [(String, Int?)])
    func integers(json: String, expected: Int?) throws {
        let document = try document(json)
        #expect(document.integer(of: document.root) == expected)
    }

    @Test("a node of another document names something or nothing, and never traps")
    func foreignNodes() throws {
        let large = try document(#"{"a":[1,2,3],"b":{"c":[{}]}}"#)
        let small = try document(#"[{"z":1}]"#)
        var nodes = [large.root]
        for (key, value) in large.members(of: large.root) {
            nodes += [key, value] + large.elements(of: value).map { $0 }
        }
        for node in nodes {
            _ = small.kind(of: node)
            _ = small.string(of: node)
            _ = small.members(of: node).map { $0 }
            _ = small.elements(of: node).map { $0 }
            _ = small.pointer(to: node)
            var edits = JSONEdits()
            edits.remove(member: node)
            edits.append(member: "x", value: [0x31], to: node)
            #expect(refusal(edits.applied(to: small)) == nil)
            _ = edits.applied(to: small, at: node)
        }
    }
}
