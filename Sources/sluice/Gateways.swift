internal import Cache
internal import Gateway
internal import HTTP
internal import JSON
internal import Loop
internal import Parameters
internal import Plan
internal import Redis
internal import Upstream

/// Makes a gateway for each worker from one plan. What the workers share of an upstream (how many requests are in flight, whether it is
/// failing) is made once, here.
struct Gateways: Sendable {
    let plan: Plan
    private let shared: UpstreamShared
    let cache: SharedCache?
    private let keepsComposed: Bool
    private let answerLimit: Int
    private let bodyLimit: Int
    private let mirrorDeadline: Duration?
    /// How long a content that is handed on while it comes may pause.
    private let silence: Duration
    var settings: GatewaySettings
    /// One for each of `Handlers.names`, the same for all workers.
    var handlers: [String: any RouteHandler] = [:] {
        didSet {
            let used = handlers.filter { name, _ in plan.operations.contains { $0.handler == name } }
            settings.obstacles = { used.compactMapValues { $0.obstacle } }
        }
    }
    /// Told of each attempt of an upstream request, on the loop.
    var onAttempt: (@Sendable (UpstreamAttempt) -> Void)?

    /// - Parameter redis: what the gateways of several machines share.
    init(_ plan: Plan, _ settings: Settings, publicURL: String?, redis: RedisLayer? = nil) throws(BadNetwork) {
        let networks = try BadNetwork.networks(settings.allowedNetworks)
        self.plan = plan
        shared = UpstreamShared(
            plans: plan.upstreams.map { upstream in
                var upstream = upstream
                upstream.connectTimeout = settings.connectTimeout
                upstream.networks += networks
                return upstream
            })
        // New contracts may have other rules, so they begin with nothing kept.
        cache =
            settings.cache == "off"
            ? nil
            : SharedCache(
                store: CacheStore(capacity: settings.cacheMemory), waiterLimit: Gateways.waiterLimit, second: redis)
        keepsComposed = settings.cache == "all"
        answerLimit = settings.maximumAnswer
        bodyLimit = settings.maximumBody
        silence = settings.mirrorSilence
        mirrorDeadline = settings.mirror.isEmpty ? nil : settings.deadline
        var gateway = GatewaySettings()
        gateway.publicURL = publicURL
        gateway.json.depth = settings.maximumJSONDepth
        gateway.json.values = settings.maximumJSONValues
        gateway.json.bytes = settings.maximumAnswer
        gateway.version = Tool.version
        gateway.pauses = Pauses(upstreams: plan.upstreams.count)
        gateway.isFailing = { [shared] in shared.snapshot[$0]?.isRefusing ?? false }
        if let redis { gateway.isRedisUp = { redis.counts.isConnected } }
        self.settings = gateway
    }

    /// What answers on `loop`, with upstream connections of its own.
    /// - Parameter counts: where its exchanges are counted, on the loop.
    func responder(on loop: EventLoop, counts: WorkerCounts? = nil) throws -> any Responder {
        guard let mirrorDeadline, let upstream = plan.upstreams.first else {
            return try gateway(on: loop, counts: counts)
        }
        let (client, settings) = try client(on: loop, counts)
        return PlainMirror(
            upstream, client.responder(for: 0, as: .streamed), deadline: mirrorDeadline,
            settings: settings, caching: caching(on: loop))
    }

    private func caching(on loop: EventLoop) -> Caching? {
        cache.map { Caching($0, host: CacheHost(loop), keepsComposed: keepsComposed) }
    }

    /// Asks the upstreams on `loop`; and the settings with which exchanges there are counted.
    private func client(on loop: EventLoop, _ counts: WorkerCounts?) throws -> (UpstreamClient, GatewaySettings) {
        var observe = onAttempt
        var settings = settings
        if let counts {
            observe = { [onAttempt] attempt in
                counts.note(attempt)
                onAttempt?(attempt)
            }
            settings.observe = { [observe = settings.observe] record in
                counts.note(record)
                observe?(record)
            }
        }
        let client = try UpstreamClient(
            loop: loop, shared: shared, contentLimit: answerLimit, silence: silence, observe: observe)
        return (client, settings)
    }

    /// The same as ``responder(on:counts:)`` for contracts.
    func gateway(on loop: EventLoop, counts: WorkerCounts? = nil) throws -> Gateway {
        let (client, settings) = try client(on: loop, counts)
        let upstreams = plan.upstreams.indices.map { client.responder(for: $0) }
        let verbatim = plan.upstreams.indices.map { client.responder(for: $0, as: .verbatim) }
        let streamed = plan.upstreams.indices.map { client.responder(for: $0, as: .streamed) }
        return Gateway(
            plan: plan, upstreams: upstreams, verbatim: verbatim, streamed: streamed, settings: settings,
            handlers: handlers, caching: caching(on: loop))
    }

    /// The most content that a request may bring, whatever its route: each route has its own limit below it.
    var contentLimit: Int { plan.operations.map(\.limits.content).max() ?? bodyLimit }

    /// What was sent to upstreams with a quota.
    var quotaUses: [QuotaShare] {
        shared.quotaUses.map { QuotaShare(name: $0.name, window: $0.window, sent: $0.sent) }
    }

    /// See ``UpstreamShared/noteQuota(of:others:)``.
    func noteQuota(of name: String, others: Int) { shared.noteQuota(of: name, others: others) }

    /// The counts of each upstream, in the contracts' order. A pause is also what a handler waits for.
    var upstreamCounts: [(name: String, UpstreamCounts)] {
        var counts = shared.snapshot
        for obstacle in settings.obstacles().values {
            guard case .upstream(let name) = obstacle.source, let seconds = obstacle.retryAfter else { continue }
            if let known = counts[name]?.pause { counts[name]?.pause = max(known, .seconds(seconds)) }
        }
        return plan.upstreams.compactMap { upstream in counts[upstream.name].map { (upstream.name, $0) } }
    }

    /// A gateway that only says where requests would go.
    var locator: Gateway {
        Gateway(plan: plan, upstreams: plan.upstreams.map { _ in Nobody() }, settings: settings, handlers: handlers)
    }

    private struct Nobody: Responder {
        func respond(to request: Request) async throws(GatewayError) -> Response {
            throw GatewayError(
                source: .gateway, code: "not-served", status: .serviceUnavailable, detail: "Nobody is asked here.")
        }
    }

    /// Clients that may wait for one upstream answer; more get 503.
    private static let waiterLimit = 10_000
}

/// A part of `--allow-networks` that is no network.
struct BadNetwork: Error, CustomStringConvertible {
    let text: String
    var description: String { "--allow-networks: found \"\(text.prefix(60))\", expected a network such as 10.0.0.0/8" }

    /// The networks of a comma list.
    static func networks(_ list: String) throws(BadNetwork) -> [Network] {
        var networks: [Network] = []
        for part in list.split(separator: ",") {
            let text = String(part).filter { $0 != " " }
            guard let network = Network(text) else { throw BadNetwork(text: text) }
            networks.append(network)
        }
        return networks
    }
}
