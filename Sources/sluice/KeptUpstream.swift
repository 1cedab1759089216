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
            // Two upstreams at one address may be signed differently, so the name stands where others have a user.
            asker, scheme: base.scheme, authority: upstream.name + "@" + base.authority, base: base.path,
            shared: shared, host: CacheHost(loop), rules: CacheRules(upstream, policy), tags: [upstream.name])
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
