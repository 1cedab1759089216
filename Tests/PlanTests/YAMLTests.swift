import Testing

@testable import Plan

@Suite("Reading YAML")
struct YAMLTests {
    private func read(_ text: String) throws -> YAMLNode {
        let (node, mistakes) = YAMLReader.read(Array(text.utf8))
        #expect(mistakes.isEmpty)
        return try #require(node)
    }

    private func scalar(_ text: String) throws -> YAMLScalar? {
        guard case .map(let entries) = try read("a: " + text).value,
            case .scalar(let scalar)? = entries.first?.node.value
        else { return nil }
        return scalar
    }

    @Test(
        "plain scalars are read by the core schema of YAML 1.2",
        arguments: [
            ("", YAMLScalar.null), ("~", .null), ("null", .null), ("NULL", .null), ("true", .flag(true)),
            ("False", .flag(false)),
            ("yes", .text("yes")), ("no", .text("no")), ("on", .text("on")), ("nuLL", .text("nuLL")),
            ("1", .number("1")),
            ("-0", .number("-0")), ("+7", .number("7")), ("007", .number("7")), ("0x1F", .number("31")),
            ("0o17", .number("15")),
            ("0b1", .text("0b1")), ("1.50", .number("1.50")), (".5", .number("0.5")), ("5.", .number("5")),
            ("-.5", .number("-0.5")),
            ("1e3", .number("1e3")), ("1.5E-2", .number("1.5e-2")), ("1e+3", .number("1e3")), ("1e", .text("1e")),
            (".", .text(".")),
            ("1_000", .text("1_000")), ("0x-1", .text("0x-1")), ("1.2.3", .text("1.2.3")), ("12:30", .text("12:30")),
            ("2014-12-09", .text("2014-12-09")),
            ("123456789012345678901234567890", .number("123456789012345678901234567890")),
        ])
    func plain(text: String, expected: YAMLScalar) throws {
        #expect(try scalar(text) == expected)
    }

    @Test("what is quoted or in a block is text", arguments: ["'1'", "\"1\"", "|-\n  1", ">-\n  1", "! 1", "!!str 1"])
    func quoted(text: String) throws {
        #expect(try scalar(text) == .text("1"))
    }

    @Test("escapes and folds are YAML's")
    func escapes() throws {
        #expect(try scalar(#""a\tb\u00e9\n""#) == .text("a\tbé\n"))
        #expect(try scalar(">-\n  one\n  two\n\n  three") == .text("one two\nthree"))
        #expect(try scalar("'it''s'") == .text("it's"))
    }

    @Test("each value knows its line and its column in characters")
    func marks() throws {
        guard case .map(let entries) = try read("é: 1\nb:\n  - x\n  - {c: d}\n").value else { return }
        #expect(entries.map(\.keyMark) == [Mark(line: 1, column: 1), Mark(line: 2, column: 1)])
        #expect(entries[0].node.mark == Mark(line: 1, column: 4))
        guard case .list(let items) = entries[1].node.value else { return }
        #expect(items.map(\.mark) == [Mark(line: 3, column: 5), Mark(line: 4, column: 5)])
    }

    @Test("JSON is YAML")
    func json() throws {
        let text = #"{"a": [1, -2.5e3, true, null, "x\u0041\/", {}], "b": {"c": "1"}}"#
        guard case .map(let entries) = try read(text).value, case .list(let items) = entries[0].node.value else {
            return
        }
        #expect(items.count == 6)
        guard case .scalar(let text) = items[4].value else { return }
        #expect(text == .text("xA/"))
    }

    @Test("an alias is its anchor's value again")
    func aliases() throws {
        guard case .map(let entries) = try read("a: &x {b: 1}\nc: [*x, *x]\n").value,
            case .list(let items) = entries[1].node.value
        else { return }
        #expect(items.count == 2)
        #expect(items.allSatisfy { $0.mark == Mark(line: 1, column: 4) })
    }

    @Test("a key is text, whatever it looks like")
    func keys() throws {
        guard case .map(let entries) = try read("200: a\ntrue: b\n\"x\": c\n").value else { return }
        #expect(entries.map(\.key) == ["200", "true", "x"])
    }

    @Test("a mark of the byte order before UTF-8 is skipped, and so are the ends of lines of Windows")
    func ends() throws {
        guard case .map(let entries) = try read("\u{FEFF}a: 1\r\nb: 2\r\n").value else { return }
        #expect(entries.map(\.key) == ["a", "b"])
    }

    @Test("a text cut at any place is read or refused, and never more")
    func cut() {
        let text = Array(SmallContract.films.utf8)
        for length in stride(from: 0, to: text.count, by: 7) {
            let (node, mistakes) = YAMLReader.read(Array(text.prefix(length)))
            #expect(node != nil || !mistakes.isEmpty)
        }
    }

    @Test("any changed byte is read or refused")
    func changed() {
        var generator = SystemRandomNumberGenerator()
        let text = Array(SmallContract.films.utf8)
        for _ in 0..<500 {
            var changed = text
            for _ in 0..<4 {
                changed[Int.random(in: 0..<text.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            _ = try? PlanLoader().load(sources: [
                ("a.yaml", changed), ("common.yaml", Array(SmallContract.common.utf8)),
            ])
        }
    }
}
