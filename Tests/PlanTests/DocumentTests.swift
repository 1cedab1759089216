import JSON
import Plan
import Testing

@Suite("The merged document")
struct DocumentTests {
    /// A member at a JSON Pointer as text.
    private func value(_ pointer: String, _ document: [UInt8]) throws -> String? {
        let json = try JSONDocument(document)
        let place = try #require(JSONPointer(pointer))
        return json.node(at: place).map { String(decoding: json.bytes(of: $0), as: UTF8.self) }
    }

    @Test("it is JSON without our keys, with one server and references within itself")
    func frame() throws {
        let document = try shippedPlan().document
        let text = String(decoding: document, as: UTF8.self)
        #expect(!text.contains("x-sluice"))
        #expect(!text.contains("common.yaml"))
        #expect(!text.contains("swapi.dev/api"))
        #expect(try value("/openapi", document) == "\"3.1.0\"")
        #expect(try value("/servers", document) == "[{\"url\":\"\(OpenAPIDocument.serverPlaceholder)\"}]")
        #expect(text.ranges(of: OpenAPIDocument.serverPlaceholder).count == 1)
        #expect(try value("/info/title", document) == "\"Star Wars\"")
        var rest = text[...]
        while let place = rest.firstRange(of: "\"$ref\":\"") {
            rest = rest[place.upperBound...]
            let reference = String(rest.prefix { $0 != "\"" })
            #expect(reference.hasPrefix("#/components/"))
            #expect(try value(String(reference.dropFirst()), document) != nil)
        }
    }

    @Test("expand lists every path once for each resource")
    func expand() throws {
        let document = try shippedPlan().document
        let items = ##"{"type":"array","items":{"$ref":"#/components/schemas/FilmExpand"}}"##
        #expect(try value("/paths/~1films/get/parameters/3/schema", document) == items)
        #expect(try value("/paths/~1films~1{id}/get/parameters/1/schema", document) == items)
        #expect(try value("/paths/~1films~1{id}/get/parameters/1/explode", document) == "false")
        let paths = try #require(try value("/components/schemas/FilmExpand/enum", document))
        #expect(paths.contains("\"starships.pilots.homeworld\""))
        #expect(paths.hasPrefix("[\"characters\",\"characters.homeworld\","))
    }

    @Test("the slot of a link takes the link or what it leads to")
    func slots() throws {
        let document = try shippedPlan().document
        #expect(
            try value("/components/schemas/Film/properties/starships/items", document)
                == ##"{"anyOf":[{"type":"string","format":"uri"},{"$ref":"#/components/schemas/Starship"}]}"##)
        #expect(try value("/components/schemas/Film/properties/url/type", document) == "\"string\"")
    }

    @Test("an answer without a description gets the words of its status, and failures are described")
    func responses() throws {
        let document = try smallPlan().document
        #expect(try value("/paths/~1films/get/responses/200/description", document) == "\"OK\"")
        #expect(
            try value("/paths/~1films/get/responses/default", document)
                == ##"{"$ref":"#/components/responses/GatewayProblem"}"##)
        let problem = try value(
            "/components/responses/GatewayProblem/content/application~1problem+json/schema/required", document)
        #expect(problem == #"["type","title","status","detail","code"]"#)
        #expect(try value("/paths/~1films~1{id}/get/parameters/1/schema/default", document) == "[\"ships\"]")
    }

    @Test("more than a thousand paths become a pattern")
    func pattern() throws {
        let document = try smallPlan(
            SmallContract.films.replacing(
                "        title: {type: string}\n",
                with: (0..<40).map { "        s\($0): {type: string, x-sluice-link: {to: getFilm}}\n" }.joined())
        ).document
        #expect(try value("/components/schemas/FilmExpand/enum", document) == nil)
        let pattern = try #require(try value("/components/schemas/FilmExpand/pattern", document))
        #expect(pattern.hasPrefix("\"^(s0|s1|"))
        #expect(pattern.hasSuffix("|ships)(\\\\.[^.,]+)*$\""))
    }

    @Test("a list whose envelope is ours is described as ours")
    func envelope() throws {
        let document = try smallPlan(SmallContract.films.replacing(", next: /next, previous: /previous", with: ""))
            .document
        #expect(
            try value("/paths/~1films/get/responses/200/content/application~1json/schema", document)
                == ##"{"$ref":"#/components/schemas/listFilmsAnswer"}"##)
        #expect(
            try value("/components/schemas/listFilmsAnswer/properties/results", document)
                == ##"{"type":"array","items":{"$ref":"#/components/schemas/Film"}}"##)
    }

    @Test("examples and defaults are data: what looks like a reference or one of our keys stays")
    func data() throws {
        let document = try smallPlan(
            SmallContract.films.replacing(
                "title: {type: string}",
                with: "title: {type: object, example: {$ref: x, x-sluice: [1, 0x10, .5, null, \"é\"]}}")
        ).document
        #expect(
            try value("/components/schemas/Film/properties/title/example", document)
                == "{\"$ref\":\"x\",\"x-sluice\":[1,16,0.5,null,\"é\"]}")
    }

    @Test("several documents become one: names that collide are told apart, security and tags are kept")
    func merged() throws {
        func contract(_ name: String) -> (name: String, text: [UInt8]) {
            let text = """
                openapi: 3.1.0
                info: {title: \(name), version: "1", description: About \(name).}
                security: [{key: []}]
                tags: [{name: all}, {name: \(name)}]
                paths:
                  /\(name):
                    get:
                      operationId: \(name)
                      responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}
                components:
                  schemas: {Thing: {type: object, properties: {\(name): {type: string}, again: {$ref: "#/components/schemas/Thing"}}}}
                  securitySchemes: {key: {type: apiKey, in: header, name: X-\(name)}}
                """
            return (name + ".yaml", Array(text.utf8))
        }
        let document = try PlanLoader().load(sources: [contract("a"), contract("b")]).document
        #expect(
            try value("/info", document)
                == #"{"title":"a, b","version":"1","description":"a: About a.\n\nb: About b."}"#)
        #expect(try value("/tags", document) == #"[{"name":"all"},{"name":"a"},{"name":"b"}]"#)
        #expect(try value("/paths/~1a/get/security", document) == #"[{"key":[]}]"#)
        #expect(try value("/paths/~1b/get/security", document) == #"[{"key.b":[]}]"#)
        #expect(try value("/components/securitySchemes/key.b/name", document) == "\"X-b\"")
        #expect(
            try value("/components/schemas/Thing.b", document)
                == ##"{"type":"object","properties":{"b":{"type":"string"},"again":{"$ref":"#/components/schemas/Thing.b"}}}"##
        )
    }
}
