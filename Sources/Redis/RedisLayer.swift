public import Cache
internal import Glibc
internal import Loop
internal import Synchronization
public import Threads

/// The shared second layer in a Redis. A thread of its own looks names up, speaks the protocol, compresses and expands; workers only wait, and never
/// longer than the budget. A Redis that is gone or slow costs a request one load of a flag.
public final class RedisLayer: SecondLayer {
    let loop: EventLoop
    let link: Confined<RedisLink>
    let name: String
    private let thread = Locked<Thread?>(nil)
    let state = Locked<SharedState?>(nil)
    private let counted = Locked(RedisCounts())
    let isUp = Atomic(false)
    /// Milliseconds of the clock that only goes on: until then nobody asks, since it was too slow.
    let closedUntil = Atomic(0)
    let slowness = Atomic(0)
    private let bytesOnTheirWay = Atomic(0)
    let turns: Confined<Turns>
    let turnNumbers = Atomic<UInt64>(0)
    /// The name of this machine on this connection.
    let session: Locked<String>
    private let tick: Confined<Tick>
    /// What was dropped while Redis was gone; nil is everything.
    private let undropped = Locked<[String]>([])
    private let quotas = Confined(QuotaSharing())
    private let onDrop: @Sendable (String?) -> Void
    private let log: @Sendable (String) -> Void

    /// All that one request may wait for Redis.
    let budget: Duration
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
            count { $0.errors[failure.kind, default: 0] += 1 }
            log("the Redis at \(place) is not used: \(failure.description)")
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
            count { $0.errors[RedisCounts.known(word), default: 0] += 1 }
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

    // MARK: Telling

    public func keep(
        _ entry: [UInt8], as name: String, _ choice: VariantChoice, tags: [String], for milliseconds: Int,
        since mark: UInt64
    ) {
        guard entry.count <= Envelope.entryLimit,
            bytesOnTheirWay.add(entry.count, ordering: .relaxed).newValue <= RedisLayer.backlogLimit
        else {
            if entry.count <= Envelope.entryLimit { bytesOnTheirWay.subtract(entry.count, ordering: .relaxed) }
            return count { $0.skips += 1 }
        }
        loop.submit { [self] in
            guard let id = state.withLock({ $0?.id }), let place = Place(name, choice),
                let sealed = Envelope(id: id, epoch: mark, tags: tags, entry: entry).sealed()
            else {
                bytesOnTheirWay.subtract(entry.count, ordering: .relaxed)
                return count { $0.skips += 1 }
            }
            let life = String(min(max(1, milliseconds), RedisLayer.longestLife))
            let words = ["EVAL", EntryScript.keep, "1", place.key, place.names, place.variant, life, EntryScript.limit]
            link.value.send(words.words + [sealed]) { [self] reply in
                bytesOnTheirWay.subtract(entry.count, ordering: .relaxed)
                if case .success(.integer) = reply { count { $0.stores += 1 } } else { note(reply) }
            }
        }
    }

    public func release(_ turn: String) {
        let words = turn.split(separator: " ", maxSplits: 1)
        if words.count == 2 { end(String(words[0]), of: String(words[1])) }
    }

    public func drop(tag: String?) {
        loop.submit { [self] in tell(tag ?? SharedState.everything) }
    }
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
