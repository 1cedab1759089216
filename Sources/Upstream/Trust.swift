/// Whether the connections of an upstream may be used again. Pure; shared by all workers.
///
/// An upstream that sends a second answer a moment late gives it to whoever uses the connection next, and no client can tell it
/// from the answer that it waits for. So an upstream on plain HTTP first has to show that its connections stay quiet after an
/// answer: until enough of them have, each request gets a connection of its own, and a few are watched for a while before they
/// are closed. An answer with broken framing, or bytes that nobody asked for, takes the trust away, and it is harder to earn
/// again. Upstreams on TLS are trusted: a new connection is dear there, and session tickets look like unasked bytes.
struct Trust: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Connection: Sendable, Equatable {
        /// From the pool, and back to it.
        case pooled
        /// From the pool; where it was used before, it is closed after the answer and its socket watched.
        case pooledLast
        /// A new one, closed after the answer and its socket watched; ``observed(_:)`` is told how it behaved.
        case observed
        /// A new one, closed after the answer.
        case alone

        var isFresh: Bool { self == .observed || self == .alone }

        /// Whether a request is the last one on its connection, whose socket is then watched.
        /// - Parameter requests: on the connection, with this one.
        func isLast(requests: Int, isSecure: Bool) -> Bool {
            if requests >= (isSecure ? Trust.requestsOnSecure : Trust.requestsOnPlain) { return true }
            return switch self {
            case .pooled, .alone: false
            case .pooledLast: requests > 1
            case .observed: true
            }
        }
    }

    enum Verdict: Sendable {
        /// Nothing came within ``settleTime`` after the answer.
        case quiet
        /// Bytes came that nobody asked for.
        case noisy
        /// It was closed before.
        case unknown
    }

    /// Requests that one connection serves at most: so long is a chain of answers to the wrong requests.
    static let requestsOnPlain = 32
    static let requestsOnSecure = 100
    static let settleTime = Duration.milliseconds(250)
    /// Quiet connections that an upstream needs at first, and after it has lost its trust.
    static let neededAtFirst = 32
    private static let neededAfterwards = 512
    /// One at a time is picked, so that those watched aren't all of one burst; 16 are under watch at most.
    private static let interval = settleTime / 16
    /// Of pooled connections, one is watched at most each so often, and after so many requests.
    private static let pooledInterval = Duration.milliseconds(50)
    private static let pooledRequests = 8

    /// Nil: always trusted.
    private var needed: Int?
    private var quiet = 0
    private var lastPick: Instant?
    /// Requests on pooled connections since the last pick.
    private var pooled = 0
    /// How often it was lost.
    private(set) var losses = 0

    /// - Parameter needed: quiet connections to begin with; nil for an upstream that is always trusted.
    init(needed: Int?) { self.needed = needed }

    var isTrusted: Bool { needed.map { quiet >= $0 } ?? true }

    /// The connection of the next request.
    mutating func connection(at now: Instant) -> Connection {
        if isTrusted { return pooledConnection(at: now) }
        if let lastPick, lastPick.duration(to: now) < Self.interval { return .alone }
        lastPick = now
        return .observed
    }

    private mutating func pooledConnection(at now: Instant) -> Connection {
        guard needed != nil else { return .pooled }
        pooled += 1
        guard pooled >= Self.pooledRequests else { return .pooled }
        if let lastPick, lastPick.duration(to: now) < Self.pooledInterval { return .pooled }
        lastPick = now
        pooled = 0
        return .pooledLast
    }

    mutating func observed(_ verdict: Verdict) {
        switch verdict {
        case .quiet: if !isTrusted { quiet += 1 }
        case .noisy: oddityFound()
        case .unknown: break
        }
    }

    /// An answer had broken framing, or a connection held bytes that nobody asked for.
    mutating func oddityFound() {
        guard needed != nil else { return }
        if isTrusted { losses += 1 }
        quiet = 0
        needed = Self.neededAfterwards
    }
}
