import HTTP
import Plan
import Testing

@testable import Gateway

@Suite("What targets mean")
struct MeaningsTests {
    private func meaning(_ id: String) throws -> Meaning {
        let text = """
            openapi: 3.1.0
            info: {title: Test, version: "1"}
            x-sluice-upstreams: {test: {url: "https://test.example"}}
            paths:
              /things/{id}:
                get:
                  operationId: \(id)
                  parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
                  x-sluice: {upstream: test}
                  responses: {"200": {content: {application/json: {schema: {type: object}}}}}
            """
        let plan = try PlanLoader().load(sources: [("test.yaml", Array(text.utf8))])
        let operation = try #require(plan.operations.first)
        return Meaning(
            operation: operation, arguments: Arguments(), selection: Selection(expansion: Expansion()), keyText: nil)
    }

    private func request(_ target: String, _ method: Method = .get) -> Request {
        Request(method: method, target: Target(target))
    }

    @Test("is known for GET and HEAD of the same path and query, and for nothing else")
    func known() throws {
        let meanings = Meanings()
        meanings.remember(try meaning("getThing"), for: request("/things/1?a=b"))
        #expect(meanings[request("/things/1?a=b")]?.operation.id == "getThing")
        #expect(meanings[request("/things/1?a=b", .head)]?.operation.id == "getThing")
        for other in [request("/things/1"), request("/things/1?a=c"), request("/things/1?"), request("/things/1/?a=b")]
        {
            #expect(meanings[other] == nil)
        }
        for method in [Method.post, .put, .delete, .options, .patch] {
            #expect(meanings[request("/things/1?a=b", method)] == nil)
            meanings.remember(try meaning("other"), for: request("/things/2", method))
        }
        #expect(meanings.count == 1)
    }

    @Test("takes bounded memory, whatever clients ask for")
    func bounded() throws {
        let meanings = Meanings()
        let some = try meaning("getThing")
        for number in 0..<3 * Meanings.limit {
            meanings.remember(some, for: request("/things/\(number)"))
            #expect(meanings.count <= Meanings.limit)
        }
        #expect(meanings[request("/things/\(3 * Meanings.limit - 1)")] != nil)
        let before = meanings.count
        meanings.remember(some, for: request("/things/1?x=" + String(repeating: "y", count: Meanings.longestTarget)))
        #expect(meanings.count == before)
    }
}
