internal import Cache
internal import HTTP
internal import Plan

/// Hands clients' requests to one upstream as they are, and its answers back as they are: what changes is what belongs to a connection
/// (RFC 9110, section 7.6), what the cache in between adds, and what would tell a credential.
struct Mirror: Sendable {
    let plan: MirrorPlan
    let upstream: UpstreamPlan
    /// The cache and what is behind it; or only that.
    let responder: any Responder
    /// Whether there is a cache in between, which says in `Cache-Status` what it did.
    let isCached: Bool
    let deadline: Duration
    /// Content that one answer may have, in bytes.
    let bytes: Int
    /// Content that one request may have, in bytes; nil where the server's own limit is the only one.
    var contentLimit: Int?
    let links: MirrorLinks?
    /// Whether answers have to be looked into, so that codings and parts of them are in the way.
    let isReading: Bool

    /// The name of this gateway in `Via`.
    static let via = "1.1 sluice"
    /// How often a request may have come through gateways of this name; more look like a circle.
    private static let longestChain = 8

    /// - Parameters:
    ///   - rest: of the path, as the client sent it, without its first slash.
    ///   - linkBase: what addresses of this gateway begin with.
    func answer(
        _ request: Request, rest: Substring, linkBase: String, _ record: ExchangeRecord, _ settings: GatewaySettings
    ) async throws(GatewayError) -> Response {
        if let answer = try finalAnswer(request) { return answer }
        guard plan.prefix.isEmpty && upstream.base.path.isEmpty || !Target.climbs(rest) else { throw Mirror.climbs }
        var sent = request
        sent.id = record.id
        sent.target = target(of: request.target, rest: rest)
        sent.fields = fields(for: request)
        sent.body = try content(of: request)
        sent.onInterim = isReading ? nil : request.onInterim.map(Mirror.passing)
        sent.budget = Budget(
            deadline: record.started + deadline, calls: Mirror.calls, bytes: bytes,
            onAsked: { [progress = settings.progress] change in
                record.calls += change
                if change > 0 { progress?(record) }
            })
        let asked = ContinuousClock.now
        var response = try await reached(sent, settings)
        if record.calls > 0 { record.upstream += asked.duration(to: .now) }
        if let links { response = await links.rewritten(response, linkBase: linkBase, limits: settings.json) }
        response.fields.append("Via", Mirror.via)
        return isReading ? Mirror.judged(response, by: request) : response
    }

    /// The answer of the cache, or of the upstream with the word that nothing is kept; whoever watches the parts is told.
    private func reached(_ request: Request, _ settings: GatewaySettings) async throws(GatewayError) -> Response {
        let start = ContinuousClock.now
        let bypass = CacheStatus.forwarded(.bypass).text
        let isLookUp = request.method == .get || request.method == .head
        let failed = isCached ? CacheStatus.forwarded(isLookUp ? .miss : .method).text : bypass
        do throws(GatewayError) {
            var response = try await responder.respond(to: request)
            if !isCached { response.fields.append(.cacheStatus, bypass) }
            settings.onPart?(PartRecord(upstream, request.target, response, nil, since: start))
            return response
        } catch {
            var error = error
            if !error.fields.contains(.cacheStatus), error.isOfUpstream { error.fields.append(.cacheStatus, failed) }
            settings.onPart?(PartRecord(upstream, request.target, nil, error, since: start))
            throw error
        }
    }

    /// 304 where the client names the answer's tag (RFC 9110, section 13.1.2). The upstream can't tell where the tag was made weak here, or got its
    /// quotes here.
    private static func judged(_ response: Response, by request: Request) -> Response {
        guard response.status == .ok, request.method == .get || request.method == .head,
            let tag = response.fields[.etag], tag.hasPrefix("W/\""),
            EntityTag(String(tag.dropFirst(3).dropLast())).isNamed(by: request.fields.list(.ifNoneMatch))
        else { return response }
        var fields = response.fields
        fields.removeAll { [.contentType, .contentLength, .contentEncoding, "Content-Language"].contains($0) }
        return Response(status: .notModified, fields: fields)
    }

    /// An answer that came at first, one without our conditions, and the same again on another connection.
    private static let calls = 4

    /// What the upstream is asked for, below its base and unsigned.
    func target(of local: Target, rest: Substring) -> Target {
        Target(path: plan.upstreamPath(rest), query: local.query(without: Set(upstream.auth?.parameters ?? [])))
    }

    private func content(of request: Request) throws(GatewayError) -> Body {
        guard let contentLimit else { return request.body }
        if let length = request.body.length, length > contentLimit { throw .contentTooLarge(limit: contentLimit) }
        guard case .stream(let stream) = request.body else { return request.body }
        return .stream(CheckedContent(stream, limit: contentLimit))
    }

    /// The fields that go on. What a client says of who it is and of the way that its request took is no word of ours, so it ends here.
    private func fields(for request: Request) -> Fields {
        var fields = request.fields
        var signed: FieldName?
        if case .header(let name, _) = upstream.auth { signed = name }
        fields.removeAll { $0 == signed || Mirror.ending.contains($0) }
        if request.method == .options, let left = Mirror.forwardsLeft(request.fields) {
            fields.set("Max-Forwards", String(left - 1))
        }
        guard isReading else { return fields }
        // A coding would hide what is looked for, and a part what is cut by its edge.
        fields.set(.acceptEncoding, "identity")
        if links != nil { fields.removeAll { $0 == "Range" || $0 == "If-Range" } }
        return fields
    }

    private static let ending: Set<FieldName> = [
        .host, "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port",
        "X-Forwarded-Prefix", "X-Forwarded-Server", "X-Real-IP",
    ]

    /// What this gateway answers as the last one that a request may reach (RFC 9110, section 7.6.2).
    private func finalAnswer(_ request: Request) throws(GatewayError) -> Response? {
        let chain = (request.fields.list("Via") ?? "").split(separator: ",").filter {
            $0.split(separator: " ").dropFirst().first == "sluice"
        }
        guard chain.count < Mirror.longestChain else { throw Mirror.circle }
        guard request.method == .options, Mirror.forwardsLeft(request.fields) == 0 else { return nil }
        return Response(status: .noContent, fields: Fields([(.allow, Method.list)]))
    }

    /// An interim answer that isn't looked into.
    private static func passing(
        _ onInterim: @escaping @Sendable (Response) -> Void
    ) -> @Sendable (Response) -> Void {
        { interim in
            var interim = interim
            interim.fields.append("Via", via)
            onInterim(interim)
        }
    }

    private static func forwardsLeft(_ fields: Fields) -> Int? {
        fields["Max-Forwards"].flatMap { ASCII.decimal($0.utf8) }
    }

    private static let climbs = GatewayError(
        source: .client, code: "bad-path", status: .badRequest,
        detail: "The path has a segment \".\" or \"..\", which a mirror doesn't pass on.")

    private static let circle = GatewayError(
        source: .gateway, code: "loop", status: Status(code: 508) ?? .badGateway,
        detail: "The request has come through this gateway again and again: its upstream leads back to it.")
}

extension GatewayError {
    /// Whether the upstream is what has failed, or has let somebody wait too long.
    fileprivate var isOfUpstream: Bool {
        if case .upstream = source { true } else { status == .gatewayTimeout && source == .gateway }
    }
}

extension Mirror {
    /// The mirrors of a plan by their places in its operations.
    /// - Parameters:
    ///   - whole: one for each upstream, for answers that are looked into.
    ///   - streamed: one for each upstream, for answers that are handed on while they come.
    static func all(
        of index: PlanIndex, _ whole: [Asker], _ streamed: [Asker], _ settings: GatewaySettings, _ caching: Caching?
    ) -> [Int: Mirror] {
        var mirrors: [Int: Mirror] = [:]
        for (position, operation) in index.plan.operations.enumerated() {
            guard let plan = operation.mirror, let place = operation.upstream else { continue }
            let upstream = index.plan.upstreams[place]
            let isReading = index.secrets[place] != nil || plan.rewritesLinks
            let last = MirrorUpstream(
                asker: (isReading ? whole : streamed)[place], secrets: index.secrets[place], isReading: isReading,
                json: settings.json)
            let policy = operation.cache ?? upstream.cache ?? CachePolicy()
            let cache = caching?.mirror(of: upstream, policy, route: operation.path.text, asking: last)
            mirrors[position] = Mirror(
                plan: plan, upstream: upstream, responder: cache ?? last, isCached: cache != nil,
                deadline: operation.deadline, bytes: operation.limits.bytes, contentLimit: operation.limits.content,
                links: plan.rewritesLinks ? MirrorLinks(plan: plan, upstream: upstream) : nil, isReading: isReading)
        }
        return mirrors
    }
}
