/// What a store has done since it was made, and what it holds.
public struct CacheCounts: Sendable, Equatable {
    // Each look-up is one of these five.

    /// Answered with what was kept and fresh.
    public var hits = 0
    /// Not kept, or not for this request, and nobody else brought it.
    public var misses = 0
    /// Answered with what was past its life: it is renewed meanwhile, or the client wanted it so.
    public var stale = 0
    /// Answered with what was kept, since the upstream failed.
    public var staleIfError = 0
    /// Answered with what another request had asked for.
    public var collapsed = 0

    /// Of the misses and those that were renewed behind a client's back: kept, but the upstream had to be asked, and it was still good.
    public var revalidated = 0
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
        staleIfError += other.staleIfError
        collapsed += other.collapsed
        insertions += other.insertions
        evictions += other.evictions
        refusals += other.refusals
        invalidations += other.invalidations
        bytes += other.bytes
        entries += other.entries
    }

    /// All look-ups.
    public var lookups: Int { hits + misses + stale + staleIfError + collapsed }

    /// What became of one look-up.
    public enum Outcome: Sendable { case hit, miss, stale, staleIfError, collapsed }
}
