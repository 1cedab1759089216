internal import HTTP

/// What this cache did for one request, as `Cache-Status` says it (RFC 9211).
public struct CacheStatus: Sendable, Equatable {
    /// Why a request went on to the upstream (RFC 9211, section 2.2).
    public enum Forward: String, Sendable, Equatable {
        /// The cache is switched off for it.
        case bypass
        /// The method's answers aren't kept.
        case method
        case uriMiss = "uri-miss"
        /// There are answers, but none fits the request's fields.
        case varyMiss = "vary-miss"
        case miss
        /// The request asked for it.
        case request
        case stale
        case partial
    }

    /// The name of this cache.
    public static let name = "sluice"

    /// Answered without asking the upstream, or before it is asked.
    public var isHit = false
    public var forward: Forward?
    /// What the upstream answered, also where that is the answer's own status; nil where it wasn't asked or gave no answer.
    public var forwardStatus: Int?
    /// Seconds that it is still fresh; below zero where it is stale. Also of an answer that has just come and may be kept.
    public var ttl: Int?
    /// It is kept, or will be at the end of its content, whose length is known.
    public var isStored = false
    /// Several requests were sent as one.
    public var isCollapsed = false
    /// The key; never with a credential in it.
    public var key: String?
    /// A token of ours.
    public var detail: String?

    /// The ``detail`` of an old answer that stands in for a failure.
    public static let staleIfError = "stale-if-error"
    /// The ``detail`` of an answer that was kept in a second layer, not in memory.
    public static let redis = "redis"
    /// The ``detail`` of an answer that might be kept if it were shorter.
    public static let tooLarge = "too-large"

    public init() {}

    public static func hit(ttl: Int) -> CacheStatus {
        var status = CacheStatus()
        status.isHit = true
        status.ttl = ttl
        return status
    }

    public static func forwarded(_ forward: Forward) -> CacheStatus {
        var status = CacheStatus()
        status.forward = forward
        return status
    }

    /// The member of the list, to be added behind those of caches nearer to the origin.
    public var text: String {
        var text = Self.name
        if isHit { text += "; hit" }
        // A hit never carries `fwd` (RFC 9211, section 2.1).
        if !isHit, let forward { text += "; fwd=" + forward.rawValue }
        if !isHit, let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if let ttl { text += "; ttl=\(ttl)" }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let key { text += "; key=\"" + CacheStatus.escaped(key) + "\"" }
        if let detail, !detail.isEmpty, detail.utf8.allSatisfy(Token.contains) { text += "; detail=" + detail }
        return text
    }

    /// One word for what this cache did, for people: `hit`, `stale`, `collapsed`, `partly-hit`, `miss`, `renewed` (it was old, and asked about or
    /// fetched again), or `asked` where nothing is kept.
    /// - Parameter list: all values of `Cache-Status`; this cache's is the last.
    /// - Returns: nil where this cache says nothing in it.
    public static func word(of list: String) -> String? {
        guard let own = list.split(separator: ",").last(where: { ASCII.trimmed($0.prefix { $0 != ";" }) == name })
        else { return nil }
        let words = own.split(separator: ";").map { ASCII.trimmed($0) }
        if words.contains("collapsed") { return "collapsed" }
        if words.contains("detail=" + staleIfError) { return "stale" }
        // What has just come may be old too.
        if words.contains("hit") { return words.contains { $0.hasPrefix("ttl=-") } ? "stale" : "hit" }
        if words.contains("detail=partly-hit") { return "partly-hit" }
        if words.contains("fwd=bypass") { return "asked" }
        return words.contains("fwd=stale") ? "renewed" : "miss"
    }

    /// Printable ASCII alone may stand in a string (RFC 9651, section 3.3.3).
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\" + String(scalar)
            case " "..."~": escaped.unicodeScalars.append(scalar)
            default: escaped += "?"
            }
        }
        return escaped
    }
}
