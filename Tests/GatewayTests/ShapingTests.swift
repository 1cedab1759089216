import JSON
import Plan
import Testing

@testable import Gateway

/// Shaping of whole documents, by contracts that are loaded as usual.
@Suite("Shaping")
struct ShapingTests {
    /// The shaped schemas of a contract with one shaped operation, whose resource is `schema`, and the resource's index.
    private func schemas(_ schema: String, components: String = "") throws -> (schemas: [ShapedSchema], resource: Int) {
        let text = """
            openapi: 3.1.0
            info: {title: Test, version: "1"}
            x-sluice-upstreams: {test: {url: "https://test.example"}}
            paths:
              /thing:
                get:
                  operationId: getThing
                  x-sluice: {upstream: test, shape: true}
                  responses: {"200": {content: {application/json: {schema: \(schema)}}}}
            components:
              schemas:
                Unused: {type: string}
            \(components)
            """
        let plan = try PlanLoader().load(sources: [("test.yaml", Array(text.utf8))])
        let resource = try #require(plan.operations.first?.resource)
        return (plan.schemas.map { ShapedSchema($0, in: plan.schemas) }, resource)
    }

    private func shaped(
        _ json: String, _ schema: (schemas: [ShapedSchema], resource: Int), limits: JSONLimits = JSONLimits()
    ) throws -> String {
        let document = try JSONDocument(Array(json.utf8))
        var shaping = Shaping(schema.schemas, document, limits: limits)
        _ = try shaping.shape(document.root, as: schema.resource)
        return String(decoding: shaping.bytes, as: UTF8.self)
    }

    @Test("a place leads through objects by names and through arrays by positions and members")
    func places() throws {
        func value(_ place: String, _ json: String) throws -> String {
            try shaped(
                json,
                schemas(
                    "{type: object, properties: {v: {type: [string, integer, 'null'], x-sluice-from: \"\(place)\"}}}"))
        }
        #expect(try value("a/b", #"{"a":{"b":"x"}}"#) == #"{"v":"x"}"#)
        #expect(try value("a/1", #"{"a":["x","y"]}"#) == #"{"v":"y"}"#)
        #expect(try value("a/01", #"{"a":["x","y"]}"#) == #"{"v":null}"#)
        #expect(try value("a/01", #"{"a":{"01":"x"}}"#) == #"{"v":"x"}"#)
        #expect(try value("a/9", #"{"a":["x"]}"#) == #"{"v":null}"#)
        #expect(try value("a/99999999999999999999", #"{"a":["x"]}"#) == #"{"v":null}"#)
        #expect(
            try value("a/t=2/v", #"{"a":[7,{"t":1},{"v":"n"},{"t":2,"v":"x"},{"t":"2","v":"y"}]}"#) == #"{"v":"x"}"#)
        #expect(try value("a/t=/v", #"{"a":[{"t":"","v":"x"}]}"#) == #"{"v":"x"}"#)
        #expect(try value("a/t=b=c/v", #"{"a":[{"t":"b=c","v":"x"}]}"#) == #"{"v":"x"}"#)
        #expect(try value("a/t=b", #"{"a":{"t=b":"x"}}"#) == #"{"v":"x"}"#)
        #expect(try value("a~1b/~0", #"{"a/b":{"~":"x"}}"#) == #"{"v":"x"}"#)
        #expect(try value("/a", #"{"a":5}"#) == #"{"v":5}"#)
        #expect(try value("a/b/c", #"{"a":"b"}"#) == #"{"v":null}"#)
        #expect(try value(".", #"{"a":"b"}"#) == #"{"v":null}"#)
    }

    @Test("a text made of places needs all of them")
    func templates() throws {
        let schema = try schemas("{type: object, properties: {v: {type: string, x-sluice-from: \"{a}-{b/0}!\"}}}")
        #expect(try shaped(#"{"a":"x","b":[1.50]}"#, schema) == #"{"v":"x-1.50!"}"#)
        #expect(try shaped(#"{"a":true,"b":["\u00e9\""]}"#, schema) == #"{"v":"true-é\"!"}"#)
        for json in [
            #"{"a":"x"}"#, #"{"a":"","b":[1]}"#, #"{"a":null,"b":[1]}"#, #"{"a":{},"b":[1]}"#, #"{"a":"x","b":[[]]}"#,
        ] {
            #expect(try shaped(json, schema) == #"{"v":null}"#)
        }
    }

    @Test("of members with the same name the last one counts")
    func duplicates() throws {
        let schema = try schemas("{type: object, properties: {a: {type: integer}}}")
        #expect(try shaped(#"{"a":1,"b":0,"a":2}"#, schema) == #"{"a":2}"#)
    }

    @Test("texts and numbers that need no conversion keep their bytes")
    func bytes() throws {
        let schema = try schemas(
            "{type: object, properties: {s: {type: string, minLength: 1}, n: {type: number}, e: {type: string, maxLength: 3}}}"
        )
        #expect(
            try shaped(#"{"s":"a\/\u00e9","n":1.50e0,"e":"\u0061\/"}"#, schema)
                == #"{"s":"a\/\u00e9","n":1.50e0,"e":"a/"}"#)
    }

    private static let tree = """
            Tree: {type: object, properties: {name: {type: string}, children: {type: array, items: {$ref: "#/components/schemas/Tree"}}, twin: {$ref: "#/components/schemas/Tree", x-sluice-from: child}, other: {$ref: "#/components/schemas/Tree", x-sluice-from: child}}}
        """

    @Test("a recursive schema ends where the document does")
    func recursion() throws {
        let schema = try schemas("{$ref: \"#/components/schemas/Tree\"}", components: Self.tree)
        #expect(
            try shaped(#"{"name":"a","children":[{"name":"b"},3]}"#, schema)
                == #"{"name":"a","children":[{"name":"b","children":[],"twin":null,"other":null}],"twin":null,"other":null}"#
        )
    }

    @Test("a shape that doubles at every level is refused when it passes the limits of what is read")
    func doubling() throws {
        let schema = try schemas("{$ref: \"#/components/schemas/Tree\"}", components: Self.tree)
        let json = String(repeating: "{\"child\":", count: 40) + "{}" + String(repeating: "}", count: 40)
        #expect(throws: JSONError.tooManyValues) { try shaped(json, schema) }
        var limits = JSONLimits()
        limits.bytes = 1000
        #expect(throws: JSONError.tooLarge) { try shaped(json, schema, limits: limits) }
        limits = JSONLimits()
        limits.depth = 8
        #expect(throws: JSONError.tooDeep) { try shaped(json, schema, limits: limits) }
    }

    @Test("any document is shaped to JSON with exactly the declared members")
    func anything() throws {
        let schema = try schemas(
            """
            {type: object, properties: {a: {type: integer, minimum: 0}, b: {type: [string, "null"], format: date-time, x-sluice-from: [b/t=1/v, "{a}T{c}"]},
             c: {type: array, items: {type: object, properties: {a: {type: boolean}, b: {type: array, items: {type: number}}}}},
             t: {type: object, x-sluice-from: ., properties: {v: {type: string, pattern: "^x"}, c: {}}}}}
            """)
        var random = Random(seed: 7)
        for _ in 0..<3000 {
            let text = try shaped(random.json(depth: 5), schema)
            let document = try JSONDocument(Array(text.utf8))
            guard document.kind(of: document.root) == .object else {
                #expect(text == "null")
                continue
            }
            #expect(document.members(of: document.root).map { document.string(of: $0.key) } == ["a", "b", "c", "t"])
            let list = try #require(document.member("c", of: document.root))
            #expect(document.kind(of: list) == .array)
            for item in document.elements(of: list) {
                #expect(document.members(of: item).map { document.string(of: $0.key) } == ["a", "b"])
            }
        }
    }
}

/// A source of documents that is the same in every run.
private struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }

    private mutating func one(of texts: [String]) -> String { texts[next(texts.count)] }

    mutating func json(depth: Int) -> String {
        switch next(depth > 0 ? 8 : 5) {
        case 0: return one(of: ["null", "true", "false"])
        case 1: return one(of: ["0", "-0", "1", "1.0", "1e3", "-5", "0.5", "12345678901234567890", "1e999"])
        case 2, 3:
            return one(of: [
                "\"\"", "\"x\"", "\"1\"", "\"1,600\"", "\"\\u0000\"", "\"\\ud800\"", "\"2024-05-22T00:00:00-0400\"",
                "\"true\"", "\"é\\\"\"",
            ])
        case 4, 5:
            let count = depth > 0 ? next(4) : 0
            return "[" + (0..<count).map { _ in json(depth: depth - 1) }.joined(separator: ",") + "]"
        default:
            let count = next(6)
            let members = (0..<count).map { _ in
                one(of: ["\"a\":", "\"b\":", "\"c\":", "\"t\":", "\"v\":", "\"\":"]) + json(depth: depth - 1)
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }
}
