import JSON
import Testing

@Suite("The grammar of RFC 8259")
struct GrammarTests {
    @Test(
        "a valid text is accepted and its root spans it without the white space",
        arguments: [
            "null", "true", "false", "0", "-0", "1", "-1", "10", "1234567890", "0.0", "0.10", "-0.5", "1e5", "1E5",
            "1e+5",
            "1e-5", "0e0", "0E+00", "1.5e00", "123.456e-789", "1e400", "-1e-400", "123456789012345678901234567890",
            "9007199254740993", "1.000000000000000000000000000000000001", #""""#, #""a""#, #"" ""#, #""é""#, #""日本""#,
            #""😀""#, "\"\u{7f}\"", "\"\u{2028}\"", #""\"""#, #""\\""#, #""\/""#, #""\b\f\n\r\t""#, #""\u0000""#,
            #""\u00e9""#, #""\uABCD""#, #""\uabcd""#, #""\ud83d\ude00""#, #""\ud800""#, #""\udc00""#,
            #""\ud800\ud800""#,
            #""\ud800a""#, #""\uFFFF""#, #""\\u12""#, #""\\\\""#, #""\\\"""#, #""[1,]""#, #""{,}:""#, #""//""#, "[]",
            "{}",
            "[ ]", "{ }", "[\n]", "[[]]", "[{}]", "[1]", "[1,2]", "[ 1 , 2 ]", "[null,true,false]", "[[],[[]],{}]",
            #"{"a":1}"#, #"{"a":1,"b":2}"#, #"{ "a" : 1 , "b" : [ ] }"#, #"{"":0}"#, #"{"a":{"a":{"a":{}}}}"#,
            #"{"a":1,"a":2}"#, #"{"a\u0022b":2}"#, #"{"__proto__":1}"#, "{\"a\"\t:\r\n1}", #"["a","b"]"#, #"[""]"#,
            #"["",""]"#, "[1\n,2\t,3\r]", "[0,0.1,0e1]", #"{"a":"b","c":"d"}"#,
        ])
    func accepted(valid: String) throws {
        for padded in [valid, " \t\r\n" + valid, valid + "\n\r\t ", "\n" + valid + "\n"] {
            let document = try document(padded)
            #expect(text(document.bytes(of: document.root)) == valid)
            #expect(text(document.bytes) == padded)
        }
    }

    @Test(
        "a text that ends too early is refused at its end",
        arguments: [
            "", " ", "\n\t", "[", "{", "[1", "[1,", #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":1,"#, #"""#, #""a"#,
            #"["a"#,
            #""\""#, #""\"#, "[[]", #"{"a":[1,2"#, "-", "1.", "1e", "1e+", "1e-", #"""""#,
        ])
    func cut(text: String) {
        #expect(refusal(text) == .syntax(offset: text.utf8.count))
    }

    @Test(
        "commas, colons, brackets and keys are refused out of place, and everything after the value",
        arguments: [
            ("1 2", 2), ("[]]", 2), ("{}}", 2), ("[][]", 2), (#"{"a":1}{"b":2}"#, 7), ("null,", 4), (#""a""b""#, 3),
            ("[] x", 3), ("{}\0", 2), ("1\0", 1), ("[1]#", 3), ("[1,]", 3), ("[,1]", 1), ("[,]", 1), ("[1,,2]", 3),
            ("[1 2]", 3), (#"["a" "b"]"#, 5), ("[1:2]", 2), ("[1}", 2), ("{]", 1), (#"{"a":1,}"#, 7), (#"{,"a":1}"#, 1),
            (#"{"a":1,,"b":2}"#, 7), (#"{"a":1 "b":2}"#, 7), (#"{"a" 1}"#, 5), (#"{"a"::1}"#, 5), (#"{"a",1}"#, 4),
            (#"{"a":1:2}"#, 6), (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1]"#, 6), ("]", 0), ("}", 0), (",", 0),
            (":", 0),
            ("{1:1}", 1), ("{a:1}", 1), ("{'a':1}", 1), ("{null:1}", 1), ("{[]:1}", 1), ("{{}:1}", 1),
        ])
    func structure(fault: String, offset: Int) {
        #expect(refusal(fault) == .syntax(offset: offset))
    }

    @Test(
        "numbers and literals are refused where they leave the grammar",
        arguments: [
            ("+1", 0), ("01", 1), ("-01", 2), ("00", 1), (".5", 0), ("-.5", 1), ("1.e5", 2), ("1.5.5", 3), ("1e5.5", 3),
            ("1e5e5", 3), ("--1", 1), ("-a", 1), ("1a", 1), ("0x10", 1), ("1_000", 1), ("1 .5", 2), ("- 1", 1),
            ("1-1", 1),
            ("1+1", 1), ("NaN", 0), ("nan", 0), ("Infinity", 0), ("-Infinity", 1), ("[-]", 2), ("[1.]", 3), ("[.1]", 1),
            ("[1e]", 3), (#"{"a":NaN}"#, 5), ("1\u{b}", 1), ("1\"a\"", 1), ("[1\"a\"]", 2), ("１", 0), ("1;", 1),
            ("tru", 0), ("truee", 0), ("True", 0), ("TRUE", 0), ("t", 0), ("fals", 0), ("falsey", 0), ("nul", 0),
            ("nulll", 0), ("None", 0), ("undefined", 0), ("true\"\"", 0), ("[true false]", 6), ("truefalse", 0),
            ("null1", 0), ("[nul]", 1), ("*", 0), ("(1)", 0),
        ])
    func scalars(fault: String, offset: Int) {
        #expect(refusal(fault) == .syntax(offset: offset))
    }

    @Test(
        "strings are refused at a wrong escape or a raw control character",
        arguments: [
            (#""\x""#, 1), (#""\a""#, 1), (#""\u""#, 1), (#""\u1""#, 1), (#""\u12""#, 1), (#""\u123""#, 1),
            (#""\u123g""#, 1),
            (#""\U1234""#, 1), (#""\u 123""#, 1), (#""\'""#, 1), (#""\0""#, 1), ("\"\\\n\"", 1), (#""a\ ""#, 2),
            ("'a'", 0),
            ("\"\n\"", 1), ("\"\t\"", 1), ("\"a\0b\"", 2), ("\"\u{1f}\"", 1), (#"{"a\q":1}"#, 3), (#"\"a\""#, 0),
            (#"\u0061"#, 0), ("{\"a\n\":1}", 3), ("[`a`]", 1),
        ])
    func strings(fault: String, offset: Int) {
        #expect(refusal(fault) == .syntax(offset: offset))
    }

    @Test("a backslash before a character of several bytes is refused, on some processors as a fault of UTF-8")
    func escapedLetter() {
        #expect(refusal("[\"\\é\"]") != nil)
    }

    @Test(
        "no other white space, no byte order mark and no comment is let through",
        arguments: [
            ("\u{FEFF}1", 0), ("\u{FEFF}{\"a\":1}", 0), ("\u{a0}1", 0), ("\u{2060}1", 0), ("\u{c}1", 0), ("\u{b}1", 0),
            ("[1\u{c}]", 2), ("\0", 0), ("[\0]", 1), ("// a\n1", 0), ("/**/1", 0), ("[1 /**/]", 3), ("# a", 0),
            ("[\u{1a}]", 1), ("<html>oops</html>", 0), ("\u{1}", 0), ("[1 \u{c} ,2]", 3), ("{\u{1a}}", 1),
        ])
    func whiteSpace(fault: String, offset: Int) {
        #expect(refusal(fault) == .syntax(offset: offset))
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xE0, 0x80, 0xAF],
            [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xFE], [0xE9],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        #expect(refusal([UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]) == .invalidUTF8)
        #expect(refusal(Array(#"{"a":""#.utf8) + bytes + Array(#"x"}"#.utf8)) == .invalidUTF8)
    }

    @Test(
        "a byte that is not UTF-8 is found at every place in a block",
        arguments: [0, 1, 31, 62, 63, 64, 65, 127, 128, 500])
    func notUTF8Anywhere(place: Int) {
        var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 512)
        bytes[place] = 0xE2
        #expect(refusal([UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]) == .invalidUTF8)
    }

    @Test("every way to cut a valid text is refused")
    func prefixes() throws {
        let film =
            #" {"title":"A New Hope","é\u0041":[1,-2.5e+3,"x\\\"y",{"a":null,"b":[true,false,{}]}],"big":123456789012345678901} "#
        let bytes = Array(film.utf8)
        #expect(refusal(bytes) == nil)
        for length in 0..<(bytes.count - 1) {
            #expect(refusal(Array(bytes[..<length])) != nil, "cut at \(length)")
        }
        #expect(refusal(bytes + bytes) != nil)
    }

    @Test("every random valid text is accepted, and refused when it is cut")
    func randomTexts() throws {
        var dice = Dice(state: 1)
        for _ in 0..<400 {
            let value = dice.value(depth: 5)
            let bytes = Array(value.utf8)
            #expect(refusal(bytes) == nil, "\(value)")
            // A number's prefix can be a number.
            guard let first = bytes.first, first != UInt8(ascii: "-"), !(0x30...0x39).contains(first) else { continue }
            for length in 0..<bytes.count where refusal(Array(bytes[..<length])) == nil {
                Issue.record("\(value) cut at \(length)")
            }
        }
    }

    @Test("a text changed in one byte is refused, or its values lie in order inside each other")
    func mutations() throws {
        var dice = Dice(state: 2)
        for _ in 0..<3000 {
            var bytes = Array(dice.json().utf8)
            let place = dice.roll(bytes.count)
            let bad: [UInt8] = [
                0x22, 0x5C, 0x2C, 0x5B, 0x5D, 0x7B, 0x7D, 0x3A, 0x00, 0xFF, 0x20, 0x31, 0x0A, 0x0C, 0x1A,
            ]
            bytes[place] = dice.pick(bad)
            guard let document = try? JSONDocument(bytes) else { continue }
            #expect(document.bytes == bytes)
            let again = try JSONDocument(Array(document.bytes(of: document.root)))
            #expect(again.range(of: again.root) == 0..<again.bytes.count)
            #expect(wellPlaced(document, document.root))
        }
    }

    /// Whether all that is in the node lies in its range, in order, without overlap.
    private func wellPlaced(_ document: JSONDocument, _ node: JSONNode) -> Bool {
        var position = document.range(of: node).lowerBound + 1
        let end = document.range(of: node).upperBound
        let members = document.members(of: node).flatMap { [$0.key, $0.value] }
        for child in document.elements(of: node).map({ $0 }) + members {
            let range = document.range(of: child)
            guard range.lowerBound >= position, range.upperBound < end, wellPlaced(document, child) else {
                return false
            }
            position = range.upperBound
        }
        return true
    }
}
