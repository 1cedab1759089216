import Gateway
import GatewayTesting
import HTTP
import JSON
import Loop
import Plan
import Testing

/// Answers of an upstream that a file can't hold.
@Suite("Answers of upstreams")
struct UpstreamAnswerTests {
    private static let contract = """
        openapi: 3.1.0
        info: {title: Things, version: "1"}
        x-sluice-upstreams: {things: {url: "https://things.example"}}
        paths:
          /things:
            get:
              operationId: getThing
              x-sluice: {upstream: things}
              responses: {"200": {content: {application/json: {schema: {type: object}}}}}
        """

    private func answer(to body: Body) async throws -> (status: Int, text: String) {
        let plan = try PlanLoader().load(sources: [("things.yaml", Array(Self.contract.utf8))], environment: [:])
        return try await LoopThread.run { loop in
            let upstream = ScriptedUpstream(name: "things", clock: ManualClock(loop: loop))
            upstream.answer("GET /things", with: ScriptedUpstream.Answer(.success(Response(body: body))))
            var settings = GatewaySettings()
            settings.json.bytes = 1000
            let gateway = Gateway(plan: plan, upstreams: [upstream], settings: settings)
            let response = try await gateway.respond(to: Request(target: Target("/things")))
            let text = String(decoding: try await response.body.collected(limit: 1 << 20), as: UTF8.self)
            return (Int(response.status.code), text)
        }
    }

    private static let notJSON: [(body: [UInt8], why: String)] = [
        ([0x22, 0xFF, 0x22], "answers JSON that is no UTF-8"),
        ([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], "answers something that is no JSON"),
        ([UInt8](repeating: 0x5B, count: 65) + [UInt8](repeating: 0x5D, count: 65), "nested too deeply"),
        ([0x22] + [UInt8](repeating: 0x61, count: 1000) + [0x22], "answers more than is read"),
        ([0x1F, 0x8B, 8, 0, 0, 0, 0, 0], "answers JSON that is no UTF-8"),
        (Array("{\"a\":NaN}".utf8), "answers something that is no JSON"),
        (Array("{\"a\":1,}".utf8), "answers something that is no JSON"),
    ]

    @Test("what is no JSON for us is 502 and says why", arguments: notJSON)
    func refused(body: [UInt8], why: String) async throws {
        let (status, text) = try await answer(to: .bytes(body))
        #expect(status == 502)
        #expect(text.contains(why), "\(text)")
    }

    @Test("a stream is read to its end, and one that is too long is the upstream's fault, not the client's")
    func streams() async throws {
        let whole = try await answer(to: .stream(Pieces(["{\"a\"", ":1", "}"])))
        #expect(whole.status == 200)
        #expect(whole.text == "{\"a\":1}")
        let long = try await answer(to: .stream(Pieces(Array(repeating: "          ", count: 101))))
        #expect(long.status == 502)
        #expect(long.text.contains("\"code\":\"upstream-too-large\""))
        let cut = try await answer(to: .stream(Pieces(["{\"a\""], failure: "upstream-closed")))
        #expect(cut.status == 502)
        #expect(cut.text.contains("\"code\":\"upstream-closed\""))
    }
}

/// Content in pieces, perhaps with a failure in place of its end.
private final class Pieces: BodyStream, @unchecked Sendable {
    private var pieces: [String]
    private let failure: String?
    let length: Int? = nil

    init(_ pieces: [String], failure: String? = nil) {
        self.pieces = pieces
        self.failure = failure
    }

    func next() async throws(GatewayError) -> [UInt8]? {
        if !pieces.isEmpty { return Array(pieces.removeFirst().utf8) }
        guard let failure else { return nil }
        throw GatewayError(source: .upstream("things"), code: failure, status: .badGateway, detail: "It went away.")
    }
}
