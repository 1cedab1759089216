import Gateway
import GatewayTesting
import HTTP
import Loop
import Plan
import Testing

/// What files can't say.
@Suite("Fetching side by side")
struct SideBySideTests {
    private static let contract = """
        openapi: 3.1.0
        info: {title: Tree, version: "1"}
        x-sluice-upstreams: {tree: {url: "https://tree.example"}}
        paths:
          /nodes/{id}:
            get:
              operationId: getNode
              parameters:
                - {name: id, in: path, required: true, schema: {type: integer}}
                - {name: expand, in: query, style: form, explode: false, schema: {type: string}}
              x-sluice: {upstream: tree, path: "/nodes/{id}"}
              responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Node"}}}}}
        components:
          schemas:
            Node: {type: object, properties: {children: {type: array, items: {type: string, x-sluice-link: {to: getNode}}}}}
        """

    /// An answer to `/nodes/0?expand=children`, whose children are 1 to `count`.
    private func answer(
        _ count: Int, _ prepare: @escaping @Sendable (ScriptedUpstream) -> Void
    ) async throws -> (response: Response, mostAtOnce: Int) {
        let plan = try PlanLoader().load(sources: [("tree.yaml", Array(Self.contract.utf8))], environment: [:])
        return try await LoopThread.run { loop in
            let upstream = ScriptedUpstream(name: "tree", clock: ManualClock(loop: loop))
            let children = (1...count).map { "\"https://tree.example/nodes/\($0)\"" }.joined(separator: ",")
            upstream.answer("GET /nodes/0", with: .json("{\"children\":[\(children)]}"))
            for id in 1...count { upstream.answer("GET /nodes/\(id)", with: .json("\(id)")) }
            prepare(upstream)
            let gateway = Gateway(plan: plan, upstreams: [upstream], settings: GatewaySettings())
            let response = try await gateway.respond(to: Request(target: Target("/nodes/0?expand=children")))
            return (response, upstream.mostAtOnce)
        }
    }

    @Test("200 parts wait for their answers at the same time")
    func held() async throws {
        let (response, mostAtOnce) = try await answer(200) { upstream in
            // The node itself is answered at once; then nothing is, until all of its children are asked for.
            upstream.holdAnswers(until: 200, after: 1)
        }
        #expect(response.status == .ok)
        #expect(response.fields[.sluiceComplete] == "?1")
        #expect(mostAtOnce == 200)
        let expected = "{\"children\":[" + (1...200).map(String.init).joined(separator: ",") + "]}"
        #expect(try await response.body.collected(limit: 1 << 20) == Array(expected.utf8))
    }

    @Test("more parts than the budget's 256 are refused before any is asked for")
    func budget() async throws {
        let (response, mostAtOnce) = try await answer(257) { _ in }
        #expect(response.status == .badRequest)
        #expect(mostAtOnce == 1)
    }
}
