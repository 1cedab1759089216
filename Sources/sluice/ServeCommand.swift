internal import Gateway
internal import Glibc
internal import Loop
internal import Parameters
internal import Plan
internal import Redis
internal import Server
internal import Synchronization
internal import Threads

/// `sluice serve`: workers that listen, and a control loop on the main thread for signals and the log.
final class ServeCommand: @unchecked Sendable {
    private let settings: Settings
    private let contracts: Contracts
    private let log: Log
    private let isDraining = Flag()
    private var samples: SampleUpstreams?
    private var handlers: Handlers?
    private var workers: [Worker] = []
    private var admin: AdminPort?
    private var redis: RedisLayer?
    /// What is served now.
    private let current = Locked<Gateways?>(nil)
    private var publicURL: String?
    private var overdue: LoopTimer?
    /// On the control loop.
    private var isReloadWanted = false

    init(_ settings: Settings, _ contracts: Contracts) {
        self.settings = settings
        self.contracts = contracts
        log = Log(level: settings.logLevel, format: settings.logFormat)
    }

    /// Serves until a signal ends it.
    func run() -> Int32 {
        // What runs on other threads ends before its parts are let go, also where the start fails half-way.
        defer {
            admin?.stop()
            for worker in workers { worker.stop() }
            redis?.stop()
            // The gateways hold the Redis, which tells them of what others drop.
            current.withLock { $0 = nil }
            samples?.stop()
            handlers?.close()
            log.finish()
        }
        do {
            let control = try EventLoop()
            try StartMistake.checkMirror(settings)
            publicURL = try StartMistake.publicURL(settings)
            if settings.isSample { samples = try SampleUpstreams(log: log) }
            let access = try Access(settings, contracts.environment)
            let plan = try load(access)
            redis = try shared()
            let handlers = try Handlers(plan, settings, contracts.environment, log, redis: redis)
            self.handlers = handlers
            let limits = try DescriptorBudget(plan).limits(settings, workers: workerCount)
            admin = try AdminPort(settings, contracts.environment, log)
            let address = try listen(limits)
            let gateways = try gateways(for: plan, access)
            current.withLock { $0 = gateways }
            redis?.shareQuotas(
                { [current] in current.withLock { $0 }?.quotaUses ?? [] },
                tell: { [current] name, others in current.withLock { $0 }?.noteQuota(of: name, others: others) })
            try redis?.start()
            for worker in workers {
                worker.answer(
                    with: try gateways.responder(on: worker.loop, counts: worker.counts),
                    contentLimit: gateways.contentLimit)
                try worker.start()
            }
            try admin?.start(workers: workers, gateways, redis, localAddresses: [address])
            try runControl(on: control) { announce(address, plan, access) }
            return Tool.Exit.success
        } catch {
            Terminal.error("\(error)\n")
            return Tool.Exit.failure
        }
    }

    private var workerCount: Int {
        settings.workers == 0 ? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) : settings.workers
    }

    /// Binds every worker's listener.
    /// - Returns: the address that clients on this machine use.
    private func listen(_ limits: ServerLimits) throws -> String {
        try PortTaken.check(settings.host, settings.port)
        var port = settings.port
        for _ in 0..<workerCount {
            let worker = try Worker(limits: limits, log: log)
            port = try worker.listen(host: settings.host, port: port)
            workers.append(worker)
        }
        let address = "http://\(settings.host.contains(":") ? "[\(settings.host)]" : settings.host):\(port)"
        // An address that stands for all can't be dialled, so links then begin with the host that the request names.
        let isWildcard = settings.host == "0.0.0.0" || settings.host == "::"
        if publicURL == nil, !isWildcard { publicURL = address }
        return address
    }

    /// The Redis that the settings name; nil where they name none.
    private func shared() throws -> RedisLayer? {
        guard let address = try StartMistake.redis(settings, contracts.environment) else { return nil }
        return try RedisLayer(
            address, budget: settings.redisTimeout,
            onDrop: { [current] tag in current.withLock { $0 }?.dropped(tag: tag) },
            log: { [log] in log.write(.warning, $0) })
    }

    private func load(_ access: Access) throws -> Plan {
        let plan = try contracts.load(overrides: samples?.variables ?? [:], keyNeed: access.keyNeed)
        if let samples { try StartMistake.checkSamples(samples, plan) }
        return plan
    }

    private func gateways(for plan: Plan, _ access: Access) throws(BadNetwork) -> Gateways {
        var gateways = try Gateways(plan, settings, publicURL: publicURL, redis: redis)
        gateways.handlers = handlers?.all ?? [:]
        gateways.settings.isDraining = { [isDraining] in isDraining.isSet }
        gateways.settings.access = access.rules
        gateways.settings.origins = access.origins
        gateways.settings.observe = { [log] in log.note($0) }
        if log.level == .debug { gateways.onAttempt = { [log] in log.note($0) } }
        return gateways
    }

    private func announce(_ address: String, _ plan: Plan, _ access: Access) {
        let threads = Quantity.text(workers.count, "worker")
        let upstreams = samples == nil ? "" : ", sample upstreams"
        let admin = admin.map { ", admin port at \($0.address)" } ?? ""
        let routes = Quantity.text(plan.operations.count, "route")
        let line =
            settings.mirror.isEmpty
            ? "Sluice serves \(routes) at \(address) (\(threads)\(upstreams))\(admin)\n"
            : "Sluice at \(address) mirrors \(settings.mirror) (\(threads))\(admin)\n"
        // A server whose output nobody reads serves all the same.
        Terminal.write(Array(line.utf8), to: STDOUT_FILENO)
        if let warning = access.warning(plan, settings) { log.write(.warning, warning) }
        for upstream in plan.upstreams where !upstream.missingVariables.isEmpty {
            let names = upstream.missingVariables.joined(separator: ", ")
            log.write(.warning, "upstream \(upstream.name) answers 503 until these are set: \(names)")
        }
    }

    /// Runs the main thread's loop until the last worker is drained.
    /// - Parameter ready: called as soon as signals are heeded, so that whoever waits for its words may send one.
    private func runControl(on loop: EventLoop, ready: () -> Void) throws {
        let flusher = Repeating(loop: loop, every: .milliseconds(200)) { self.log.flush() }
        let signals = try [
            SignalWatch(loop: loop, signal: SIGTERM) { self.drain(then: loop) },
            SignalWatch(loop: loop, signal: SIGINT) { self.drain(then: loop) },
            SignalWatch(loop: loop, signal: SIGHUP) { self.reloadOnce(on: loop) },
        ]
        ready()
        withExtendedLifetime((flusher, signals)) { loop.run() }
    }

    /// Lets answers under way finish, then ends `loop`. A second signal ends it at once.
    private func drain(then loop: EventLoop) {
        if isDraining.set() {
            log.write(.warning, "stopping at once")
            return loop.stop()
        }
        log.write(.info, "draining: answers under way finish, for at most \(Quantity.text(settings.drainLimit))")
        // Each worker keeps to the limit itself; this one is for a worker that can't.
        overdue = LoopTimer(loop: loop) { [log] in
            log.write(.error, "a worker didn't end in time")
            log.finish()
            _exit(Tool.Exit.failure)
        }
        overdue?.start(after: settings.drainLimit + .seconds(2))
        let left = Countdown(workers.count)
        for worker in workers {
            worker.drain(accept: settings.drainAccept, limit: settings.drainLimit) { if left.step() { loop.stop() } }
        }
    }

    /// Reloads in a later turn, once for all signals that come before that.
    private func reloadOnce(on loop: EventLoop) {
        guard !isReloadWanted else { return }
        isReloadWanted = true
        loop.submit {
            self.isReloadWanted = false
            if !self.isDraining.isSet { self.reload() }
        }
    }

    /// Reads the contracts and the client keys again. A mistake changes nothing.
    private func reload() {
        guard settings.mirror.isEmpty else { return log.write(.info, "a mirror has no contracts to read again") }
        do {
            let access = try Access(settings, contracts.environment)
            let plan = try load(access)
            let gateways = try gateways(for: plan, access)
            for worker in workers { worker.replaceGateway(from: gateways, log) }
            admin?.replace(gateways)
            current.withLock { $0 = gateways }
            log.write(.info, "read the contracts again: \(Quantity.text(plan.operations.count, "route"))")
        } catch let mistake as ParameterMistake {
            log.write(.error, "the client keys are wrong, so nothing changes: \(mistake)")
        } catch {
            log.write(.error, "the contracts are wrong, so the old ones stay: \(error)")
        }
    }
}

/// A mark that is set once, by any thread.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }

    /// - Returns: whether it was set before.
    func set() -> Bool { value.exchange(true, ordering: .relaxed) }
}

/// Counts down to nothing, by any thread.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    init(_ count: Int) { left = Atomic(count) }

    /// - Returns: whether this was the last one.
    func step() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
