/// Keeps requests from an upstream that is down, and finds out soon when it is back. Pure: the time is an argument.
///
/// Failures in a row are weighed: one that says "down" (refused, no name, no TLS, silence) weighs 4, a 5xx answer 2, a connection
/// that was closed in use 1. The breaker opens when failures of the last five seconds weigh 20: five times down, or a long
/// row of quick failures, which may be the doing of one strange resource. Then one probe is let through after 1 s, 2 s, and
/// each 4 s; its success closes the breaker.
struct Breaker: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Outcome: Sendable {
        /// A usable answer.
        case healthy
        /// An answer with broken framing: says neither up nor down, and doesn't end a row of failures.
        case odd
        /// A 5xx answer.
        case failing
        /// Closed without an answer.
        case faltering
        case down
        /// The attempt ended for a reason of ours.
        case unknown

        var weight: Int {
            switch self {
            case .healthy, .odd, .unknown: 0
            case .faltering: 1
            case .failing: 2
            case .down: 4
            }
        }
    }

    enum State: Sendable, Equatable {
        case closed
        case open(until: Instant, step: Int)
        /// One probe is out.
        case probing(step: Int)
    }

    enum Admission: Sendable, Equatable {
        case normal
        case probe
        /// How long until it is worth asking again.
        case refused(Duration)
    }

    private(set) var state = State.closed
    private var recent: [(at: Instant, weight: Int)] = []

    static let threshold = 20
    static let window = Duration.seconds(5)
    private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

    /// Nil where a request would be let through at `now`; else how long until it is worth asking again.
    func refusal(at now: Instant) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let until, _): now >= until ? nil : now.duration(to: until)
        case .probing: .seconds(1)
        }
    }

    /// Lets a request through, or not. Each admission has to be answered by one `ended`.
    mutating func admit(at now: Instant) -> Admission {
        if let wait = refusal(at: now) { return .refused(wait) }
        guard case .open(_, let step) = state else { return .normal }
        state = .probing(step: step)
        return .probe
    }

    /// A request that was let through has ended.
    mutating func ended(_ outcome: Outcome, asProbe isProbe: Bool, at now: Instant) {
        switch state {
        case .closed: count(outcome, at: now)
        case .probing(let step) where isProbe:
            switch outcome {
            case .healthy, .odd: state = .closed
            // Nothing learned: the next request may probe at once.
            case .unknown: state = .open(until: now, step: step)
            case .failing, .faltering, .down: open(at: now, step: min(step + 1, Self.pauses.count - 1))
            }
        // Requests that were under way when the breaker opened tell nothing new.
        case .open, .probing: break
        }
    }

    private mutating func count(_ outcome: Outcome, at now: Instant) {
        if outcome == .healthy { return recent.removeAll(keepingCapacity: true) }
        guard outcome.weight > 0 else { return }
        recent.removeAll { $0.at.duration(to: now) >= Self.window }
        recent.append((now, outcome.weight))
        if recent.reduce(0, { $0 + $1.weight }) >= Self.threshold { open(at: now, step: 0) }
    }

    private mutating func open(at now: Instant, step: Int) {
        recent.removeAll()
        state = .open(until: now + Self.pauses[step], step: step)
    }
}
