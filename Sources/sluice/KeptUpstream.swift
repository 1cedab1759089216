internal import Cache
internal import Gateway
internal import HTTP
internal import Loop
internal import Plan

/// The cache in front of one upstream on one loop, over what all workers share. Keys are unsigned URLs: signing comes after it.
struct KeptUpstream: Keeper {
    private let responder: CachingResponder
    private let shared: SharedCache

    init(
        _ shared: SharedCache, _ upstream: UpstreamPlan, _ policy: CachePolicy?, _ asker: any Responder,
        _ loop: EventLoop
    ) {
        self.shared = shared
        let base = upstream.base
        responder = CachingResponder(
            asker, scheme: base.scheme, authority: KeptUpstream.authority(upstream), base: base.path,
            shared: shared, host: CacheHost(loop), rules: CacheRules(upstream, policy), tags: [upstream.name])
    }

    /// Two upstreams at one address may be signed differently, so the name stands where others have a user.
    private static func authority(_ upstream: UpstreamPlan) -> String { upstream.name + "@" + upstream.base.authority }

    /// Under which URL the answers for a target of an upstream are kept.
    static func url(of target: Target, _ upstream: UpstreamPlan) -> CacheURL {
        CacheURL(
            scheme: upstream.base.scheme, authority: authority(upstream), target: upstream.base.path + target.text)
    }

    func respond(to request: Request) async throws(GatewayError) -> Response {
        try await responder.respond(to: request)
    }

    func forget(_ target: Target) { shared.invalidate([responder.url(of: target)]) }
}

extension CacheRules {
    /// The gateway's own rules with the contract's for one upstream or operation.
    fileprivate init(_ upstream: UpstreamPlan, _ policy: CachePolicy?) {
        self = .gateway
        lifetime = policy?.ttl.map { Int($0.components.seconds) }
        staleWhileRevalidate = policy?.staleWhileRevalidate.map { Int($0.components.seconds) }
        staleIfError = policy?.staleIfError.map { Int($0.components.seconds) }
        overrides = policy?.override ?? false
        passed = upstream.pass
    }
}

extension CacheHost {
    fileprivate init(_ loop: EventLoop) {
        self.init(
            spawn: { loop.start($0) },
            alarm: { instant, fire in
                let timer = LoopTimer(loop: loop, onFire: fire)
                timer.start(after: ContinuousClock.now.duration(to: instant))
                return timer
            })
    }
}
