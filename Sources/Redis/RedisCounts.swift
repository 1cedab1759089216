internal import Synchronization

/// What was asked of a Redis, and what came of it.
public struct RedisCounts: Sendable, Equatable {
    /// Whether it is there and worth asking.
    public var isConnected = false
    /// Look-ups that brought an entry, that brought none, and that brought something that is no good entry.
    public var hits = 0
    public var misses = 0
    public var rejects = 0
    /// Entries that were written.
    public var stores = 0
    /// Entries that were not written: too large, or too many on their way.
    public var skips = 0
    /// Look-ups that were given up when their time was over.
    public var timeouts = 0
    /// Connections that came up.
    public var connections = 0
    /// Waits for another machine's fetch, and those of them that brought its answer.
    public var waits = 0
    public var collapsed = 0
    /// Turns that were taken from machines that had died with them.
    public var takeovers = 0
    /// Drops that were told to others, and that others told us.
    public var dropsSent = 0
    public var dropsHeard = 0
    /// Error replies by their first word, and failed connections.
    public var errors: [String: Int] = [:]

    /// The word itself, or `other` where it is none that a Redis is known to say.
    static func known(_ word: String) -> String { words.contains(word) ? word : "other" }

    /// Words of error replies that are counted by themselves.
    private static let words: Set<String> = [
        "ERR", "LOADING", "OOM", "READONLY", "NOAUTH", "WRONGPASS", "NOPERM", "MISCONF", "WRONGTYPE", "BUSY",
        "CLUSTERDOWN", "MOVED",
        "MASTERDOWN", "NOREPLICAS",
    ]
}
