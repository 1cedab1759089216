internal import HTTP
internal import Synchronization
internal import Threads

/// What a cache needs of the worker that it runs on.
public struct CacheHost: Sendable {
    /// The time.
    public var clock: @Sendable () -> Moment
    /// Starts work that nobody waits for, on the caller's loop: the renewal of an answer that was given stale.
    public var spawn: @Sendable (@escaping @Sendable () async -> Void) -> Void
    /// Calls back at an instant, from any thread, unless what is returned is let go of before. Called on the worker's thread.
    public var alarm: @Sendable (ContinuousClock.Instant, @escaping @Sendable () -> Void) -> AnyObject
    /// From -1 to 1, for the jitter of lives.
    public var chance: @Sendable () -> Double

    public init(
        clock: @escaping @Sendable () -> Moment = { .now },
        spawn: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void,
        alarm: @escaping @Sendable (ContinuousClock.Instant, @escaping @Sendable () -> Void) -> AnyObject,
        chance: @escaping @Sendable () -> Double = { .random(in: -1...1) }
    ) {
        self.clock = clock
        self.spawn = spawn
        self.alarm = alarm
        self.chance = chance
    }
}

/// What all workers share: what is kept, and what is being fetched.
public final class SharedCache: Sendable {
    /// What a flight brings to those who waited.
    struct Landing: Sendable {
        /// Kept in the store, or not to be kept but good for those who asked at the same time.
        var answer: StoredAnswer
        var status: CacheStatus
        /// The content, where it is still coming; the answer has none then.
        var growing: GrowingContent?
    }

    public let store: CacheStore
    let flights: Flights<FlightKey, Landing, GatewayError>
    let unshared = UnsharedKeys()
    /// Composed answers that are being made.
    let compositions: Flights<CacheKey, ComposedCache.Landing, GatewayError>
    /// How often something was invalidated.
    let purges = Atomic<UInt64>(0)

    /// Contents that are still coming, and the memory that they may take together.
    let growth: Growth

    /// Behind memory; nil where there is none.
    public let second: (any SecondLayer)?

    /// - Parameters:
    ///   - waiterLimit: clients that may wait for one thing.
    ///   - second: what other machines share.
    public init(store: CacheStore, waiterLimit: Int = 1000, second: (any SecondLayer)? = nil) {
        self.store = store
        self.second = second
        growth = Growth(limit: store.capacity / 4)
        flights = Flights(waiterLimit: waiterLimit)
        compositions = Flights(waiterLimit: waiterLimit)
    }

    // MARK: Invalidating

    /// Drops what is kept for these URLs and what was composed of it, in the second layer too, and lets nobody join a request for them that was
    /// sent before.
    /// - Parameter space: of their keys, see ``CacheKey``.
    public func invalidate(_ urls: [CacheURL], space: String = "") {
        if urls.isEmpty { return }
        beginPurge()
        for url in urls {
            second?.drop(tag: url.text)
            let key = CacheKey(url, space: space)
            flights.detach { $0.key == key }
            store.remove(key)
            store.remove(tag: url.text)
        }
    }

    /// Drops all with an answer that has this tag, of both layers; the same for requests under way, of which nobody knows the tags yet.
    ///
    /// Tags are: an upstream's name (`swapi`), a route's path (`/films/{id}`), and an upstream's URL without its credentials
    /// (`https://swapi.dev/api/films/1/`). A composed answer has those of all its parts.
    /// - Parameter isTold: another machine has done it in the second layer already.
    /// - Returns: how many answers of upstreams were dropped here; the same for the next.
    @discardableResult
    public func invalidate(tag: String, isTold: Bool = false) -> Int {
        if !isTold { second?.drop(tag: tag) }
        beginPurge()
        flights.detach { _ in true }
        store.remove(tag: tag) { $0.composition != nil }
        return store.remove(tag: tag, isSweeping: true)
    }

    /// Drops everything, in the second layer too.
    @discardableResult
    public func invalidateAll(isTold: Bool = false) -> Int {
        if !isTold { second?.drop(tag: nil) }
        return invalidate { _, _ in true }
    }

    /// Drops all that `isMeant` says yes to for one of its answers, here alone. What is composed of something that it means isn't meant by that:
    /// where it is told by a tag, use ``invalidate(tag:)``.
    @discardableResult
    public func invalidate(where isMeant: (CacheKey, StoredAnswer) -> Bool) -> Int {
        beginPurge()
        flights.detach { _ in true }
        store.removeAll { $1.composition != nil && isMeant($0, $1) }
        return store.removeAll(where: isMeant)
    }

    /// Whatever is being composed isn't kept, and nobody joins it any more.
    private func beginPurge() {
        purges.add(1, ordering: .releasing)
        compositions.detach { _ in true }
    }

    /// Requests under way that others may wait for, and how many wait for them or for an answer that is being composed.
    public var flying: (flights: Int, waiting: Int) {
        let upstream = flights.counts
        return (upstream.flights, upstream.waiting + compositions.counts.waiting)
    }
}

/// Requests that one answer can do for.
struct FlightKey: Hashable, Sendable {
    var key: CacheKey
    var method: Method
    /// The values of the fields that are handed to the upstream: other values may get another answer.
    var passed: [String?]
}

/// Keys whose last answer was nobody else's: for a while nobody waits for the next one, so that requests for what can't be shared don't
/// stand in line behind each other. Bounded; keys that fall together push each other out.
final class UnsharedKeys: Sendable {
    private static let slots = 1024
    /// Milliseconds.
    private static let time = 10_000
    private let table = Locked([(hash: Int, until: Int)](repeating: (0, Int.min), count: UnsharedKeys.slots))

    func add(_ key: CacheKey, at now: Moment) {
        table.withLock { $0[Self.slot(key)] = (key.hash, now.uptime &+ Self.time) }
    }

    func remove(_ key: CacheKey) {
        table.withLock { if $0[Self.slot(key)].hash == key.hash { $0[Self.slot(key)].until = Int.min } }
    }

    func contains(_ key: CacheKey, at now: Moment) -> Bool {
        table.withLock { $0[Self.slot(key)].hash == key.hash && $0[Self.slot(key)].until > now.uptime }
    }

    private static func slot(_ key: CacheKey) -> Int { Int(UInt(bitPattern: key.hash) % UInt(slots)) }
}
