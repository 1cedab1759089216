public import Cache
internal import HTTP
internal import Plan

/// What a gateway keeps, and with whom it shares that.
public struct Caching: Sendable {
    let shared: SharedCache
    let host: CacheHost
    let keepsComposed: Bool

    /// - Parameters:
    ///   - shared: what all workers keep together.
    ///   - host: the worker's clock and timers.
    ///   - keepsComposed: finished answers are kept too, not only what upstreams say.
    public init(_ shared: SharedCache, host: CacheHost, keepsComposed: Bool = true) {
        self.shared = shared
        self.host = host
        self.keepsComposed = keepsComposed
    }

    var composed: ComposedCache? { keepsComposed ? ComposedCache(shared, host: host) : nil }

    /// The cache in front of one upstream. Keys are unsigned URLs: signing comes after it.
    ///
    /// Two upstreams at one address may be signed differently, and two operations may have other rules for one URL, so names keep their
    /// keys apart.
    /// - Parameter policy: of the operation, where it has one of its own, else of the upstream.
    func cache(of upstream: UpstreamPlan, _ policy: CachePolicy?, asking asker: any Responder) -> CachingResponder {
        let base = upstream.base
        return CachingResponder(
            asker, scheme: base.scheme, authority: base.authority, base: base.path, shared: shared, host: host,
            rules: CacheRules(upstream, policy), tags: [upstream.name],
            space: upstream.name + (policy == upstream.cache ? "" : policy?.word ?? ""))
    }

    /// The cache in front of one upstream for a mirror of it.
    /// - Parameters:
    ///   - policy: nil: nothing but what the RFCs say, to the second.
    ///   - route: a tag of all that is kept.
    ///   - isPlain: it is a cache in front of its upstream and nothing else.
    func mirror(
        of upstream: UpstreamPlan, _ policy: CachePolicy?, route: String, isPlain: Bool = false,
        asking last: any Responder
    ) -> CachingResponder {
        let base = upstream.base
        return CachingResponder(
            last, scheme: base.scheme, authority: base.authority, base: base.path, shared: shared, host: host,
            rules: CacheRules(mirror: policy, keepsCookies: isPlain), tags: [upstream.name, route],
            space: upstream.name + "/mirror" + (policy?.word ?? ""))
    }
}

extension CachePolicy {
    /// A word without blanks that no other policy has.
    fileprivate var word: String {
        let times = [ttl, staleWhileRevalidate, staleIfError].map { time in
            time.map { String($0.components.seconds) } ?? "-"
        }
        return "/" + times.joined(separator: "/") + (override ? "/override" : "")
    }
}

extension CacheRules {
    /// The gateway's own rules with the contract's for one upstream or operation.
    fileprivate init(_ upstream: UpstreamPlan, _ policy: CachePolicy?) {
        self = .gateway
        take(policy)
        passed = upstream.pass
    }

    /// A mirror's: the RFCs'. With a contract its word counts where the upstream says nothing; such an answer may be one person's, so it is
    /// kept for each cookie and key apart.
    /// - Parameter keepsCookies: only for a plain mirror: what sets a cookie on a contract's route is for one client, as on its others.
    init(mirror policy: CachePolicy?, keepsCookies: Bool) {
        self = .mirror
        self.keepsCookies = keepsCookies
        guard let policy else {
            jitter = 0
            staleIfUnreachable = 86_400
            return
        }
        take(policy)
        passed = ["Cookie", "X-API-Key"]
        // As on other routes: nobody's word makes an absence last.
        negativeLifetime = CacheRules.gateway.negativeLifetime
    }

    private mutating func take(_ policy: CachePolicy?) {
        lifetime = policy?.ttl.map { Int($0.components.seconds) }
        staleWhileRevalidate = policy?.staleWhileRevalidate.map { Int($0.components.seconds) }
        staleIfError = policy?.staleIfError.map { Int($0.components.seconds) }
        overrides = policy?.override ?? false
    }
}
