public import HTTP

/// What is to be done with a request, given what is kept for its URL (RFC 9111, section 4).
public struct Lookup: Sendable {
    public enum Action: Sendable, Equatable {
        /// Give the selected answer.
        case serve
        /// Give the selected answer, which is stale, and ask for a new one meanwhile (RFC 5861, section 3).
        case serveAndRefresh
        /// Ask the upstream whether what is kept is still good: see ``Validation``.
        case validate
        /// Send the request as it is.
        case forward
        /// 504: the client wants nothing but a kept answer (RFC 9111, section 5.2.1.7).
        case refuse
    }

    public let action: Action
    /// The kept answer that fits the request; always there for `serve` and `serveAndRefresh`.
    public let selected: StoredAnswer?
    /// Why the request goes on; nil where it doesn't.
    public let reason: CacheStatus.Forward?

    /// - Parameter variants: all that is kept for the request's URL.
    public init(_ request: Request, among variants: [StoredAnswer], at now: Moment, rules: CacheRules) {
        guard request.method == .get || request.method == .head else {
            self.init(.forward, nil, .method)
            return
        }
        let client = rules.obeysClients ? RequestDirectives(request.fields) : RequestDirectives()
        // Conditions that only the origin can judge (RFC 9111, section 4.3.2).
        if request.fields.contains(.ifMatch) || request.fields.contains(.ifUnmodifiedSince) {
            self.init(client.onlyIfCached ? .refuse : .forward, nil, client.onlyIfCached ? nil : .request)
            return
        }
        guard let selected = Lookup.select(request, among: variants) else {
            let reason = Lookup.reason(request, variants)
            let canAsk = variants.contains { $0.extent == nil && $0.validators.tag != nil }
            self.init(client.onlyIfCached ? .refuse : canAsk ? .validate : .forward, nil, reason)
            return
        }
        let use = Use(selected, client, at: now)
        if let action = use.action {
            self.init(action, selected, nil)
        } else if client.onlyIfCached {
            self.init(.refuse, selected, nil)
        } else {
            self.init(selected.canBeAskedAbout ? .validate : .forward, selected, use.reason)
        }
    }

    /// For a request that is sent as it is.
    init(forwarding reason: CacheStatus.Forward) { self.init(.forward, nil, reason) }

    /// To renew an answer that may still be given.
    init(renewing selected: StoredAnswer?) {
        self.init(selected?.canBeAskedAbout ?? false ? .validate : .forward, selected, .stale)
    }

    private init(_ action: Action, _ selected: StoredAnswer?, _ reason: CacheStatus.Forward?) {
        self.action = action
        self.selected = selected
        self.reason = action == .validate || action == .forward ? reason : nil
    }

    /// Of all that fit the request the latest by `Date`, then by arrival (RFC 9111, sections 4 and 4.1); nil where none fits.
    ///
    /// Some upstreams forget `Vary` where a request asks for nothing special. So one with `Vary` wins, and one without is only used as long
    /// as it isn't older than what is known to vary.
    static func select(_ request: Request, among variants: [StoredAnswer]) -> StoredAnswer? {
        var best: StoredAnswer?
        for variant in variants
        where variant.selection.matches(request.fields) && variant.mayAnswer(request) && variant.covers(request) {
            guard let current = best else {
                best = variant
                continue
            }
            if variant.varies == current.varies ? !variant.isOlder(than: current) : variant.varies { best = variant }
        }
        if let best, !best.varies, variants.contains(where: { $0.varies && best.isOlder(than: $0) }) { return nil }
        return best
    }

    /// Why nothing of what is kept will do.
    private static func reason(_ request: Request, _ variants: [StoredAnswer]) -> CacheStatus.Forward {
        if variants.isEmpty { return .uriMiss }
        let isPartial = variants.contains { $0.extent != nil && $0.selection.matches(request.fields) }
        return isPartial ? .partial : .varyMiss
    }

    /// Whether a kept answer may be given after the upstream failed (RFC 5861, section 4; RFC 9111, section 4.2.4).
    ///
    /// Failed means: it can't be reached, doesn't answer in time, or answers with 500, 502, 503 or 504.
    /// - Parameter isUnreachable: nobody has answered.
    public static func mayServe(
        _ stored: StoredAnswer, onErrorOf request: Request, isUnreachable: Bool = false, at now: Moment,
        rules: CacheRules
    ) -> Bool {
        guard stored.mayBeStale, !stored.mustValidate else { return false }
        let client = rules.obeysClients ? RequestDirectives(request.fields) : RequestDirectives()
        guard !client.noCache else { return false }
        let staleness = -stored.freshness(at: now)
        if staleness <= 0 { return true }
        let asked = stored.lifetime.source == .sharedMaxAge ? nil : client.staleIfError
        let said = [stored.staleIfError, asked].compactMap { $0 }.max()
        // Who asks for something young doesn't want it old.
        let mayBeOld = isUnreachable && client.maxAge == nil && client.minFresh == nil
        guard let limit = said ?? (mayBeOld ? rules.staleIfUnreachable : nil) else { return false }
        return staleness <= limit * 1000
    }

    /// Whether a status of the upstream counts as a failure for `stale-if-error`.
    public static func isError(_ status: Status) -> Bool { [500, 502, 503, 504].contains(status.code) }
}

extension StoredAnswer {
    /// Whether the upstream can tell by a 304 that it is still good; it can't of a part.
    fileprivate var canBeAskedAbout: Bool { validators.exist && extent == nil }

    /// By `Date`, then by arrival.
    fileprivate func isOlder(than other: StoredAnswer) -> Bool {
        (date, received.uptime) < (other.date, other.received.uptime)
    }

    /// A request with credentials may only be answered with what is for all (RFC 9111, section 3.5); what was kept for one with the same
    /// credentials has them in its selection.
    fileprivate func mayAnswer(_ request: Request) -> Bool {
        guard request.fields.contains(.authorization), !selection.names.contains(.authorization) else { return true }
        return directives.isPublic || directives.mustRevalidate || directives.sharedMaxAge != nil
    }
}

/// How one kept answer can be used for one request.
private struct Use {
    var action: Lookup.Action?
    var reason = CacheStatus.Forward.stale

    init(_ stored: StoredAnswer, _ client: RequestDirectives, at now: Moment) {
        let freshness = stored.freshness(at: now)
        if client.noCache {
            reason = .request
            return
        }
        if stored.mustValidate { return }
        // Zero asks for a check in any case.
        let isTooOld = client.maxAge.map { $0 == 0 || stored.milliseconds(at: now) > $0 * 1000 } ?? false
        if freshness > 0 {
            if isTooOld || freshness < (client.minFresh ?? 0) * 1000 { reason = .request } else { action = .serve }
            return
        }
        guard stored.mayBeStale, !isTooOld, client.minFresh == nil else { return }
        if let limit = client.maxStale, stored.lifetime.source != .sharedMaxAge, -freshness <= limit * 1000 {
            action = .serve
        } else if client.maxAge == nil, let window = stored.staleWhileRevalidate, -freshness <= window * 1000 {
            action = .serveAndRefresh
        }
    }
}
