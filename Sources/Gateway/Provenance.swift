internal import Cache

/// Where an answer or all that an answer was made of came from, as `Cache-Status` says it (RFC 9211).
struct Provenance: Sendable, Equatable {
    private var isHit = false
    /// The word behind `fwd=`, where the upstream was asked.
    private var forward = CacheStatus.Forward.miss
    private var isStored = false
    private var isCollapsed = false
    /// An old answer stands in for one that failed.
    private var isStandIn = false
    /// The upstream said that the kept answer is still good.
    private var isRenewed = false
    /// It, or a part, was kept in Redis, not in memory.
    private var isShared = false
    /// Some parts were hits, others not.
    private var isMixed = false
    /// Seconds that it is still fresh, below zero where it is stale; of hits only.
    private(set) var ttl: Int?

    /// Whether its content wasn't fetched for this exchange.
    var isFromMemory: Bool { isHit || isCollapsed || isStandIn || isRenewed }

    /// Whether it is in the cache.
    var isKept: Bool { isHit || isStored }

    /// Of a part that could not be had.
    static let failed = Provenance()

    private init() {}

    init(_ status: CacheStatus) {
        isHit = status.isHit
        if let forward = status.forward { self.forward = forward }
        isRenewed = !isHit && status.forwardStatus == 304
        isStored = status.isStored
        isCollapsed = status.isCollapsed
        isStandIn = status.detail == CacheStatus.staleIfError
        isShared = status.detail == CacheStatus.redis
        if isHit || isStandIn { ttl = status.ttl }
    }

    /// Reasons to ask an upstream; what is made of several is said to have the one that stands first.
    private static let reasons: [CacheStatus.Forward] = [
        .bypass, .method, .request, .partial, .stale, .varyMiss, .miss, .uriMiss,
    ]
    private var rank: Int { Provenance.reasons.firstIndex(of: forward) ?? 0 }

    /// What holds for both together: a hit only where both are.
    mutating func combine(_ other: Provenance) {
        if isHit, other.isHit {
            ttl = [ttl, other.ttl].compactMap(\.self).min()
            isShared = isShared || other.isShared
        } else if isHit || other.isHit {
            if isHit { self = other }
            isMixed = true
        } else {
            if other.rank < rank { forward = other.forward }
            isStored = isStored && other.isStored
            isCollapsed = isCollapsed && other.isCollapsed
            isStandIn = isStandIn || other.isStandIn
            isShared = isShared && other.isShared
            isMixed = isMixed || other.isMixed
        }
    }

    /// Another client's request brought it.
    mutating func noteCollapsed() { isCollapsed = !isHit }

    /// The value of `Cache-Status`.
    var text: String {
        let shared = isShared ? "; detail=" + CacheStatus.redis : ""
        if isHit { return "sluice; hit" + (ttl.map { "; ttl=\($0)" } ?? "") + shared }
        var text = "sluice; fwd=" + forward.rawValue
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if isStandIn {
            text += "; detail=stale-if-error"
        } else if isMixed {
            text += "; detail=partly-hit"
        } else {
            text += shared
        }
        return text
    }
}
