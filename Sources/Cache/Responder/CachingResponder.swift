public import HTTP

/// A shared cache in front of one upstream (RFC 9111): answers from what is kept, asks the upstream for the rest, once for all who want the
/// same at the same time. One for each worker and upstream, over what all workers share; called on its worker's loop.
public struct CachingResponder: Responder {
    /// An answer and how it came about.
    public struct Answer: Sendable {
        /// With `Cache-Status`, and `Age` where it was kept.
        public var response: Response
        /// What it was made of; nil where it was passed on as it came.
        public var stored: StoredAnswer?
        public var status: CacheStatus
        /// As which the look-up counts.
        var outcome = CacheCounts.Outcome.miss
        /// Its content is still coming, and is gathered for others too.
        var isComing = false
    }

    private(set) var upstream: any Responder
    private(set) var tags: [String]
    private let place: Place

    var shared: SharedCache { place.shared }
    var host: CacheHost { place.host }
    var rules: CacheRules { place.rules }
    var authority: String { place.authority }

    /// What stays the same for all requests, so that a copy for one of them costs little.
    private final class Place: Sendable {
        let shared: SharedCache
        let host: CacheHost
        let rules: CacheRules
        /// Scheme and authority.
        let origin: String
        let authority: String
        let base: String
        let space: String

        init(
            _ shared: SharedCache, _ host: CacheHost, _ rules: CacheRules, _ url: CacheURL,
            authority: String, base: String, space: String
        ) {
            self.shared = shared
            self.host = host
            self.rules = rules
            origin = url.origin
            self.authority = authority
            self.base = base
            self.space = space
        }
    }

    /// - Parameters:
    ///   - upstream: gets the requests that have to be sent, unsigned; signing comes after the cache.
    ///   - tags: of all that is kept here, such as the upstream's name.
    ///   - scheme, authority, base: of the upstream: `https`, `swapi.dev`, `/api`. A request's target is below the base.
    ///   - space: keeps its keys apart from those of others with the same address, see ``CacheKey``.
    public init(
        _ upstream: any Responder, scheme: String, authority: String, base: String = "", shared: SharedCache,
        host: CacheHost, rules: CacheRules, tags: [String] = [], space: String = ""
    ) {
        self.upstream = upstream
        self.tags = tags
        place = Place(
            shared, host, rules, CacheURL(scheme: scheme, authority: authority, target: base),
            authority: authority, base: base, space: space)
    }

    /// The time by which it judges.
    public var now: Moment { host.clock() }

    public func respond(to request: Request) async throws(GatewayError) -> Response {
        try await answer(to: request).response
    }

    /// The same cache, asking `upstream`, whose answers get `tags` too.
    public func asking(_ upstream: any Responder, tags: [String]) -> CachingResponder {
        var other = self
        other.upstream = upstream
        other.tags += tags
        return other
    }

    public func key(of target: Target) -> CacheKey { CacheKey(url(of: target), space: place.space) }

    /// Drops what is kept for a target, and what was composed of it.
    public func forget(_ target: Target) { shared.invalidate([url(of: target)], space: place.space) }

    /// Drops what is kept of the addresses that a request has changed, as its answer says (RFC 9111, section 4.4).
    public func forgetChanged(by request: Request, _ response: Response) {
        let urls = Invalidation.targets(
            of: request.method, url(of: request.target), asked: place.base.isEmpty ? request.authority : nil,
            answeredWith: response)
        if !urls.isEmpty { shared.invalidate(urls, space: place.space) }
    }

    /// The URL of a request's target.
    public func url(of target: Target) -> CacheURL {
        CacheURL(origin: place.origin, target: place.base + target.text)
    }

    /// An answer in the form in which it is kept; nil for one with `Vary: *`.
    func form(
        _ response: Response, content: [UInt8], of target: Target, to request: Fields, requested: Moment,
        received: Moment, keepsLength: Bool = false
    ) -> StoredAnswer? {
        StoredAnswer(
            response, content: content, to: request, requested: requested, received: received, rules: rules,
            chance: host.chance(), tags: tags + [url(of: target).text], keepsLength: keepsLength)
    }

    /// - Throws: what the upstream throws, where no kept answer may stand in; 504 for `only-if-cached` with nothing kept, and where the
    ///   request's time ran out while it waited for another's; 503 where too many wait.
    public func answer(to request: Request) async throws(GatewayError) -> Answer {
        try await answer(to: request, at: key(of: request.target))
    }

    /// The same for who knows its key already.
    public func answer(to request: Request, at key: CacheKey) async throws(GatewayError) -> Answer {
        guard request.method == .get || request.method == .head, request.body.isEmpty else {
            return try await change(request)
        }
        do throws(GatewayError) {
            let answer = try await lookUp(request, key)
            shared.store.count(answer.outcome, key)
            return answer
        } catch {
            shared.store.count(.miss, key)
            throw error
        }
    }

    private func lookUp(_ request: Request, _ key: CacheKey) async throws(GatewayError) -> Answer {
        let now = host.clock()
        let variants = shared.store.variants(of: key)
        let lookup = Lookup(request, among: variants, at: now, rules: rules)
        if let answer = kept(lookup, request, key, at: now) { return answer }
        if let answer = keptHead(request, at: now) { return answer }
        if lookup.action == .refuse { throw .onlyIfCached }
        guard isShareable(request, lookup), !shared.unshared.contains(key, at: now) else {
            return try await fetch(Fetch(request, key, lookup, variants))
        }
        return try await fly(request, key)
    }

    /// The answer without asking anybody; nil where the upstream has to be asked.
    /// - Parameter brought: what `Cache-Status` says of it where it has just come to memory.
    func kept(
        _ lookup: Lookup, _ request: Request, _ key: CacheKey, at now: Moment, brought: CacheStatus? = nil
    ) -> Answer? {
        guard let stored = lookup.selected else { return nil }
        switch lookup.action {
        case .serve: break
        case .serveAndRefresh: refresh(request, key)
        case .validate, .forward, .refuse: return nil
        }
        let status = brought ?? stored.hitStatus(at: now)
        let outcome: CacheCounts.Outcome =
            status.isCollapsed ? .collapsed : stored.freshness(at: now) > 0 ? .hit : .stale
        return Answer(
            response: stored.response(to: request, at: now, status: status), stored: stored, status: status,
            outcome: outcome)
    }

    /// Requests that change something, and others whose answers aren't kept: a GET with content is one, for the key doesn't tell it from
    /// others.
    private func change(_ request: Request) async throws(GatewayError) -> Answer {
        let requested = host.clock()
        var response = try await upstream.respond(to: request)
        forgetChanged(by: request, response)
        var status = CacheStatus.forwarded(.method)
        status.forwardStatus = Int(response.status.code)
        if isForGet(response, to: request) {
            status.isStored = try await keepForGet(&response, to: request, requested: requested)
        }
        response.fields.append(.cacheStatus, status.text)
        return Answer(response: response, stored: nil, status: status)
    }

    /// Whether an answer to this request could do for others: it has no range and no conditions that the upstream is to judge, and no
    /// credentials of a client.
    private func isShareable(_ request: Request, _ lookup: Lookup) -> Bool {
        if request.method != .get { return false }
        if rules.obeysClients, RequestDirectives(request.fields).noStore { return false }
        if request.fields.contains(.authorization), !rules.passed.contains(.authorization) { return false }
        if request.fields.contains(.ifMatch) || request.fields.contains(.ifUnmodifiedSince) { return false }
        // Where we ask for ourselves, the client's range and conditions are judged here.
        return lookup.action == .validate || !request.isConditional
    }

    /// Renews an answer that was given stale, unless somebody is at it.
    private func refresh(_ request: Request, _ key: CacheKey) {
        guard let lease = shared.flights.lead(flightKey(request, key)) else { return }
        let quiet = request.unconditional
        host.spawn {
            // Its failure is nobody's: the answer that was given stays until it is too old.
            _ = try? await self.lead(quiet, key, lease)
        }
    }

    func flightKey(_ request: Request, _ key: CacheKey) -> FlightKey {
        FlightKey(
            key: key, method: .get, passed: rules.passed.map { Selection.value($0, of: request.fields) })
    }
}

extension Request {
    /// A GET of the whole, whatever this client wants of it, and at nobody's cost.
    fileprivate var unconditional: Request {
        var request = asGet
        request.budget = nil
        request.onInterim = nil
        let wishes: Set<FieldName> = [.cacheControl, .pragma, .ifNoneMatch, .ifModifiedSince, .range, .ifRange]
        request.fields.removeAll { wishes.contains($0) }
        return request
    }

    /// Whether it asks for less than the whole, or only under a condition.
    var isConditional: Bool {
        fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince) || fields.contains(.range)
    }
}

extension GatewayError {
    static var onlyIfCached: GatewayError {
        var error = GatewayError(
            source: .client, code: "only-if-cached", status: .gatewayTimeout,
            detail: "The request allows a kept answer only, and none is kept that would do.")
        error.fields = Fields([(.cacheStatus, CacheStatus.name + "; detail=only-if-cached")])
        return error
    }

    static func unaskedNotModified(_ upstream: String) -> GatewayError {
        GatewayError(
            source: .upstream(upstream), code: "upstream-framing", status: .badGateway,
            detail: "The upstream \(upstream) answers that nothing has changed, which wasn't asked.")
    }

    static var crowded: GatewayError {
        var error = GatewayError(
            source: .gateway, code: "crowded", status: .serviceUnavailable,
            detail: "Too many requests wait for the same answer of an upstream.")
        error.retryAfter = 1
        return error
    }

    static var waitedTooLong: GatewayError {
        GatewayError(
            source: .gateway, code: "upstream-timeout", status: .gatewayTimeout,
            detail: "The upstream did not answer in time.")
    }

    static var givenUp: GatewayError {
        GatewayError(
            source: .client, code: "cancelled", status: .serviceUnavailable, detail: "The request was given up.")
    }

    /// Whether it is about one client's time or budget and says nothing to others.
    public var isOwn: Bool { code == "cancelled" || code == "budget-exceeded" || source == .client }
}
