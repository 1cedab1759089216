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

    @Test("a part with many links begins no more of them than the budget has calls for")
    func many() async throws {
        // Node 1 links 5,000 times to one node, to 3,000 different ones, and once more to the first.
        let same = Array(repeating: "\"https://tree.example/nodes/2\"", count: 5000)
        let different = (10..<3010).map { "\"https://tree.example/nodes/\($0)\"" }
        let links = (same + different + same.prefix(1)).joined(separator: ",")
        let plan = try PlanLoader().load(sources: [("tree.yaml", Array(Self.contract.utf8))], environment: [:])
        let (response, asked) = try await LoopThread.run { loop in
            let upstream = ScriptedUpstream(name: "tree", clock: ManualClock(loop: loop))
            upstream.answer("GET /nodes/0", with: .json("{\"children\":[\"https://tree.example/nodes/1\"]}"))
            upstream.answer("GET /nodes/1", with: .json("{\"children\":[\(links)]}"))
            upstream.answer("GET /nodes/2", with: .json("2"))
            for id in 10..<3010 { upstream.answer("GET /nodes/\(id)", with: .json("\(id)")) }
            let gateway = Gateway(plan: plan, upstreams: [upstream], settings: GatewaySettings())
            let target = Target("/nodes/0?expand=children.children")
            return (try await gateway.respond(to: Request(target: target)), upstream.log.map(\.target.text))
        }
        #expect(response.status == .ok)
        #expect(response.fields[.sluiceComplete] == "?0")
        // 257 calls in all: the node itself, its child, node 2 and the first 254 of the others, in their order.
        #expect(asked.count == 257)
        #expect(asked.contains("/nodes/263"))
        #expect(!asked.contains("/nodes/264"))
        let text = String(decoding: try await response.body.collected(limit: 1 << 24), as: UTF8.self)
        #expect(text.hasPrefix("{\"children\":[{\"children\":[2,2,2,"))
        #expect(text.contains(",2,10,11,12,"))
        #expect(text.contains(",262,263,\"/nodes/264\","))
        #expect(text.contains("\"/nodes/3009\",2]}],\"_errors\":[{\"pointer\":\"/children/0/children/5254\""))
        #expect(text.contains("\"code\":\"more-errors\",\"detail\":\"1746 more parts are missing.\""))
    }

    @Test("more parts than the budget's 256 are refused before any is asked for")
    func budget() async throws {
        let (response, mostAtOnce) = try await answer(257) { _ in }
        #expect(response.status == .badRequest)
        #expect(mostAtOnce == 1)
    }
}
