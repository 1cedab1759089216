public import HTTP
internal import JSON

/// What is to be dropped from the cache.
public enum Purge: Sendable, Equatable {
    case everything
    /// What is kept for one address: a local one, or an upstream's without its credentials.
    case url(String)
    /// What the route with this path template asked for.
    case route(String)
    /// What has this tag, such as the name of an upstream.
    case tag(String)

    private static let names = ["route", "tag", "url"]

    /// What a query asks for; no query: everything.
    /// - Throws: 400 for an unknown, repeated, empty or unreadable parameter, and for more than one.
    init(_ target: Target) throws(GatewayError) {
        guard let pairs = target.pairs else {
            throw Purge.mistake("The query holds a percent-encoding that stands for no UTF-8 text.")
        }
        guard let (name, value) = pairs.first else {
            self = .everything
            return
        }
        guard Purge.names.contains(name) else {
            throw Purge.mistake("\"\(name.prefix(60))\" is no parameter of this path.", name)
        }
        guard pairs.count == 1 else {
            throw Purge.mistake(
                "One of url, route and tag says what is dropped, once. An & in a value is written %26.", pairs[1].name)
        }
        guard !value.isEmpty else { throw Purge.mistake("\"\(name)\" is empty.", name) }
        switch name {
        case "url": self = .url(value)
        case "route": self = .route(value)
        default: self = .tag(value)
        }
    }

    /// 400 for a parameter.
    /// - Parameter allowed: what may stand there; nil: the names of the parameters.
    public static func mistake(
        _ detail: String, _ parameter: String? = nil, allowed: [String]? = nil
    ) -> GatewayError {
        var error = GatewayError(source: .client, code: "bad-parameter", status: .badRequest, detail: detail)
        if let parameter { error.texts = [("parameter", String(parameter.prefix(60)))] }
        error.lists = [("allowed", allowed ?? names)]
        return error
    }
}

/// The admin port's pages: metrics, health, and what drops kept answers.
public struct AdminPages: Responder {
    /// What the pages show and do.
    public struct Work: Sendable {
        /// Writes the metrics.
        public var metrics: @Sendable (inout Exposition) async -> Void
        public var readiness: @Sendable () -> Response
        /// Drops what is meant and says how many things that were.
        public var drop: @Sendable (Purge) throws(GatewayError) -> Int
        /// Whether other gateways are told at once of what is dropped; nil where there is none to tell.
        public var reachesOthers: @Sendable () -> Bool?

        public init(
            metrics: @escaping @Sendable (inout Exposition) async -> Void,
            readiness: @escaping @Sendable () -> Response,
            drop: @escaping @Sendable (Purge) throws(GatewayError) -> Int,
            reachesOthers: @escaping @Sendable () -> Bool? = { nil }
        ) {
            self.metrics = metrics
            self.readiness = readiness
            self.drop = drop
            self.reachesOthers = reachesOthers
        }
    }

    private let access: AdminAccess
    private let work: Work

    public init(access: AdminAccess, work: Work) {
        self.access = access
        self.work = work
    }

    private enum Page: String {
        case metrics = "/metrics"
        case health = "/healthz"
        case readiness = "/readyz"
        case cache = "/cache"

        /// Balancers and container runtimes ask these, and they tell nothing but a state.
        var isOpen: Bool { self == .health || self == .readiness }
        var methods: [Method] { self == .cache ? [.delete, .options] : [.get, .head, .options] }
    }

    public func respond(to request: Request) async throws(GatewayError) -> Response {
        let page = Page(rawValue: request.target.path)
        try access.check(request, isOpen: page?.isOpen ?? false)
        guard let page else { throw AdminPages.noPage }
        guard page.methods.contains(request.method) else { throw AdminPages.otherMethod(page.methods) }
        if request.method == .options {
            return Response(status: .noContent, fields: Fields([(.allow, AdminPages.list(page.methods))]))
        }
        switch page {
        case .metrics:
            var exposition = Exposition(accept: request.fields.list(.accept))
            await work.metrics(&exposition)
            return AdminPages.own(exposition.finished(), exposition.contentType)
        case .health: return AdminPages.own(JSONWriter.object { $0.member("status", "ok") } + [0x0A])
        case .readiness: return work.readiness()
        case .cache:
            let dropped = try work.drop(Purge(request.target))
            let others = work.reachesOthers().map { $0 ? "told" : "later" }
            let content = JSONWriter.object { object in
                object.member("dropped", dropped)
                if let others { object.member("others", others) }
            }
            return AdminPages.own(content + [0x0A])
        }
    }

    private static func own(_ content: [UInt8], _ type: String = "application/json") -> Response {
        let fields = Fields([
            (.contentType, type), (.cacheControl, "no-store"), ("X-Content-Type-Options", "nosniff"),
        ])
        return Response(fields: fields, body: .bytes(content))
    }

    private static func list(_ methods: [Method]) -> String { methods.map(\.rawValue).sorted().joined(separator: ", ") }

    private static let noPage = GatewayError(
        source: .client, code: "no-route", status: .notFound,
        detail: "The admin port has /metrics, /healthz, /readyz and /cache.")

    private static func otherMethod(_ methods: [Method]) -> GatewayError {
        var error = GatewayError(
            source: .client, code: "method-not-allowed", status: .methodNotAllowed,
            detail: "This path answers \(list(methods)) only.")
        error.fields = Fields([(.allow, list(methods))])
        return error
    }
}
