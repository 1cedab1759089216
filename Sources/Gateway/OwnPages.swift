public import HTTP
internal import JSON
public import Plan

/// The pages that the gateway answers itself.
enum OwnPage: String {
    case front = "/"
    case contract = "/openapi.json"
    case health = "/healthz"
    case readiness = "/readyz"

    var path: String { rawValue }

    init?(segments: [String]) {
        // A slash at the end changes nothing, as with routes.
        let names = segments.count == 2 && segments[1] == "" ? segments.dropLast() : segments[...]
        guard names.count == 1, let name = names.first, segments.count == 1 || name != "" else { return nil }
        self.init(rawValue: "/" + name)
    }
}

extension Gateway {
    /// A query is left unread: these pages have no parameters that a typo could miss.
    func answer(_ page: OwnPage, _ request: Request) -> Response {
        switch page {
        case .front: return front(request)
        case .contract: return contract(request)
        case .health: return Response(status: .ok, own: JSONWriter.object { $0.member("status", "ok") })
        case .readiness: return Response(readinessOf: plan, settings)
        }
    }

    private func contract(_ request: Request) -> Response {
        let base = settings.linkBase(for: request)
        let document = plan.document.replacing(OpenAPIDocument.serverPlaceholder, with: base)
        let fields = Fields([
            (.contentType, "application/json"), (.cacheControl, "no-cache"), (.vary, "Accept-Encoding, Host"),
        ])
        return encoded(document, fields, request)
    }

    /// What there is: every list by its name, as SWAPI's own root has it, and a few requests to try.
    private func front(_ request: Request) -> Response {
        let base = settings.linkBase(for: request)
        let wantsHTML = MediaRanges(request.fields.list(.accept)).prefers("text/html", to: "application/json")
        let type = wantsHTML ? "text/html; charset=utf-8" : "application/json"
        let fields = Fields([
            (.contentType, type), (.cacheControl, "no-cache"), (.vary, "Accept, Accept-Encoding, Host"),
            ("X-Content-Type-Options", "nosniff"),
        ])
        let page = FrontPage(plan: plan, base: base, version: settings.version)
        return encoded(wantsHTML ? page.html : page.json, fields, request)
    }
}

extension Response {
    /// `/readyz`: whether new requests should come here (503 where not), how each upstream is, and which handlers can't work.
    public init(readinessOf plan: Plan, _ settings: GatewaySettings) {
        let isDraining = settings.isDraining()
        let obstacles = settings.obstacles()
        let body = JSONWriter.object { object in
            object.member("status", isDraining ? "draining" : "ready")
            object.object("upstreams") { upstreams in
                for (position, upstream) in plan.upstreams.enumerated() {
                    let isComplete = upstream.missingVariables.isEmpty
                    let isPaused = settings.pauses?.left(position, now: settings.clock()) != nil
                    let isKept = obstacles.values.contains { $0.source == .upstream(upstream.name) }
                    let state = isKept || isPaused || settings.isFailing(upstream.name) ? "failing" : "ready"
                    upstreams.member(upstream.name, isComplete ? state : "credential-missing")
                }
            }
            // Without it every answer is right, so it changes nothing of the status.
            if let isUp = settings.isRedisUp?() { object.member("redis", isUp ? "ready" : "failing") }
            guard !obstacles.isEmpty else { return }
            object.object("handlers") { handlers in
                for name in obstacles.keys.sorted() { handlers.member(name, "failing") }
            }
        }
        self.init(status: isDraining ? .serviceUnavailable : .ok, own: body)
    }

    fileprivate init(status: Status, own json: [UInt8]) {
        self.init(
            status: status, fields: Fields([(.contentType, "application/json"), (.cacheControl, "no-store")]),
            body: .bytes(json + [0x0A]))
    }
}

extension [UInt8] {
    /// Each occurrence of `text` replaced.
    fileprivate func replacing(_ text: String, with replacement: String) -> [UInt8] {
        let parts = String(decoding: self, as: UTF8.self).split(separator: text, omittingEmptySubsequences: false)
        return Array(parts.joined(separator: replacement).utf8)
    }
}
