public import Cache
internal import Glibc
internal import Hashing
internal import Loop
internal import Synchronization
public import Threads

/// The shared second layer in a Redis. A thread of its own looks names up, speaks the protocol, compresses and expands; workers only wait, and never
/// longer than the budget. A Redis that is gone or slow costs a request one load of a flag.
public final class RedisLayer: SecondLayer {
    let loop: EventLoop
    let link: Confined<RedisLink>
    private let name: String
    private let thread = Locked<Thread?>(nil)
    private let state = Locked<SharedState?>(nil)
    private let counted = Locked(RedisCounts())
    let isUp = Atomic(false)
    /// Milliseconds of the clock that only goes on: until then nobody asks, since it was too slow.
    private let closedUntil = Atomic(0)
    private let slowness = Atomic(0)
    private let bytesOnTheirWay = Atomic(0)
    let turns: Confined<Turns>
    private let turnNumbers = Atomic<UInt64>(0)
    /// The name of this machine on this connection.
    private let session: Locked<String>
    private let tick: Confined<Tick>
    /// What was dropped while Redis was gone; nil is everything.
    private let undropped = Locked<[String]>([])
    private let quotas = Confined(QuotaSharing())
    private let onDrop: @Sendable (String?) -> Void
    private let log: @Sendable (String) -> Void

    /// All that one request may wait for Redis.
    let budget: Duration
    /// How long one machine waits for another's fetch at the most.
    private static let longestWait = Duration.seconds(5)
    private static let pollInterval = Duration.milliseconds(10)
    private static let backlogLimit = 32 << 20
    /// Milliseconds.
    private static let longestLife = 30 * 86_400_000

    /// - Parameters:
    ///   - budget: all that one request may wait for Redis.
    ///   - onDrop: called where another machine has dropped what has a tag, or everything (nil); on Redis' own thread.
    ///   - log: gets a line where Redis comes or goes.
    /// - Throws: `EventLoopError` where descriptors or memory have run out.
    public init(
        _ address: RedisAddress, budget: Duration, onDrop: @escaping @Sendable (String?) -> Void,
        log: @escaping @Sendable (String) -> Void
    ) throws {
        self.budget = budget
        self.onDrop = onDrop
        self.log = log
        loop = try EventLoop()
        name = String(UInt64.random(in: .min ... .max), radix: 36)
        link = Confined(RedisLink(loop: loop, address, name: name))
        turns = Confined(Turns(loop: loop, link.value))
        session = Locked(link.value.session)
        tick = Confined(Tick())
        let place = address.description
        link.value.onChange = { [unowned self] in self.changed($0, place) }
        link.value.onState = { [unowned self] in self.learned($0, dropped: $1) }
    }

    /// Counts requests to upstreams together with other machines: what is sent here is told each second, and what they sent is heard. Before
    /// ``start()``.
    /// - Parameters:
    ///   - use: what was sent so far; called on Redis' thread.
    ///   - tell: what others have sent in the window; called on Redis' thread.
    public func shareQuotas(
        _ use: @escaping @Sendable () -> [QuotaShare], tell: @escaping @Sendable (_ name: String, _ others: Int) -> Void
    ) {
        loop.submit { [loop, link, quotas] in quotas.value.start(on: loop, link.value, use, tell) }
    }

    /// Has something done each second while Redis is there, and each time when it comes. Before ``start()``.
    /// - Parameter body: called on Redis' thread with the number of the connection.
    public func tick(_ body: @escaping @Sendable (_ connection: Int) async -> Void) {
        loop.submit { [self] in
            tick.value.start(
                on: loop,
                { [unowned self] in isUp.load(ordering: .relaxed) ? counted.withLock { $0.connections } : nil }, body)
        }
    }

    /// Connects, on a new thread; before the layer is used.
    /// - Throws: where the system gives no thread.
    public func start() throws(Thread.StartError) {
        loop.submit { [link] in link.value.start() }
        let thread = try loop.startThread()
        self.thread.withLock { $0 = thread }
    }

    /// Writes what is on its way, as far as Redis takes it at once, and ends the thread.
    public func stop() {
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        loop.submit { [link, quotas, tick, turns] in
            quotas.value.stop()
            tick.value.stop()
            turns.value.stop()
            link.value.stop()
        }
        loop.stop()
        thread.join()
    }

    public var counts: RedisCounts {
        var counts = counted.withLock { $0 }
        counts.isConnected = isUp.load(ordering: .relaxed)
        return counts
    }

    // MARK: Redis' thread

    private func changed(_ failure: RedisConnection.Failure?, _ place: String) {
        session.withLock { $0 = link.value.session }
        isUp.store(failure == nil, ordering: .relaxed)
        if let failure {
            count { $0.errors[String(describing: failure), default: 0] += 1 }
            log("the Redis at \(place) is not used: \(failure.rawValue)")
        } else {
            count { $0.connections += 1 }
            closedUntil.store(0, ordering: .relaxed)
            log("the Redis at \(place) is used")
            tick.value.hasten()
            for tag in undropped.withLock({ tags in
                defer { tags = [] }
                return tags
            }) { tell(tag) }
        }
    }

    private func learned(_ state: SharedState, dropped: [String]) {
        self.state.withLock { $0 = state }
        if dropped.isEmpty { return }
        count { $0.dropsHeard += dropped.count }
        for tag in dropped { onDrop(tag == SharedState.everything ? nil : tag) }
    }

    private func tell(_ tag: String) {
        let fresh = String(UInt64.random(in: 1...(1 << 62)))
        let words = ["EVAL", Script.drop, "2", RedisLink.stateKey, RedisLink.channel, fresh, name, tag].words
        link.value.send(words) { [self] reply in
            if case .success(.integer) = reply { return count { $0.dropsSent += 1 } }
            note(reply)
            // It is told when Redis is there again; so many that nobody would keep them are everything.
            undropped.withLock { $0 = $0.count < 1000 ? $0 + [tag] : [SharedState.everything] }
        }
    }

    func note(_ reply: Result<RedisValue, RedisConnection.Failure>) {
        switch reply {
        case .success(.error(let word)):
            count { $0.errors[RedisCounts.words.contains(word) ? word : "other", default: 0] += 1 }
        case .success: count { $0.errors["unexpected", default: 0] += 1 }
        case .failure: break
        }
    }

    func count(_ change: (inout RedisCounts) -> Void) { counted.withLock(change) }

    // MARK: Asking

    public var mark: UInt64? {
        guard isUp.load(ordering: .relaxed) else { return nil }
        let until = closedUntil.load(ordering: .relaxed)
        if until != 0 {
            let now = Moment.now.uptime
            // One that comes after the pause tries; others wait for how that goes.
            guard now >= until,
                closedUntil.compareExchange(expected: until, desired: now + 1000, ordering: .relaxed).exchanged
            else { return nil }
        }
        return state.withLock { $0?.epoch }
    }

    public func board(
        _ name: String, until end: ContinuousClock.Instant?, host: CacheHost
    ) async -> Boarding {
        guard let key = RedisLayer.key(name) else { return .alone }
        let watch = HolderWatch(budget: budget, at: .now)
        switch await find(key, until: watch.limit, host) {
        case .entry(let envelope):
            count { $0.hits += 1 }
            return .found(entry: envelope.entry, tags: envelope.tags)
        case .nothing: count { $0.misses += 1 }
        case .failed: return .alone
        }
        return await lead(key, watch, until: RedisLayer.longestWait(end), host)
    }

    /// A new name for a turn of this machine.
    func token() -> String {
        session.withLock { $0 } + "." + String(turnNumbers.add(1, ordering: .relaxed).newValue, radix: 36)
    }

    /// Half of the time that is left, so that there is some for a fetch of our own.
    private static func longestWait(_ end: ContinuousClock.Instant?) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        return now + min(longestWait, end.map { now.duration(to: $0) / 2 } ?? longestWait)
    }

    /// Takes the turn to fetch, or waits for the machine that has it.
    private func lead(
        _ key: String, _ watch: HolderWatch, until end: ContinuousClock.Instant, _ host: CacheHost
    ) async -> Boarding {
        let lock = RedisLayer.lock(key)
        let turn = token()
        var found: Envelope?
        var isDone = false
        func look(_ limit: ContinuousClock.Instant) async -> Bool {
            switch await find(key, until: limit, host) {
            case .entry(let envelope): found = envelope
            case .nothing: return false
            case .failed: break
            }
            isDone = true
            return true
        }
        let waited = await wait(for: lock, turn, watch, until: end, host, unless: look)
        if case .ours = waited { return .lead(turn) }
        if case .oursAfterAnother = waited {
            // What the other has kept is there by now. If it has kept nothing, nobody waits for the next one.
            if !isDone { _ = await look(.now + budget) }
            self.end(turn, of: lock)
        }
        guard let found else { return .alone }
        count { $0.collapsed += 1 }
        return .found(entry: found.entry, tags: found.tags)
    }

    private enum Found: Sendable {
        case entry(Envelope)
        case nothing
        case failed
    }

    private func find(_ key: String, until deadline: ContinuousClock.Instant, _ host: CacheHost) async -> Found {
        await wait(until: deadline, host) { [self] reply in
            link.value.send(["GET", RedisLink.prefix + "e:" + key].words) { [self] answer in
                switch answer {
                case .success(.null): reply.give(.nothing)
                case .success(.bytes(let bytes)):
                    let state = state.withLock { $0 }
                    guard let envelope = Envelope(bytes), let state, state.isGood(envelope) else {
                        count { $0.rejects += 1 }
                        return reply.give(.nothing)
                    }
                    reply.give(.entry(envelope))
                default:
                    note(answer)
                    reply.give(.failed)
                }
            }
        } ?? .failed
    }

    func ask(_ words: [[UInt8]], until deadline: ContinuousClock.Instant, _ host: CacheHost) async
        -> RedisValue?
    {
        await wait(until: deadline, host) { [self] reply in
            link.value.send(words) { [self] answer in
                if case .success(let value) = answer, !value.isError { return reply.give(value) }
                note(answer)
                reply.give(.error(""))
            }
        }
    }

    /// The same for whoever has time: as long as the connection waits.
    func ask(_ words: [[UInt8]]) async -> RedisValue? {
        let reply = Reply<RedisValue>()
        loop.submit { [self] in
            link.value.send(words) { [self] answer in
                if case .success(let value) = answer, !value.isError { return reply.give(value) }
                note(answer)
                reply.give(nil)
            }
        }
        return await reply.value()
    }

    /// Has `begin` called on Redis' thread and waits for its word, until the deadline.
    func wait<Value: Sendable>(
        until deadline: ContinuousClock.Instant, _ host: CacheHost, _ begin: @escaping @Sendable (Reply<Value>) -> Void
    ) async -> Value? {
        let reply = Reply<Value>()
        let alarm = host.alarm(deadline) { reply.give(nil) }
        loop.submit { begin(reply) }
        let value = await reply.value()
        withExtendedLifetime(alarm) {}
        if value == nil {
            tooSlow()
        } else if closedUntil.load(ordering: .relaxed) != 0 {
            closedUntil.store(0, ordering: .relaxed)
            slowness.store(0, ordering: .relaxed)
        }
        return value
    }

    /// Nobody asks for a while: a second, twice as long each time, half a minute at the most.
    private func tooSlow() {
        count { $0.timeouts += 1 }
        let times = min(slowness.add(1, ordering: .relaxed).newValue, 6)
        closedUntil.store(Moment.now.uptime + min(30_000, 500 << times), ordering: .relaxed)
    }

    func pause(_ host: CacheHost) async {
        let reply = Reply<Bool>()
        let alarm = host.alarm(ContinuousClock.now + RedisLayer.pollInterval) { reply.give(true) }
        _ = await reply.value()
        withExtendedLifetime(alarm) {}
    }

    // MARK: Telling

    public func keep(_ entry: [UInt8], as name: String, tags: [String], for milliseconds: Int, since mark: UInt64) {
        guard entry.count <= Envelope.entryLimit,
            bytesOnTheirWay.add(entry.count, ordering: .relaxed).newValue <= RedisLayer.backlogLimit
        else {
            if entry.count <= Envelope.entryLimit { bytesOnTheirWay.subtract(entry.count, ordering: .relaxed) }
            return count { $0.skips += 1 }
        }
        loop.submit { [self] in
            guard let id = state.withLock({ $0?.id }), let key = RedisLayer.key(name),
                let sealed = Envelope(id: id, epoch: mark, tags: tags, entry: entry).sealed()
            else {
                bytesOnTheirWay.subtract(entry.count, ordering: .relaxed)
                return count { $0.skips += 1 }
            }
            let life = String(min(max(1, milliseconds), RedisLayer.longestLife))
            let words = ["SET", RedisLink.prefix + "e:" + key].words + [sealed] + ["PX", life].words
            link.value.send(words) { [self] reply in
                bytesOnTheirWay.subtract(entry.count, ordering: .relaxed)
                if reply == .success(.status("OK")) { count { $0.stores += 1 } } else { note(reply) }
            }
        }
    }

    public func release(_ name: String, _ turn: String) {
        if let key = RedisLayer.key(name) { end(turn, of: RedisLayer.lock(key)) }
    }

    public func drop(tag: String?) {
        loop.submit { [self] in tell(tag ?? SharedState.everything) }
    }

    /// What something is called in Redis: a digest, so that no address and no value of a client's is in a key.
    private static func lock(_ key: String) -> String { RedisLink.prefix + "l:" + key }
    private static func key(_ name: String) -> String? { Digest.sha256.hex(Array(name.utf8)) }
}

extension RedisValue {
    var isError: Bool {
        if case .error = self { return true }
        return false
    }
}

/// An object that only one loop's thread uses, in the hands of others.
struct Confined<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
