/// What a store has done since it was made, and what it holds.
public struct CacheCounts: Sendable, Equatable {
    /// Answered with what was kept and fresh.
    public var hits = 0
    /// Not kept, or not for this request.
    public var misses = 0
    /// Kept, but the upstream had to be asked, and it was still good.
    public var revalidated = 0
    /// Answered with what was past its life.
    public var stale = 0
    /// Answered with what another request had asked for.
    public var collapsed = 0
    public var insertions = 0
    /// Pushed out by others.
    public var evictions = 0
    /// Not taken: too large.
    public var refusals = 0
    /// Dropped because something had changed or somebody said so.
    public var invalidations = 0
    /// Bytes that are held, by our reckoning.
    public var bytes = 0
    /// Keys.
    public var entries = 0

    public init() {}

    mutating func add(_ other: CacheCounts) {
        hits += other.hits
        misses += other.misses
        revalidated += other.revalidated
        stale += other.stale
        collapsed += other.collapsed
        insertions += other.insertions
        evictions += other.evictions
        refusals += other.refusals
        invalidations += other.invalidations
        bytes += other.bytes
        entries += other.entries
    }

    /// What happened to one request.
    public enum Event: Int, Sendable, CaseIterable { case hit, miss, revalidated, stale, collapsed }
}
