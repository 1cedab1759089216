import JSON
import Testing

@Suite("Limits and hostile texts")
struct LimitTests {
    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private func nestedObjects(_ depth: Int) -> String {
        String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }

    @Test("64 containers inside each other are accepted, 65 are too deep")
    func depth() {
        #expect(refusal(nested(64)) == nil)
        #expect(refusal(nested(65)) == .tooDeep)
        #expect(refusal("[" + nested(63) + "," + nested(63) + "]") == nil)
        #expect(refusal(nestedObjects(64)) == nil)
        #expect(refusal(nestedObjects(65)) == .tooDeep)
    }

    @Test("a depth limit below nothing or above 1,024 is brought into range")
    func depthLimit() {
        var limits = JSONLimits()
        limits.depth = 0
        #expect(refusal("1", limits) == nil)
        #expect(refusal("[]", limits) == .tooDeep)
        limits.depth = -1
        #expect(refusal("[]", limits) == .tooDeep)
        limits.depth = Int.max
        #expect(refusal(nested(1024), limits) == nil)
        #expect(refusal(nested(1025), limits) == .tooDeep)
    }

    @Test("100,000 containers inside each other are refused")
    func bottomless() {
        #expect(refusal(nested(100_000)) == .tooDeep)
        #expect(refusal(nestedObjects(100_000)) == .tooDeep)
        #expect(refusal(String(repeating: "[", count: 100_000)) == .tooDeep)
    }

    @Test("values are counted, keys are not")
    func values() {
        var limits = JSONLimits()
        limits.values = 3
        #expect(refusal("[1,2]", limits) == nil)
        #expect(refusal("[1,2,3]", limits) == .tooManyValues)
        #expect(refusal(#"{"a":1,"b":2}"#, limits) == nil)
        #expect(refusal(#"{"a":1,"b":{},"c":3}"#, limits) == .tooManyValues)
        #expect(refusal("[[[]]]", limits) == nil)
        #expect(refusal("[[[[]]]]", limits) == .tooManyValues)
        limits.values = 0
        #expect(refusal("1", limits) == .tooManyValues)
        limits.values = -5
        #expect(refusal("1", limits) == .tooManyValues)
    }

    @Test("250,000 values are accepted, one more is not")
    func defaultValues() {
        let elements = String(repeating: "1,", count: 249_998)
        #expect(refusal("[" + elements + "1]") == nil)
        #expect(refusal("[" + elements + "1,1]") == .tooManyValues)
    }

    @Test("a text is refused by its size before it is read")
    func bytes() {
        var limits = JSONLimits()
        limits.bytes = 4
        #expect(refusal("[12]", limits) == nil)
        #expect(refusal("[123]", limits) == .tooLarge)
        #expect(refusal("\0\0\0\0\0", limits) == .tooLarge)
        limits.bytes = -1
        #expect(refusal("1", limits) == .tooLarge)
    }

    @Test("a string of 8 MiB with an object around it is too large, one that just fits is kept")
    func longString() throws {
        let limit = JSONLimits().bytes
        #expect(refusal(#"{"a":""# + String(repeating: "x", count: limit) + #""}"#) == .tooLarge)
        let fitting = #"{"a":""# + String(repeating: "x", count: limit - 8) + #""}"#
        #expect(fitting.utf8.count == limit)
        let document = try document(fitting)
        let value = try #require(document.member("a", of: document.root))
        #expect(document.range(of: value).count == limit - 6)
    }

    @Test("numbers, escapes, order and duplicates stay as they were sent")
    func keptAsSent() throws {
        let sent =
            #"{"a":123456789012345678901234567890,"b":1.10,"c":1e400,"d":9007199254740993,"a":"\ud800","e":"x\u0000y"}"#
        let document = try document(sent)
        #expect(text(JSONEdits().applied(to: document)) == sent)
        let values = document.members(of: document.root).map { text(document.bytes(of: $0.value)) }
        #expect(
            values == [
                "123456789012345678901234567890", "1.10", "1e400", "9007199254740993", #""\ud800""#, #""x\u0000y""#,
            ])
    }

    @Test("the JSON cases of a hostile upstream are refused for the right reason")
    func hostileUpstream() {
        #expect(refusal(Array(#"{"a":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)) == .invalidUTF8)
        #expect(refusal("{\"a\":1}\0") == .syntax(offset: 7))
        #expect(refusal("\u{FEFF}{\"a\":1}") == .syntax(offset: 0))
        #expect(refusal(#"{"a":NaN}"#) == .syntax(offset: 5))
        #expect(refusal(#"{"a":[1,],}"#) == .syntax(offset: 8))
        #expect(refusal(#"{"a":1}{"b":2}"#) == .syntax(offset: 7))
        #expect(refusal(#"{"a":[1,2"#) == .syntax(offset: 9))
        #expect(refusal("<html>oops</html>") == .syntax(offset: 0))
    }

    @Test("a text is read alike after larger, smaller and refused ones on the same thread")
    func reuse() throws {
        let small = #"{"a":[1,2,{"b":"c"}]}"#
        let large = "[" + (0..<60_000).map(String.init).joined(separator: ",") + "]"
        for other in ["", "[", large, "[1,]", String(repeating: " ", count: 1 << 20) + "1", "\u{FEFF}"] {
            _ = refusal(other)
            let document = try document(small)
            #expect(document.count(of: document.root) == 1)
            #expect(document.node(at: ["a", "2", "b"]).flatMap(document.string(of:)) == "c")
        }
        let document = try document(large)
        #expect(document.count(of: document.root) == 60_000)
        #expect(document.element(59_999, of: document.root).flatMap(document.integer(of:)) == 59_999)
    }

    @Test("large texts of every shape take time in proportion to their size")
    func linearReading() {
        let size = 4 << 20
        func filled(_ open: String, _ unit: String, _ close: String) -> [UInt8] {
            Array((open + String(repeating: unit, count: size / unit.utf8.count) + close).utf8)
        }
        let texts = [
            filled("[1", " ", "]"), filled("\"", "\\\"", "\""), filled("\"", "\\\\", "\""), filled("", "[", ""),
            filled("[\"", "\",\"", "\"]"), filled("\"", "é", "\""), filled("1", "0", ""), filled("", "\"", ""),
            filled("", ",", ""), filled("[", "{},", "1]"), filled("\"", "\\", ""),
        ]
        let elapsed = ContinuousClock().measure {
            for text in texts { _ = refusal(text) }
        }
        #expect(elapsed < .seconds(5))
    }

    @Test("200,000 members are edited and pruned in time proportional to their number")
    func linearEditing() throws {
        let members = (0..<200_000).map { #""k\#($0)":0"# }.joined(separator: ",")
        let keys = try document("{" + members + "}")
        let elapsed = ContinuousClock().measure {
            var edits = JSONEdits()
            for (key, value) in keys.members(of: keys.root) {
                edits.replace(value, with: [UInt8(ascii: "1")])
                edits.remove(member: key)
            }
            edits.append(member: "a", value: [UInt8(ascii: "2")], to: keys.root)
            #expect(text(edits.applied(to: keys)) == #"{"a":2}"#)
            let kept = keys.edits(keeping: JSONSelection(paths: [["k0"], ["k777"], ["k199999"]]))
            #expect(text(kept.applied(to: keys)) == #"{"k0":0,"k777":0,"k199999":0}"#)
        }
        #expect(elapsed < .seconds(10))
    }
}
