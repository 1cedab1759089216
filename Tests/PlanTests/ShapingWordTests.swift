import Plan
import Testing

@Suite("Words of shapes")
struct ShapingWordTests {
    @Test(
        "a pattern of literal text says where it stands",
        arguments: [
            ("^https://", "https://a", true), ("^https://", "xhttps://a", false), ("jpg$", "a.jpg", true),
            ("jpg$", "a.jpgx", false), ("^a$", "a", true),
            ("^a$", "aa", false), ("image_not_available", "http://x/image_not_available.jpg", true),
            ("aab", "aaab", true), ("aab", "aba", false),
            ("a\\.b", "a.b", true), ("a\\.b", "axb", false), ("", "anything", true), ("^$", "", true),
            ("^$", "a", false), ("é", "café", true),
        ])
    func patterns(pattern: String, text: String, fits: Bool) throws {
        #expect(try #require(LiteralPattern(pattern)).matches(text) == fits)
    }

    @Test(
        "any other pattern is none",
        arguments: [
            "a.b", "a*", "a+", "a?", "(a)", "[a]", "{2}", "a|b", "a^", "a$b", "\\d", "\\", "a\\", "^^a", "a$$", "\\w+",
        ])
    func others(pattern: String) { #expect(LiteralPattern(pattern) == nil) }

    @Test("places are read as they are written", arguments: ["", "/", "a//b", "a/", "~", "a~2", "//a"])
    func badPlaces(text: String) { #expect(AnswerPlace(text) == nil) }

    @Test("a place's steps are names, positions and members")
    func places() throws {
        let place = try #require(AnswerPlace("/dates/type=onsaleDate/0/a~1b"))
        #expect(place.isFromRoot)
        #expect(place.steps.map(\.name) == ["dates", "type=onsaleDate", "0", "a/b"])
        #expect(place.steps.map(\.position) == [nil, nil, 0, nil])
        #expect(place.steps.map(\.member) == [nil, "type", nil, nil])
        #expect(try #require(AnswerPlace(".")).steps.isEmpty)
    }

    @Test("a date is in the calendar or none")
    func dates() throws {
        #expect(CivilDate("2024-02-29")?.text == "2024-02-29")
        #expect(CivilDate("2000-02-29") != nil)
        for text in [
            "2023-02-29", "1900-02-29", "2024-2-29", "2024-02-30", "2024-00-01", "2024-13-01", "0000-01-01",
            "-001-01-01", "2024-01-01T", "",
        ] {
            #expect(CivilDate(text) == nil)
        }
        let (early, late) = (try #require(CivilDate("2023-12-31")), try #require(CivilDate("2024-01-01")))
        #expect(early < late)
        #expect(!(late < early))
    }

    @Test("the merged document says which properties of a shaped answer may be null, and has none of our words")
    func document() throws {
        let text = """
            openapi: 3.1.0
            info: {title: Test, version: "1"}
            x-sluice-upstreams: {test: {url: "https://test.example"}}
            paths:
              /thing:
                get:
                  operationId: getThing
                  x-sluice: {upstream: test, shape: true, require: [], errors: [{at: /e, status: 404}], expects: [/a]}
                  responses: {"200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}
            components:
              schemas:
                Thing:
                  type: object
                  properties:
                    a: {type: string, x-sluice-from: b, enum: [x, y]}
                    b: {type: [string, "null"]}
                    c: {type: integer, default: 0}
                    d: {$ref: "#/components/schemas/Inner"}
                    e: {type: array, items: {type: string}}
                    f: {x-sluice-link: {to: getThing, params: {}}}
                    g: {type: boolean}
                    h: {type: string, not: {pattern: x}}
                Inner: {type: object, properties: {a: {type: number}}}
            """
        let document = String(
            decoding: try PlanLoader().load(sources: [("a.yaml", Array(text.utf8))]).document, as: UTF8.self)
        #expect(!document.contains("x-sluice"))
        for part in [
            #""a":{"type":["string","null"],"enum":["x","y",null]}"#, #""b":{"type":["string","null"]}"#,
            #""c":{"type":"integer","default":0}"#,
            ##""d":{"anyOf":[{"$ref":"#/components/schemas/Inner"},{"type":"null"}]}"##,
            #""h":{"anyOf":[{"type":"string","not":{"pattern":"x"}},{"type":"null"}]}"#,
            #""e":{"type":"array","items":{"type":"string"}}"#, #""g":{"type":["boolean","null"]}"#,
            #""a":{"type":["number","null"]}"#,
        ] { #expect(document.contains(part), "\(part) isn't in \(document)") }
    }
}
