internal import Admin
internal import Cache
internal import HTTP
internal import Images
internal import Loop
internal import Plan
internal import Redis
internal import Server
internal import Upstream

/// Writes the program's metrics: what the workers have counted, each asked on its own loop, and what they share. On the admin port's loop.
final class Metrics: @unchecked Sendable {
    private let workers: [Worker]
    private let redis: RedisLayer?
    private let loop: EventLoop
    private let log: Log
    /// What each worker said last: one that doesn't answer in time has not gone back to zero.
    private var last: [WorkerFigures]

    /// How long a worker may take to say its figures.
    private static let patience = Duration.milliseconds(500)

    init(workers: [Worker], redis: RedisLayer?, loop: EventLoop, log: Log) {
        self.workers = workers
        self.redis = redis
        self.loop = loop
        self.log = log
        last = workers.map { _ in WorkerFigures() }
    }

    func write(_ gateways: Gateways, to exposition: inout Exposition) async {
        let (figures, silent) = await figures()
        exposition.begin("sluice_build_info", .gauge, "The program's version; always 1.")
        exposition.sample(["version": Tool.version], 1)
        exposition.single("sluice_workers", .gauge, "Threads that serve clients.", workers.count)
        exposition.single("sluice_workers_silent", .gauge, "Workers that did not say their figures in time.", silent)
        exposition.write(figures.exchanges)
        exposition.write(figures.server)
        exposition.write(upstreams: figures.exchanges, gateways.upstreamCounts)
        if let cache = gateways.cache { exposition.write(cache) }
        if let images = gateways.handlers[ImagesHandler.name] as? ImagesHandler { exposition.write(images.counts) }
        if let redis { exposition.write(redis.counts) }
        exposition.single(
            "sluice_log_lines_dropped_total", .counter, "Log lines that nobody took in time.", log.droppedLines)
        exposition.write(ProcessFigures())
    }

    /// All workers' figures added together, and how many of them are old.
    private func figures() async -> (WorkerFigures, silent: Int) {
        var silent = 0
        for (place, worker) in workers.enumerated() {
            if let figures = await worker.figures(within: Metrics.patience, on: loop) {
                last[place] = figures
            } else {
                silent += 1
            }
        }
        return (last.reduce(into: WorkerFigures()) { $0.add($1) }, silent)
    }
}

extension Exposition {
    /// What clients asked.
    fileprivate mutating func write(_ figures: ExchangeFigures) {
        let routes = figures.routes.sorted { $0.key < $1.key }
        begin("sluice_requests_total", .counter, "Answered requests by route template, method and status.")
        for (route, line) in routes {
            for (method, code, count) in line.counts {
                sample(["route": route, "method": method, "code": code], count)
            }
        }
        begin(
            "sluice_request_duration_seconds", .histogram, "From a request's head to its answer, by route template.")
        for (route, line) in routes { sample(["route": route], line.durations) }
        begin("sluice_request_errors_total", .counter, "Answered problems by their code.")
        for (code, count) in figures.errors.sorted(by: { $0.key < $1.key }) { sample(["code": code], count) }
        single(
            "sluice_request_missing_parts_total", .counter, "Links that were to be followed and could not be.",
            figures.missingParts)
    }

    /// What the listeners did.
    fileprivate mutating func write(_ counts: ServerCounts) {
        single("sluice_requests_in_flight", .gauge, "Requests whose answer is not written.", counts.requestsInFlight)
        begin(
            "sluice_requests_refused_total", .counter,
            "Requests that were refused while they were read, by the status that they got.")
        for (code, count) in counts.refused.sorted(by: { $0.key < $1.key }) { sample(["code": String(code)], count) }
        single("sluice_open_connections", .gauge, "Open connections of clients.", counts.connections)
        single("sluice_connections_total", .counter, "Connections of clients since the start.", counts.accepted)
        single("sluice_received_bytes_total", .counter, "Bytes from clients.", counts.received)
        single("sluice_sent_bytes_total", .counter, "Bytes to clients.", counts.sent)
    }

    /// What upstreams were asked.
    fileprivate mutating func write(upstreams figures: ExchangeFigures, _ counts: [(name: String, UpstreamCounts)]) {
        let lines = figures.upstreams.sorted { $0.key < $1.key }
        begin(
            "sluice_upstream_requests_total", .counter,
            "Attempts of upstream requests by the status of the answer; none where no usable one came.")
        for (name, line) in lines {
            for (_, code, count) in line.counts { sample(["upstream": name, "code": code], count) }
        }
        begin("sluice_upstream_request_duration_seconds", .histogram, "From an attempt to the end of its answer.")
        for (name, line) in lines { sample(["upstream": name], line.durations) }
        begin("sluice_upstream_received_bytes_total", .counter, "Content of upstreams' answers, decoded.")
        for (name, line) in lines { sample(["upstream": name], line.bytes) }
        begin(
            "sluice_upstream_errors_total", .counter,
            "Attempts that failed and requests that were not let through, by the code of the error.")
        for (name, counts) in counts {
            for (code, count) in counts.failures.sorted(by: { $0.key < $1.key }) {
                sample(["upstream": name, "code": code], count)
            }
        }
        each(counts, "sluice_upstream_retries_total", .counter, "Attempts after a failed one.") { $0.retries }
        each(counts, "sluice_upstream_in_flight", .gauge, "Requests that have a place now.") { $0.inFlight }
        each(counts, "sluice_upstream_waiting", .gauge, "Requests that wait for a place now.") { $0.waiting }
        each(counts, "sluice_upstream_concurrency_limit", .gauge, "Requests that may be in flight at once.") {
            $0.concurrency
        }
        each(counts, "sluice_upstream_breaker_open", .gauge, "1 while requests are kept from an upstream that is down.")
        {
            $0.isBreakerOpen ? 1 : 0
        }
        each(
            counts.filter { $0.1.quotaLeft != nil }, "sluice_upstream_quota_left", .gauge,
            "Requests that the contract's quota still allows now."
        ) { $0.quotaLeft ?? 0 }
        begin("sluice_upstream_pause_seconds", .gauge, "How long the upstream has asked us to wait from now on.")
        for (name, counts) in counts { sample(["upstream": name], counts.pause / .seconds(1)) }
        each(
            counts, "sluice_upstream_trust_losses_total", .counter,
            "How often connections of the upstream were no longer used again, for one held bytes that nobody had asked for."
        ) { $0.trustLosses }
    }

    private mutating func each(
        _ counts: [(name: String, UpstreamCounts)], _ name: String, _ kind: Kind, _ help: String,
        _ value: (UpstreamCounts) -> Int
    ) {
        begin(name, kind, help)
        for (upstream, counts) in counts { sample(["upstream": upstream], value(counts)) }
    }

    fileprivate mutating func write(_ cache: SharedCache) {
        let layers = [
            ("upstream", cache.store.counts(of: .upstream)), ("composed", cache.store.counts(of: .composed)),
        ]
        begin("sluice_cache_requests_total", .counter, "Look-ups in the cache by layer and result.")
        for (layer, counts) in layers {
            for (result, count) in [
                ("hit", counts.hits), ("stale", counts.stale), ("stale-if-error", counts.staleIfError),
                ("collapsed", counts.collapsed), ("miss", counts.misses),
            ] { sample(["layer": layer, "result": result], count) }
        }
        each(
            layers, "sluice_cache_collapsed_total", .counter,
            "Look-ups that were answered with what another request brought; also one of the results above."
        ) {
            $0.collapsed
        }
        each(layers, "sluice_cache_revalidations_total", .counter, "Old answers that were found to be good still.") {
            $0.revalidated
        }
        begin(
            "sluice_cache_hit_ratio", .gauge,
            "The part of all look-ups since the start that were answered with what was kept, stale answers included.")
        for (layer, counts) in layers { sample(["layer": layer], counts.hitRatio) }
        each(layers, "sluice_cache_bytes", .gauge, "Memory that is held.") { $0.bytes }
        each(layers, "sluice_cache_entries", .gauge, "Keys that are held.") { $0.entries }
        each(layers, "sluice_cache_insertions_total", .counter, "Answers that were kept.") { $0.insertions }
        each(layers, "sluice_cache_evictions_total", .counter, "Keys that made room for others.") { $0.evictions }
        each(layers, "sluice_cache_refusals_total", .counter, "Answers that were too large to keep.") { $0.refusals }
        each(layers, "sluice_cache_invalidations_total", .counter, "Keys that were dropped before their time.") {
            $0.invalidations
        }
        single("sluice_cache_capacity_bytes", .gauge, "Memory that may be held.", cache.store.capacity)
        let flying = cache.flying
        single("sluice_cache_flights", .gauge, "Upstream requests that others may wait for.", flying.flights)
        single("sluice_cache_waiting", .gauge, "Requests that wait for another's answer.", flying.waiting)
    }

    private mutating func each(
        _ layers: [(String, CacheCounts)], _ name: String, _ kind: Kind, _ help: String, _ value: (CacheCounts) -> Int
    ) {
        begin(name, kind, help)
        for (layer, counts) in layers { sample(["layer": layer], value(counts)) }
    }

    /// What is shared with other machines.
    fileprivate mutating func write(_ counts: RedisCounts) {
        single(
            "sluice_redis_up", .gauge, "1 while the Redis is connected and its state is known.",
            counts.isConnected ? 1 : 0)
        single("sluice_redis_connections_total", .counter, "How often the Redis came up.", counts.connections)
        begin("sluice_redis_requests_total", .counter, "Look-ups in the Redis by result.")
        for (result, count) in [
            ("hit", counts.hits), ("miss", counts.misses), ("rejected", counts.rejects), ("timeout", counts.timeouts),
        ] { sample(["result": result], count) }
        single("sluice_redis_stores_total", .counter, "Entries that were written.", counts.stores)
        single(
            "sluice_redis_skips_total", .counter, "Entries that were too large or too many to be written.", counts.skips
        )
        single("sluice_redis_waits_total", .counter, "Waits for what another machine was fetching.", counts.waits)
        single(
            "sluice_redis_collapsed_total", .counter, "Waits that brought the other machine's answer.", counts.collapsed
        )
        single(
            "sluice_redis_takeovers_total", .counter, "Turns that were taken from machines that had died with them.",
            counts.takeovers)
        single(
            "sluice_redis_drops_sent_total", .counter, "Drops of kept answers that were told to others.",
            counts.dropsSent)
        single("sluice_redis_drops_heard_total", .counter, "Drops of kept answers that others told.", counts.dropsHeard)
        begin("sluice_redis_errors_total", .counter, "Error replies and failed connections by kind.")
        for (kind, count) in counts.errors.sorted(by: { $0.key < $1.key }) { sample(["kind": kind], count) }
    }

    /// Under the names that every Prometheus client library has.
    fileprivate mutating func write(_ process: ProcessFigures) {
        single("process_cpu_seconds_total", .counter, "Processor time of the process.", process.processorTime)
        let gauges: [(String, String, Int?)] = [
            ("process_resident_memory_bytes", "Memory that is resident.", process.residentMemory),
            ("process_virtual_memory_bytes", "Address space.", process.virtualMemory),
            ("process_open_fds", "Open file descriptors.", process.openDescriptors),
            ("process_max_fds", "File descriptors that may be open.", process.maximumDescriptors),
            ("process_threads", "Threads.", process.threads),
        ]
        for (name, help, value) in gauges { if let value { single(name, .gauge, help, value) } }
        if let start = process.startTime {
            single("process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.", start)
        }
    }
}

extension CacheCounts {
    /// 0 where nothing was looked up.
    fileprivate var hitRatio: Double {
        lookups == 0 ? 0 : Double(hits + stale + staleIfError) / Double(lookups)
    }
}
