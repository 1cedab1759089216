public import HTTP

/// A stand-in for SWAPI (the Star Wars API of swapi.co and swapi.dev) that answers from memory as the original did: its whole
/// catalogue, its links, paging, search, content negotiation, entity tags, redirects and errors. The base path is `/api`.
///
/// It is put behind a server; it opens no sockets. Immutable but for the request limit, so one object serves all workers. An answer
/// to HEAD holds the content that GET would get: whoever writes the answer leaves it out.
public final class SampleSWAPI: Responder {
    /// Called before each answer; it waits, and may throw in the upstream's stead.
    public typealias Delay = @Sendable (Request) async throws(GatewayError) -> Void

    private let catalogue = SWAPICatalogue()
    private let schemas: [SWAPIKind: [UInt8]]
    private let throttle: Throttle?
    private let delay: Delay?
    private let defaultAuthority: String
    private let fields = AnswerFields()

    /// - Parameters:
    ///   - limit: how many requests are answered before the rest gets 429; nil for no limit.
    ///   - delay: what happens before each answer; nil for none.
    ///   - defaultAuthority: host and port that links name where a request has no `Host`.
    public init(limit: RequestLimit? = nil, delay: Delay? = nil, defaultAuthority: String = "localhost") {
        throttle = limit.map { Throttle($0) }
        self.delay = delay
        self.defaultAuthority = defaultAuthority
        schemas = Dictionary(uniqueKeysWithValues: SWAPIKind.allCases.map { ($0, $0.schema) })
    }

    public func respond(to request: Request) async throws(GatewayError) -> Response {
        if let delay { try await delay(request) }
        return answer(to: request)
    }

    /// The answer, at once.
    func answer(to request: Request) -> Response {
        let answer = answer(to: request, route: SWAPIRoute(path: request.target.path))
        return answer.response(to: request, fields)
    }

    private func answer(to request: Request, route: SWAPIRoute) -> SWAPIAnswer {
        switch route {
        case .nothing: return .page(.notFound, "Not Found")
        case .withoutSlash:
            let query = request.target.query.flatMap { $0.isEmpty ? nil : "?" + $0 } ?? ""
            return .moved(to: root(of: request) + request.target.path + "/" + query)
        case .root, .list, .resource, .schema: break
        }
        let query = FormQuery(request.target.query)
        guard let form = SWAPIForm(accept: request.fields.list(.accept), format: query["format"]) else {
            return .json(.notAcceptable, detail: "Could not satisfy the request Accept header")
        }
        // The browsable pages are for resources alone.
        let plain = form == .page ? SWAPIForm.json : form
        if let seconds = throttle?.wait() {
            let unit = seconds == 1 ? "second" : "seconds"
            var answer = SWAPIAnswer.json(
                .tooManyRequests, detail: "Request was throttled. Expected available in \(seconds) \(unit).", plain)
            answer.extra = (.retryAfter, String(seconds))
            return answer
        }
        switch request.method {
        case .get, .head: return resource(route, query, form, root: root(of: request))
        case .options: return SWAPIAnswer(.ok, plain, Self.options)
        case .post, .put, .patch, .delete, .other:
            return .json(.methodNotAllowed, detail: "Method '\(request.method.rawValue)' not allowed.", plain)
        }
    }

    private static let options = Array(
        #"{"name":"SWAPI","description":"","renders":["application/json","text/html"],"parses":["application/json"]}"#
            .utf8)

    private func resource(_ route: SWAPIRoute, _ query: FormQuery, _ form: SWAPIForm, root: String) -> SWAPIAnswer {
        let address = Array(escaped(root).utf8)
        switch route {
        case .root:
            let links = SWAPIKind.allCases.map { "\"\($0.rawValue)\":\"\(escaped(root))/api/\($0.rawValue)/\"" }
            return SWAPIAnswer(.ok, form, Array("{\(links.joined(separator: ","))}".utf8))
        case .schema(let kind): return SWAPIAnswer(.ok, form, schemas[kind] ?? [])
        case .list(let kind):
            let found = catalogue.found(kind, search: query["search"])
            guard let page = SWAPIListPage(of: found, asked: query["page"]) else { return .missing(form) }
            return SWAPIAnswer(.ok, form, page.json(kind, query, address))
        case .resource(let kind, let text):
            guard let id = identifier(text), let found = catalogue.resource(kind, id: id, search: query["search"])
            else {
                return .missing(form)
            }
            var json: [UInt8] = []
            json.reserveCapacity(found.json.count(root: address))
            found.json.write(root: address, to: &json)
            return SWAPIAnswer(.ok, form, json)
        case .withoutSlash, .nothing: return .page(.notFound, "Not Found")
        }
    }

    /// Scheme and authority that links begin with. Only `X-Forwarded-Proto` of all forwarding fields counts.
    private func root(of request: Request) -> String {
        let scheme = request.fields["X-Forwarded-Proto"] == "https" ? "https" : "http"
        return scheme + "://" + (request.authority ?? request.fields[.host] ?? defaultAuthority)
    }
}

/// An id: digits, with blanks around them or zeros before them. Nil for any other text.
private func identifier(_ text: String) -> Int? {
    ASCII.decimal(trimmed(text).utf8)
}
