import Plan
import Testing

@testable import Gateway

/// The table of `docs/shapes.md`, row by row.
@Suite("Conversion of shaped values")
struct ConversionTests {
    private func shown(_ bytes: [UInt8]?) -> String { bytes.map { String(decoding: $0, as: UTF8.self) } ?? "null" }

    private func number(_ value: FoundScalar) -> String { shown(ScalarSchema(types: [.number]).converted(value)) }
    private func integer(_ value: FoundScalar) -> String { shown(ScalarSchema(types: [.integer]).converted(value)) }
    private func boolean(_ value: FoundScalar) -> String { shown(ScalarSchema(types: [.boolean]).converted(value)) }
    private func text(_ value: FoundScalar, _ format: String? = nil) -> String {
        shown(ScalarSchema(types: [.string], format: format).converted(value))
    }

    @Test(
        "a text that spells a number is one, digit for digit",
        arguments: [
            ("0", "0"), ("1", "1"), ("-5", "-5"), ("12.50", "12.50"), ("0.0", "0.0"), ("-0", "0"), ("-0.0", "0.0"),
            ("-0.5", "-0.5"),
            ("105.85", "105.85"), ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ])
    func numbers(text: String, json: String) { #expect(number(.text(text)) == json) }

    @Test(
        "any other text is no number",
        arguments: [
            "", " ", "1,600", "1.600,5", "1_000", "1 000", " 5", "5 ", "10.4 ", "\t5", "5\n", "+5", "--5", "-", ".5",
            "5.", "-.5", "01", "007",
            "00", "-01", "1e3", "1E3", "1e400", "0x1F", "0b1", "NaN", "nan", "inf", "-inf", "Infinity", "∞", "unknown",
            "n/a",
            "1000km", "30-165", "1.5 (surface)", "5%", "$3.99", "٣", "５", "½", "1\u{0}", "null", "true",
            String(repeating: "9", count: 65),
        ])
    func noNumbers(text: String) {
        #expect(number(.text(text)) == "null")
        #expect(integer(.text(text)) == "null")
    }

    @Test("a number stays as it is written", arguments: ["0", "-0", "1.0", "1.50", "1e3", "1E+2", "-1.5e-7", "1e400"])
    func tokens(token: String) { #expect(number(.number(token)) == token) }

    @Test(
        "a number without a fraction is an integer, however it is written",
        arguments: [
            ("0", "0"), ("-0", "0"), ("7", "7"), ("-7", "-7"), ("1.0", "1"), ("1.000", "1"), ("-2.0", "-2"),
            ("1e3", "1000"), ("1.5e1", "15"),
            ("15e-1", "null"), ("150e-1", "15"), ("1.25E2", "125"), ("1.25e1", "null"), ("0e99", "0"), ("0.0e-99", "0"),
            ("1e18", "1000000000000000000"),
            ("1e19", "null"), ("1e400", "null"), ("1e-400", "null"), ("88.1", "null"), ("0.5", "null"),
            ("9223372036854775808", "9223372036854775808"),
            ("123456789012345678901234567890", "123456789012345678901234567890"), ("-0.0", "0"),
            ("1e99999999999999999999", "null"),
        ])
    func integers(token: String, json: String) { #expect(integer(.number(token)) == json) }

    @Test(
        "a text that spells an integer is one",
        arguments: [
            ("7", "7"), ("-7", "-7"), ("-0", "0"), ("5.0", "5"), ("5.5", "null"), ("88.1", "null"), ("1e3", "null"),
        ])
    func integerTexts(text: String, json: String) { #expect(integer(.text(text)) == json) }

    @Test("flags are true and false, as such or as texts, and nothing else")
    func flags() {
        #expect(boolean(.flag(true)) == "true")
        #expect(boolean(.text("true")) == "true")
        #expect(boolean(.text("false")) == "false")
        for text in ["True", "TRUE", "yes", "no", "1", "0", "", " true", "on"] {
            #expect(boolean(.text(text)) == "null")
        }
        for token in ["1", "0"] { #expect(boolean(.number(token)) == "null") }
        #expect(number(.flag(true)) == "null")
        #expect(integer(.flag(false)) == "null")
        #expect(text(.flag(false)) == "null")
    }

    @Test("a number is a text where a text is wanted")
    func numbersAsTexts() {
        #expect(text(.number("75960600000000311")) == "\"75960600000000311\"")
        #expect(text(.number("1.50")) == "\"1.50\"")
        #expect(text(.text("a\"\\\n é")) == "\"a\\\"\\\\\\n é\"")
    }

    @Test(
        "a time with an offset is RFC 3339",
        arguments: [
            ("2024-05-22T00:00:00-0400", "2024-05-22T00:00:00-04:00"),
            ("2024-05-22T00:00:00-04:00", "2024-05-22T00:00:00-04:00"),
            ("2014-12-09T13:50:51.644000Z", "2014-12-09T13:50:51.644000Z"),
            ("2014-12-09t13:50:51z", "2014-12-09T13:50:51Z"),
            ("2024-05-22 10:30:00+0000", "2024-05-22T10:30:00+00:00"),
            ("2024-05-22 10:30:00 +0200", "2024-05-22T10:30:00+02:00"),
            ("2024-05-22T10:30Z", "2024-05-22T10:30:00Z"), ("2024-05-22T10:30+02", "2024-05-22T10:30:00+02:00"),
            ("2026-04-03 10:37 PM -0300", "2026-04-03T22:37:00-03:00"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"), ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ])
    func moments(found: String, expected: String) { #expect(text(.text(found), "date-time") == "\"\(expected)\"") }

    @Test(
        "what is no moment is null",
        arguments: [
            "", "2024-05-22", "2024-05-22T00:00:00", "2026-04-03 10:37 PM", "-0001-11-30T00:00:00-0500",
            "0000-01-01T00:00:00Z",
            "0000-00-00 00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2024-04-31T00:00:00Z", "2024-05-22T24:00:00Z", "2024-05-22T23:60:00Z", "2024-05-22T23:59:60Z",
            "2024-05-22T00:00:00+24:00",
            "2024-05-22T00:00:00+02:60", "2024-05-22T00:00:00+2", "2024-05-22T00:00:00.Z", "2024-05-22T00:00:00,5Z",
            "2024-5-2T00:00:00Z", "24-05-22T00:00:00Z", "12024-05-22T00:00:00Z", "05/22/2024",
            "Wed, 22 May 2024 10:00:00 GMT",
            "2024-05-22T10:30:00 UTC", "1700000000", "2024-05-22T00:00:00Z ", " 2024-05-22T00:00:00Z",
            "2024-05-22T0:00:00Z",
            "2024-05-22T00:00:00.1234567890123Z", "today",
        ])
    func noMoments(found: String) { #expect(text(.text(found), "date-time") == "null") }

    @Test(
        "a date is the one that is written",
        arguments: [
            ("2024-05-22", "\"2024-05-22\""), ("2024-05-22T23:30:00-0400", "\"2024-05-22\""),
            ("2024-05-22 10:37 PM", "\"2024-05-22\""),
            ("2024-02-30", "null"), ("2024-02-30T00:00:00Z", "null"), ("20240522", "null"), ("2024-05", "null"),
            ("", "null"),
        ])
    func dates(found: String, expected: String) { #expect(text(.text(found), "date") == expected) }

    @Test(
        "a local time is the one that is written",
        arguments: [
            ("06:49 AM", "06:49"), ("08:37 PM", "20:37"), ("12:00 AM", "00:00"), ("12:30 PM", "12:30"),
            ("9:05 pm", "21:05"),
            ("0", "00:00"), ("300", "03:00"), ("2100", "21:00"), ("0030", "00:30"), ("23:59", "23:59"),
            ("23:59:58", "23:59:58"),
            ("23:59:58.250", "23:59:58.250"), ("2026-04-03 10:37 PM", "22:37"), ("10:37PM", "22:37"),
        ])
    func times(found: String, expected: String) {
        #expect(text(.text(found), "time-local") == "\"\(expected)\"")
    }

    @Test(
        "what is no time of the day is null",
        arguments: [
            "", "No moonrise", "No sunset", "24:00", "13:00 PM", "00:30 AM", "9:05", "1", "12", "2400", "360", "2160",
            "12345", "06:49 XM",
            "06.49", "noon", "-300", "06:60 AM", "06:49 AM ", "6", "2026-04-03",
        ])
    func noTimes(found: String) { #expect(text(.text(found), "time-local") == "null") }

    @Test("a time as a number is read like its text; date and time without an offset stay local")
    func localMoments() {
        #expect(text(.number("300"), "time-local") == "\"03:00\"")
        #expect(text(.text("2026-04-03 10:37 PM"), "date-time-local") == "\"2026-04-03T22:37\"")
        #expect(text(.text("2026-04-03T22:37:05-0400"), "date-time-local") == "\"2026-04-03T22:37:05\"")
        #expect(text(.text("2026-04-03"), "date-time-local") == "null")
    }

    @Test("dates outside the contract's bounds are none")
    func bounds() {
        var rules = ValueRules()
        rules.earliest = CivilDate("1970-01-01")
        rules.latest = CivilDate("2028-12-31")
        let schema = ScalarSchema(types: [.string], format: "date-time", rules: rules)
        #expect(shown(schema.converted(.text("1969-12-31T19:00:00-0500"))) == "null")
        #expect(shown(schema.converted(.text("1970-01-01T00:00:00Z"))) == "\"1970-01-01T00:00:00Z\"")
        #expect(shown(schema.converted(.text("2028-12-31T23:59:59Z"))) == "\"2028-12-31T23:59:59Z\"")
        #expect(shown(schema.converted(.text("2029-12-31T00:00:00-0500"))) == "null")
        #expect(shown(schema.converted(.text("2099-10-30T00:00:00-0500"))) == "null")
    }

    @Test(
        "an address is a URI",
        arguments: [
            ("https://a.example/x.jpg", "https://a.example/x.jpg"), ("HTTPS://a.example", "https://a.example"),
            ("http://a.example/é?q=ö", "http://a.example/%C3%A9?q=%C3%B6"),
            ("mailto:a@b.example", "mailto:a@b.example"),
            ("urn:isbn:123", "urn:isbn:123"),
        ])
    func addresses(found: String, expected: String) { #expect(text(.text(found), "uri") == "\"\(expected)\"") }

    @Test(
        "what is no address is null",
        arguments: [
            "", "a.example/x.jpg", "/x.jpg", "//a.example/x.jpg", "https://", "http:///x", "https:a.example",
            "https://a.example/a b", "https://?x",
            "javascript", ":x", "1a:x", "https://a.example/<b>", "https://a.example/\"", "https://a.example\\x", "a:",
            "none",
            "https://a.example/\n",
        ])
    func noAddresses(found: String) { #expect(text(.text(found), "uri") == "null") }

    @Test("where only https is taken, http is turned into it")
    func secure() throws {
        var rules = ValueRules()
        rules.patterns = [try #require(LiteralPattern("^https://"))]
        rules.refusedPatterns = [try #require(LiteralPattern("image_not_available"))]
        let schema = ScalarSchema(types: [.string], format: "uri", rules: rules)
        #expect(shown(schema.converted(.text("http://i.example/a.jpg"))) == "\"https://i.example/a.jpg\"")
        #expect(shown(schema.converted(.text("HTTP://i.example/a.jpg"))) == "\"https://i.example/a.jpg\"")
        #expect(shown(schema.converted(.text("//i.example/a.jpg"))) == "\"https://i.example/a.jpg\"")
        #expect(shown(schema.converted(.text("ftp://i.example/a.jpg"))) == "null")
        #expect(shown(schema.converted(.text("http://"))) == "null")
        #expect(shown(schema.converted(.text("http://i.example/image_not_available.jpg"))) == "null")
    }

    @Test("values outside the contract's lists, lengths and bounds are none")
    func rules() {
        var rules = ValueRules()
        rules.minimumLength = 1
        rules.maximumLength = 3
        rules.refused = [.text("#N/A")]
        let texts = ScalarSchema(types: [.string], rules: rules)
        #expect(
            ["", "é", "abc", "abcd", "#N/A"].map { shown(texts.converted(.text($0))) } == [
                "null", "\"é\"", "\"abc\"", "null", "null",
            ])
        var bounds = ValueRules()
        bounds.minimum = 0
        bounds.exclusiveMaximum = 10
        bounds.refused = [.token("5")]
        let numbers = ScalarSchema(types: [.number], rules: bounds)
        #expect(
            ["-1", "0", "5.0", "9.99", "10", "x"].map { shown(numbers.converted(.text($0))) }
                == ["null", "0", "null", "9.99", "null", "null"])
        #expect(shown(numbers.converted(.number("1e400"))) == "null")
        var list = ValueRules()
        list.allowed = [.text("a"), .token("1")]
        #expect(shown(ScalarSchema(types: [.string, .integer], rules: list).converted(.number("1.0"))) == "1")
        #expect(shown(ScalarSchema(types: [.string, .integer], rules: list).converted(.text("a"))) == "\"a\"")
        #expect(shown(ScalarSchema(types: [.string, .integer], rules: list).converted(.text("b"))) == "null")
    }

    @Test("of several types the value's own comes first, then the first that it can be brought to")
    func several() {
        let schema = ScalarSchema(types: [.integer, .boolean, .string])
        #expect(shown(schema.converted(.text("5"))) == "\"5\"")
        #expect(shown(schema.converted(.number("5"))) == "5")
        #expect(shown(schema.converted(.number("5.5"))) == "\"5.5\"")
        #expect(shown(schema.converted(.flag(true))) == "true")
        #expect(shown(ScalarSchema(types: [.boolean, .number]).converted(.text("5"))) == "5")
        #expect(shown(ScalarSchema(types: []).converted(.text("5"))) == "null")
    }

    @Test("every text of a few bytes is converted without a trap, to JSON or to nothing")
    func total() {
        let signs: [Character] = [
            "-", "0", "9", ".", "e", ":", "T", "Z", " ", "A", "/", "%", "é", "\"", "\\", "\u{1F}",
        ]
        let schemas =
            [SchemaNode.ValueType.number, .integer, .boolean].map { ScalarSchema(types: [$0]) }
            + ["date", "date-time", "date-time-local", "time-local", "uri"].map {
                ScalarSchema(types: [.string], format: $0)
            }
        var seed: UInt64 = 1
        for _ in 0..<20_000 {
            var text = ""
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            for position in 0..<Int(seed >> 60) { text.append(signs[Int((seed >> (UInt64(position) * 4)) & 15)]) }
            for schema in schemas {
                guard let json = schema.converted(.text(text)) else { continue }
                #expect((json.first == 0x22) == schema.types.contains(.string))
            }
            _ = ScalarSchema.whole(text)
        }
    }
}
