internal import Synchronization
internal import Threads

/// Keeps answers, in a bounded part of memory, for all workers together. Everything here may be called from any thread and blocks for a
/// microsecond at the most, but for ``removeAll(where:)``, which looks at all that is kept.
public final class CacheStore: Sendable {
    /// One part and what is counted beside it.
    private final class Part: Sendable {
        let shard: Locked<Shard>
        private let events = CacheKey.Layer.allCases.map { _ in EventCounts() }
        init(_ shard: Shard) { self.shard = Locked(shard) }
        func events(_ layer: CacheKey.Layer) -> EventCounts { events[Int(layer.rawValue)] }
    }

    /// What happened to the requests for one layer.
    private final class EventCounts: Sendable {
        let hits = Atomic(0)
        let misses = Atomic(0)
        let revalidated = Atomic(0)
        let stale = Atomic(0)
        let staleIfError = Atomic(0)
        let collapsed = Atomic(0)
        let refusals = Atomic(0)
        let invalidations = Atomic(0)
    }

    private let parts: [Part]
    /// Bytes.
    public let capacity: Int
    /// Bytes of the largest entry that is taken.
    public let largest: Int

    /// - Parameters:
    ///   - capacity: bytes for keys, fields, content and the tables around them.
    ///   - shards: parts that are locked on their own; nil: one for each 32 MB, eight at the most.
    ///   - largestShare: the part of the whole that one entry may take; a shard's quarter at the most.
    public init(capacity: Int = 256 << 20, shards: Int? = nil, largestShare: Double = 1.0 / 32) {
        let capacity = max(0, capacity)
        let count = min(max(1, shards ?? capacity / (32 << 20)), 64)
        self.capacity = capacity
        let each = capacity / count
        let largest = min(Int(Double(capacity) * min(max(largestShare, 0), 1)), each / 4)
        self.largest = largest
        parts = (0..<count).map { _ in Part(Shard(capacity: each, largest: largest)) }
    }

    private func part(_ key: CacheKey) -> Part {
        parts[Int(truncatingIfNeeded: UInt(bitPattern: key.hash) >> 32) % parts.count]
    }

    /// Changes one part; what it lets go of is freed after the lock is.
    private func change<Result>(_ part: Part, _ body: (inout Shard, inout [StoredAnswer]) -> Result) -> Result {
        var dropped: [StoredAnswer] = []
        return part.shard.withLock { body(&$0, &dropped) }
    }

    // MARK: Reading

    /// All that is kept under a key, in no order that matters. Counts as a use, so ask once for each request.
    public func variants(of key: CacheKey) -> [StoredAnswer] { part(key).shard.withLock { $0.variants(key) } }

    /// The state of invalidation of a key, to be taken before its upstream is asked.
    public struct Mark: Sendable, Equatable { let value: UInt32 }

    public func mark(of key: CacheKey) -> Mark { Mark(value: part(key).shard.withLock { $0.mark(key) }) }

    // MARK: Writing

    /// Keeps an answer in place of those with the same selection.
    ///
    /// - Parameter old: goes too: it was found not to be good any more, and this one is given instead.
    /// - Parameter mark: from before the upstream was asked: an answer that was on its way while its key was invalidated is not taken.
    /// - Returns: whether it is kept now.
    @discardableResult
    public func insert(
        _ answer: StoredAnswer, for key: CacheKey, replacing old: StoredAnswer? = nil, since mark: Mark? = nil
    ) -> Bool {
        change(part(key)) { shard, dropped in
            if let mark, mark.value != shard.mark(key) { return false }
            return shard.insert(answer, key, replacing: old, dropped: &dropped)
        }
    }

    /// Puts renewed answers in the place of old ones; where an old one has gone meanwhile, its new form isn't kept either.
    public func apply(_ updates: [Validation.Update], to key: CacheKey) {
        if updates.isEmpty { return }
        change(part(key)) { $0.apply(updates, key, dropped: &$1) }
    }

    // MARK: Invalidating

    /// - Returns: how many keys were dropped; the same for the next three.
    @discardableResult
    public func remove(_ key: CacheKey) -> Int { removing([part(key)]) { $0.invalidate(key, dropped: &$1) } }

    /// Drops all with an answer that has this tag.
    /// - Parameter isSweeping: refuse what is on its way too, to any key, for nobody knows its tags yet.
    @discardableResult
    public func remove(tag: String, isSweeping: Bool = false) -> Int {
        removing(parts) { $0.invalidate(tag: tag, isSweeping: isSweeping, dropped: &$1) }
    }

    /// Drops what has this tag and an answer that `isMeant` says yes to.
    @discardableResult
    public func remove(tag: String, where isMeant: (StoredAnswer) -> Bool) -> Int {
        removing(parts) { $0.invalidate(tag: tag, where: isMeant, dropped: &$1) }
    }

    /// Drops all that `isMeant` says yes to for one of its answers: by prefix, route, age. Takes milliseconds for 100,000 keys.
    @discardableResult
    public func removeAll(where isMeant: (CacheKey, StoredAnswer) -> Bool) -> Int {
        removing(parts) { $0.invalidate(where: isMeant, dropped: &$1) }
    }

    @discardableResult
    public func removeAll() -> Int { removeAll { _, _ in true } }

    private func removing(_ parts: [Part], _ body: (inout Shard, inout [StoredAnswer]) -> Int) -> Int {
        var sum = 0
        for part in parts {
            let count = change(part) { shard, dropped in
                let before = CacheKey.Layer.allCases.map { shard.held($0).entries }
                let count = body(&shard, &dropped)
                for (layer, entries) in zip(CacheKey.Layer.allCases, before) {
                    part.events(layer).invalidations.add(entries - shard.held(layer).entries, ordering: .relaxed)
                }
                return count
            }
            sum += count
        }
        return sum
    }

    // MARK: Counting

    /// Counts a look-up of a key, once it is known what became of it.
    public func count(_ outcome: CacheCounts.Outcome, _ key: CacheKey) {
        let events = part(key).events(key.layer)
        switch outcome {
        case .hit: events.hits.add(1, ordering: .relaxed)
        case .miss: events.misses.add(1, ordering: .relaxed)
        case .stale: events.stale.add(1, ordering: .relaxed)
        case .staleIfError: events.staleIfError.add(1, ordering: .relaxed)
        case .collapsed: events.collapsed.add(1, ordering: .relaxed)
        }
    }

    /// Counts an answer that is known to be too large before it is there as a whole.
    func countRefusal(_ key: CacheKey) { part(key).events(key.layer).refusals.add(1, ordering: .relaxed) }

    /// Counts an old answer that was still good.
    func countRevalidation(_ key: CacheKey) { part(key).events(key.layer).revalidated.add(1, ordering: .relaxed) }

    /// The counts of all parts, each for its own moment, with the tables that both layers use.
    public var counts: CacheCounts {
        var counts = CacheCounts()
        for layer in CacheKey.Layer.allCases { counts.add(self.counts(of: layer)) }
        counts.bytes = parts.reduce(0) { sum, part in sum + part.shard.withLock { $0.bytes } }
        return counts
    }

    /// The counts of one layer.
    public func counts(of layer: CacheKey.Layer) -> CacheCounts {
        var counts = CacheCounts()
        for part in parts {
            let events = part.events(layer)
            counts.hits += events.hits.load(ordering: .relaxed)
            counts.misses += events.misses.load(ordering: .relaxed)
            counts.revalidated += events.revalidated.load(ordering: .relaxed)
            counts.stale += events.stale.load(ordering: .relaxed)
            counts.staleIfError += events.staleIfError.load(ordering: .relaxed)
            counts.collapsed += events.collapsed.load(ordering: .relaxed)
            counts.invalidations += events.invalidations.load(ordering: .relaxed)
            part.shard.withLock { shard in
                let tally = shard.tallies[Int(layer.rawValue)]
                counts.insertions += tally.insertions
                counts.evictions += tally.evictions
                counts.refusals += tally.refusals + events.refusals.load(ordering: .relaxed)
                counts.bytes += shard.held(layer).bytes
                counts.entries += shard.held(layer).entries
            }
        }
        return counts
    }
}
