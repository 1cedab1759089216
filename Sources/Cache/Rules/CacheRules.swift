public import HTTP

/// What is ours to decide about answers of one upstream, beside what the RFCs say: the contract's `cache`, and whether we are a gateway
/// with answers of its own or a plain cache in front of one upstream.
public struct CacheRules: Sendable, Equatable {
    /// Which statuses may be kept.
    public enum Statuses: Sendable, Equatable {
        /// Success, redirects, 404 and 410; no other error, whatever its fields say.
        case truthful
        /// Each that RFC 9111 lets a shared cache keep: errors too where they say how long.
        case any
    }

    public var statuses: Statuses
    /// Seconds that an answer is fresh where its upstream doesn't say how long. Nil: the contract gives no rule.
    public var lifetime: Int?
    /// Seconds past its life that an answer may be given while it is being renewed, where the upstream doesn't say (RFC 5861, section 3).
    public var staleWhileRevalidate: Int?
    /// Seconds past its life that an answer may be given when the upstream fails, where it doesn't say (RFC 5861, section 4).
    public var staleIfError: Int?
    /// The three above win over what the upstream says, `no-store` and `private` included.
    public var overrides: Bool
    /// The longest that a 404 or 410 is fresh, and how long it is where nobody says. Nil: they are answers like others.
    public var negativeLifetime: Int?
    /// Seconds; the longest life that is guessed from `Last-Modified` where nobody gives a rule (RFC 9111, section 4.2.2). 0: none is guessed.
    public var longestGuess: Int
    /// Targeted fields that are obeyed, the most specific first (RFC 9213).
    public var targets: [FieldName]
    /// Whether an answer with `Set-Cookie` may be kept; even then only where it says itself how long.
    public var keepsCookies: Bool
    /// Whether clients' directives count (RFC 9111, section 5.2.1).
    public var obeysClients: Bool
    /// The request fields that are handed to the upstream and so may change its answers: they count as named by every `Vary`.
    public var passed: [FieldName]
    /// The part of an answer's life that chance may take from it, so that answers that came together don't expire together. A life that
    /// isn't the upstream's word may also become longer by as much.
    public var jitter: Double
    /// Whether chance may shorten the lives that the upstream said, too.
    public var jittersSaidLives: Bool
    /// Seconds past its life that an answer may be given where nobody answers at all and the upstream says nothing against it (RFC 9111,
    /// section 4.2.4: "disconnected").
    public var staleIfUnreachable: Int?

    /// Our own target and that of shared caches near the origin.
    public static let targets: [FieldName] = ["Sluice-Cache-Control", "CDN-Cache-Control"]

    /// For what the gateway composes its answers of.
    public static let gateway = CacheRules(statuses: .truthful, negativeLifetime: 10, keepsCookies: false)
    /// For mirrors: what the RFCs say.
    public static let mirror = CacheRules(statuses: .any, negativeLifetime: nil, keepsCookies: true)

    public init(statuses: Statuses, negativeLifetime: Int?, keepsCookies: Bool) {
        self.statuses = statuses
        self.negativeLifetime = negativeLifetime
        self.keepsCookies = keepsCookies
        overrides = false
        longestGuess = 86_400
        targets = Self.targets
        obeysClients = true
        passed = []
        jitter = 0.1
        jittersSaidLives = statuses == .truthful
        staleIfUnreachable = nil
    }
}
