import Gateway
import GatewayTesting
import HTTP
import Loop
import Plan
import Testing

@Suite("Routes with a handler")
struct HandlerTests {
    private static let contract = """
        openapi: 3.1.0
        info: {title: Notes, version: "1"}
        x-sluice-upstreams:
          notes: {url: "https://notes.example/v1"}
          other: {url: "https://other.example"}
        x-sluice: {upstream: notes, handler: probe}
        paths:
          /notes/{id}:
            parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
            get:
              operationId: getNote
              parameters: [{name: size, in: query, schema: {type: integer, default: 3}}]
            put:
              operationId: putNote
              requestBody: {required: true, content: {text/*: {}, image/png: {}}}
              x-sluice: {limits: {body: 8B}}
            delete: {operationId: deleteNote}
          /plain:
            get:
              operationId: getPlain
              x-sluice: {upstream: null, handler: null}
        """

    /// Calls a closure as the handler `probe`.
    private struct Probe: RouteHandler {
        let body: @Sendable (HandlerCall) async throws(GatewayError) -> Response
        func respond(to call: HandlerCall) async throws(GatewayError) -> Response { try await body(call) }
    }

    /// Content in pieces, perhaps of unknown length.
    private final class Pieces: BodyStream, @unchecked Sendable {
        let length: Int?
        private var pieces: [[UInt8]]
        init(_ pieces: [String], length: Int? = nil) {
            self.pieces = pieces.map { Array($0.utf8) }
            self.length = length
        }
        func next() async throws(GatewayError) -> [UInt8]? { pieces.isEmpty ? nil : pieces.removeFirst() }
    }

    /// Answers `request` with `handler` behind every route; also what the upstream saw.
    private func answer(
        _ request: Request, prepare: @escaping @Sendable (ScriptedUpstream) -> Void = { _ in },
        _ handler: @escaping @Sendable (HandlerCall) async throws(GatewayError) -> Response
    ) async throws -> (response: Response, asked: [Request]) {
        let plan = try PlanLoader(handlers: ["probe"]).load(
            sources: [("notes.yaml", Array(Self.contract.utf8))], environment: [:])
        return try await LoopThread.run { loop in
            let clock = ManualClock(loop: loop)
            let upstreams = plan.upstreams.map { ScriptedUpstream(name: $0.name, clock: clock) }
            for upstream in upstreams { prepare(upstream) }
            var settings = GatewaySettings()
            settings.publicURL = "https://gateway.example"
            let gateway = Gateway(
                plan: plan, upstreams: upstreams, settings: settings, handlers: ["probe": Probe(body: handler)])
            let response = try await gateway.respond(to: request)
            return (response, upstreams.flatMap(\.log))
        }
    }

    private func text(_ response: Response) async throws -> String {
        String(decoding: try await response.body.collected(limit: 1 << 20), as: UTF8.self)
    }

    private func put(_ body: Body, type: String? = "text/plain", _ more: [(FieldName, String)] = []) -> Request {
        let fields = Fields((type.map { [(.contentType, $0)] } ?? []) + more)
        return Request(method: .put, target: Target("/notes/7"), fields: fields, body: body)
    }

    @Test("a handler gets the checked parameters, the route's name and the base of links")
    func call() async throws {
        let (response, _) = try await answer(Request(target: Target("/notes/07"))) { call throws(GatewayError) in
            let facts = [
                call.operation, call.arguments["id"] ?? "", call.arguments["size"] ?? "", call.base,
                call.request.method.rawValue, call.owner ?? "nobody",
            ]
            return Response(body: .bytes(Array(facts.joined(separator: " ").utf8)))
        }
        #expect(try await text(response) == "getNote 7 3 https://gateway.example GET nobody")
        #expect(response.fields["X-Content-Type-Options"] == "nosniff")
        #expect(response.fields[.cacheControl] == "no-store")
        #expect(response.fields.contains(.requestID))
    }

    @Test("a wrong parameter never reaches a handler")
    func wrongParameter() async throws {
        let (response, _) = try await answer(Request(target: Target("/notes/x"))) { _ in Response() }
        #expect(response.status == .badRequest)
    }

    @Test("a handler's answer to GET has a tag, by which it is not sent again")
    func notModified() async throws {
        let content = Array("the same".utf8)
        let handler: @Sendable (HandlerCall) async throws(GatewayError) -> Response = { _ in
            Response(
                fields: Fields([(.contentType, "text/plain"), (.cacheControl, "max-age=9")]), body: .bytes(content))
        }
        let (first, _) = try await answer(Request(target: Target("/notes/1")), handler)
        let tag = try #require(first.fields[.etag])
        #expect(first.fields[.cacheControl] == "max-age=9")
        let again = Request(target: Target("/notes/1"), fields: Fields([(.ifNoneMatch, tag)]))
        let (second, _) = try await answer(again, handler)
        #expect(second.status == .notModified)
        #expect(second.body.isEmpty)
    }

    @Test("a stream is passed on as it is, without a coding")
    func stream() async throws {
        let request = Request(target: Target("/notes/1"), fields: Fields([(.acceptEncoding, "gzip, br")]))
        let (response, _) = try await answer(request) { _ in
            Response(
                fields: Fields([(.contentType, "text/event-stream")]),
                body: .stream(Pieces(["data: 1\n\n", "data: 2\n\n"])))
        }
        guard case .stream = response.body else {
            Issue.record("the stream was read")
            return
        }
        #expect(!response.fields.contains(.contentEncoding))
        #expect(try await text(response) == "data: 1\n\ndata: 2\n\n")
    }

    @Test(
        "a handler's upstream is asked below its base and counted, and other upstreams are there by name and by address"
    )
    func upstreams() async throws {
        @Sendable func prepare(_ upstream: ScriptedUpstream) {
            upstream.answer("PUT /a", with: .json("1"))
            upstream.answer("GET /b", with: .json("2"))
            upstream.answer("GET /c", with: .json("3"))
        }
        let (response, asked) = try await answer(put(.bytes([1])), prepare: prepare) { call throws(GatewayError) in
            _ = try await call.upstream.respond(to: Request(method: .put, target: Target("/a")))
            _ = try await call.upstreamNamed("other")?.respond(to: Request(target: Target("/b")))
            let place = call.locate("https://other.example/c")
            let last = try await place?.upstream.respond(to: Request(target: place?.target ?? Target("/")))
            #expect(call.locate("https://else.example/c") == nil && call.upstreamNamed("third") == nil)
            return last ?? Response(status: .notFound)
        }
        #expect(try await text(response) == "3")
        #expect(asked.map(\.method) == [.put, .get, .get])
        #expect(asked.map(\.authority) == ["notes.example", "other.example", "other.example"])
        #expect(asked.allSatisfy { $0.budget != nil && !$0.id.isEmpty })
        #expect(response.fields[.serverTiming]?.contains("3 requests") == true)
    }

    @Test("a handler asks the gateway's own routes")
    func ownRoutes() async throws {
        let (response, _) = try await answer(Request(target: Target("/notes/1"))) { call throws(GatewayError) in
            try await call.gateway.respond(to: Request(target: Target("/plain")))
        }
        #expect(try await text(response) == "{}")
    }

    @Test("content goes to the handler as it came")
    func content() async throws {
        let (response, _) = try await answer(put(.stream(Pieces(["1234", "5678"])))) { call throws(GatewayError) in
            Response(status: .created, body: .bytes(try await call.request.body.collected(limit: 100)))
        }
        #expect(response.status == .created)
        #expect(try await text(response) == "12345678")
        #expect(response.fields[.cacheControl] == "no-store")
    }

    @Test("content that the contract doesn't allow is refused before a handler sees it", arguments: refusals)
    private func refused(_ refusal: Refusal) async throws {
        let (response, _) = try await answer(refusal.request()) { call throws(GatewayError) in
            _ = try await call.request.body.collected(limit: 100)
            return Response()
        }
        #expect(Int(response.status.code) == refusal.status)
        for (name, value) in refusal.fields { #expect(response.fields[name] == value) }
        #expect(try await text(response).contains(refusal.code))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: @Sendable () -> Request
        var status: Int
        var code: String
        var fields: [(FieldName, String)] = []
    }

    private static let refusals: [Refusal] = [
        Refusal(
            testDescription: "another type", request: { HandlerTests().put(.bytes([1]), type: "application/json") },
            status: 415, code: "unsupported-media-type", fields: [(.accept, "text/*, image/png")]),
        Refusal(
            testDescription: "no type", request: { HandlerTests().put(.bytes([1]), type: nil) }, status: 415,
            code: "unsupported-media-type"),
        Refusal(
            testDescription: "two types",
            request: { HandlerTests().put(.bytes([1]), type: "text/plain", [(.contentType, "text/plain")]) },
            status: 415, code: "unsupported-media-type"),
        Refusal(
            testDescription: "a coding",
            request: { HandlerTests().put(.bytes([1]), type: "text/plain", [(.contentEncoding, "gzip")]) }, status: 415,
            code: "coded-content", fields: [(.acceptEncoding, "identity")]),
        Refusal(
            testDescription: "none where some is needed", request: { HandlerTests().put(.none) }, status: 400,
            code: "missing-content"),
        Refusal(
            testDescription: "an empty stream where some is needed",
            request: { HandlerTests().put(.stream(Pieces([]))) }, status: 400, code: "missing-content"),
        Refusal(
            testDescription: "a length over the limit",
            request: { HandlerTests().put(.stream(Pieces(["123456789"], length: 9))) }, status: 413,
            code: "content-too-large"),
        Refusal(
            testDescription: "pieces that grow over the limit",
            request: { HandlerTests().put(.stream(Pieces(["12345", "6789"]))) }, status: 413, code: "content-too-large"),
        Refusal(
            testDescription: "bytes over the limit",
            request: { HandlerTests().put(.bytes(Array(repeating: 1, count: 9))) }, status: 413,
            code: "content-too-large"),
        Refusal(
            testDescription: "content where none is declared",
            request: { Request(method: .delete, target: Target("/notes/1"), body: .bytes([1])) }, status: 415,
            code: "unsupported-media-type"),
    ]
}
