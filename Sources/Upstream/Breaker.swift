/// Keeps requests from an upstream that is down, and finds out soon when it is back. Pure: the time is an argument.
///
/// Failures in a row are weighed: one that says "down" (refused, no name, no TLS, no connection in time) weighs 4, silence on a
/// connection 4, a 5xx answer 2, a connection that was closed in use 1. The breaker opens when failures of the last five seconds
/// weigh 20, and no healthy answer came within the last second: so one strange resource, however often it is asked for, does not
/// close the upstream for those who ask for others.
///
/// Where nobody could be reached, one probe is let through after 1 s, 2 s, and each 4 s. Where the upstream was there and failed,
/// one may go each 250 ms, and targets that failed lately stand back for others. A probe's success closes the breaker.
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
        /// Connected, and no answer in time.
        case silent
        case down
        /// The attempt ended for a reason of ours.
        case unknown

        var weight: Int {
            switch self {
            case .healthy, .odd, .unknown: 0
            case .faltering: 1
            case .failing: 2
            case .silent, .down: 4
            }
        }
    }

    enum State: Sendable, Equatable {
        case closed
        /// Nobody could be reached.
        case down(until: Instant, step: Int)
        /// One probe of an upstream that was down is out.
        case probing(step: Int)
        /// The upstream was there and failed; the next probe may go then.
        case doubtful(nextProbe: Instant)
    }

    enum Admission: Sendable, Equatable {
        case normal
        case probe
        /// How long until it is worth asking again.
        case refused(Duration)
    }

    private(set) var state = State.closed
    private var recent: [(at: Instant, weight: Int)] = []
    private var lastHealthy: Instant?
    private var failedTargets = RecentTargets()
    private var probesOut = 0

    static let threshold = 20
    static let window = Duration.seconds(5)
    /// A healthy answer within this time keeps the breaker closed.
    static let healthyTime = Duration.seconds(1)
    private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]
    private static let probeInterval = Duration.milliseconds(250)
    /// How long a target that failed lately leaves a due probe to others.
    private static let patience = Duration.milliseconds(250)
    /// Silent probes that may be waited for at a time.
    private static let maximumProbesOut = 8

    /// Nil where a request would be let through at `now`; else how long until it is worth asking again.
    /// - Parameter target: names what is asked for; the same number for the same path.
    func refusal(of target: Int, at now: Instant) -> Duration? {
        switch state {
        case .closed: return nil
        case .down(let until, _): return now >= until ? nil : now.duration(to: until)
        case .probing: return .seconds(1)
        case .doubtful(let nextProbe):
            guard probesOut < Self.maximumProbesOut else { return Self.probeInterval }
            let start = failedTargets.contains(target) ? nextProbe + Self.patience : nextProbe
            return now >= start ? nil : now.duration(to: start)
        }
    }

    /// Lets a request through, or not. Each admission has to be answered by one `ended`.
    mutating func admit(_ target: Int, at now: Instant) -> Admission {
        if let wait = refusal(of: target, at: now) { return .refused(wait) }
        switch state {
        case .down(_, let step): state = .probing(step: step)
        case .doubtful: state = .doubtful(nextProbe: now + Self.probeInterval)
        case .closed, .probing: return .normal
        }
        probesOut += 1
        return .probe
    }

    /// A request that was let through has ended.
    mutating func ended(_ outcome: Outcome, _ target: Int, asProbe isProbe: Bool, at now: Instant) {
        if isProbe { probesOut = max(0, probesOut - 1) }
        switch outcome {
        case .healthy:
            lastHealthy = now
            failedTargets.remove(target)
        case .failing, .silent, .faltering: failedTargets.insert(target)
        case .odd, .down, .unknown: break
        }
        switch state {
        case .closed: count(outcome, at: now)
        case .probing(let step) where isProbe: probed(outcome, step: step, at: now)
        case .doubtful where isProbe || outcome == .healthy: probed(outcome, step: -1, at: now)
        // Requests that were under way when the upstream went down tell nothing new.
        case .down, .probing, .doubtful: break
        }
    }

    /// - Parameter step: of the pauses so far; less than zero where there was none.
    private mutating func probed(_ outcome: Outcome, step: Int, at now: Instant) {
        switch outcome {
        case .healthy, .odd: state = .closed
        // Nothing learned: the next request may probe at once, whatever its target.
        case .unknown where step >= 0: state = .down(until: now, step: step)
        case .unknown: state = .doubtful(nextProbe: now - Self.patience)
        case .down: state = Self.down(at: now, step: min(step + 1, Self.pauses.count - 1))
        case .failing, .silent, .faltering:
            // The time of the next probe is set already, where this one didn't find out that the upstream can be reached again.
            if step >= 0 { state = .doubtful(nextProbe: now + Self.probeInterval) }
        }
    }

    private mutating func count(_ outcome: Outcome, at now: Instant) {
        if outcome == .healthy { return recent.removeAll(keepingCapacity: true) }
        guard outcome.weight > 0 else { return }
        recent.removeAll { $0.at.duration(to: now) >= Self.window }
        // No more than what is weighed is kept, however long healthy answers keep the breaker closed.
        if recent.count >= Self.threshold { recent.removeFirst() }
        recent.append((now, outcome.weight))
        guard recent.reduce(0, { $0 + $1.weight }) >= Self.threshold else { return }
        if let lastHealthy, lastHealthy.duration(to: now) < Self.healthyTime { return }
        recent.removeAll()
        state = outcome == .down ? Self.down(at: now, step: 0) : .doubtful(nextProbe: now + Self.probeInterval)
    }

    private static func down(at now: Instant, step: Int) -> State {
        .down(until: now + pauses[step], step: step)
    }
}

/// The targets that were put in last, each once. Pure.
struct RecentTargets: Sendable {
    static let capacity = 32
    private var targets: [Int] = []

    func contains(_ target: Int) -> Bool { targets.contains(target) }

    mutating func insert(_ target: Int) {
        if targets.last == target { return }
        remove(target)
        if targets.count >= Self.capacity { targets.removeFirst() }
        targets.append(target)
    }

    mutating func remove(_ target: Int) {
        guard let index = targets.firstIndex(of: target) else { return }
        targets.remove(at: index)
    }
}
