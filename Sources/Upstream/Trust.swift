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
        /// A new one; whoever had an answer on it watches it and tells with ``observed(_:)`` how it behaved.
        case observed
        /// A new one, closed after the answer.
        case alone
    }

    enum Verdict: Sendable {
        /// Nothing came within ``settleTime`` after the answer.
        case quiet
        /// Bytes came that nobody asked for.
        case noisy
        /// It was closed before.
        case unknown
    }

    static let settleTime = Duration.milliseconds(250)
    /// Quiet connections that an upstream needs at first, and after it has lost its trust.
    static let neededAtFirst = 32
    private static let neededAfterwards = 512
    /// One at a time is picked, so that those watched aren't all of one burst; 16 are under watch at most.
    private static let interval = settleTime / 16

    /// Nil: always trusted.
    private var needed: Int?
    private var quiet = 0
    private var lastPick: Instant?

    /// - Parameter needed: quiet connections to begin with; nil for an upstream that is always trusted.
    init(needed: Int?) { self.needed = needed }

    var isTrusted: Bool { needed.map { quiet >= $0 } ?? true }

    /// The connection of the next request.
    mutating func connection(at now: Instant) -> Connection {
        if isTrusted { return .pooled }
        if let lastPick, lastPick.duration(to: now) < Self.interval { return .alone }
        lastPick = now
        return .observed
    }

    mutating func observed(_ verdict: Verdict) {
        switch verdict {
        case .quiet: quiet += 1
        case .noisy: oddityFound()
        case .unknown: break
        }
    }

    /// An answer had broken framing, or a pooled connection held bytes that nobody asked for.
    mutating func oddityFound() {
        guard needed != nil else { return }
        quiet = 0
        needed = Self.neededAfterwards
    }
}
