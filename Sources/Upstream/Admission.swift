internal import HTTP
internal import Plan

/// Whether a request may go to one upstream now: all rules together, as one value that all workers share. Pure: the time is an
/// argument.
///
/// A request first gets a place (`enter`, `begin` after a wait), makes its attempts (`ended` for each, `retry` between), and gives
/// the place back (`leave`).
struct Admission: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Refusal: Error, Sendable, Equatable {
        case paused(Duration)
        case breakerOpen(Duration)
        case quotaSpent(Duration)
        /// Too many wait already.
        case busy
    }

    /// The right to make one attempt.
    struct Ticket: Sendable, Equatable {
        var isProbe: Bool
        var connection: Trust.Connection
        /// Names what is asked for; see ``Breaker``.
        var target = 0
    }

    enum Entry: Sendable, Equatable {
        case inside(Ticket)
        case waiting
        case refused(Refusal)
    }

    private(set) var gate: Gate
    private(set) var breaker = Breaker()
    private(set) var counts = UpstreamCounts()
    private var budget = RetryBudget()
    private var pause = Pause()
    private var quota: QuotaCount?
    private var trust: Trust
    private let isWatched: Bool

    /// - Parameter quietConnections: how many an upstream on plain HTTP has to show before its connections are used again.
    init(_ plan: UpstreamPlan, queueLimit: Int = 1000, quietConnections: Int = Trust.neededAtFirst) {
        trust = Trust(needed: plan.base.scheme == "https" ? nil : quietConnections)
        gate = Gate(capacity: plan.concurrency, queueLimit: queueLimit)
        quota = plan.quota.map(QuotaCount.init)
        isWatched = plan.isWatched
    }

    /// Asks for a place; `.waiting` takes one in line under `id`.
    /// - Parameter target: names what is asked for; see ``Breaker``.
    mutating func enter(_ id: UInt64, _ target: Int = 0, at now: Instant) -> Entry {
        if let refusal = refusal(of: target, at: now) { return .refused(count(refusal)) }
        switch gate.enter(id) {
        case .inside: return .inside(begin(target, at: now))
        case .waiting: return .waiting
        case .full: return .refused(count(.busy))
        }
    }

    /// One that waited has a place now, and asks again whether its request may be sent.
    mutating func resumed(_ target: Int, at now: Instant) throws(Refusal) -> Ticket {
        if let refusal = refusal(of: target, at: now) { throw count(refusal) }
        return begin(target, at: now)
    }

    /// Asks for a further attempt after a failed one.
    /// - Parameter isFree: the failed attempt sent nothing, so it isn't taken from the budget of retries.
    mutating func retry(_ target: Int, isFree: Bool, at now: Instant) -> Ticket? {
        guard refusal(of: target, at: now) == nil, isFree || budget.spend(at: now) else { return nil }
        counts.retries += 1
        return ticket(target, at: now)
    }

    /// An attempt has ended.
    /// - Parameter failure: the code of its error, where it had no answer.
    mutating func ended(_ ticket: Ticket, _ outcome: Breaker.Outcome, failure: String? = nil, at now: Instant) {
        if isWatched { breaker.ended(outcome, ticket.target, asProbe: ticket.isProbe, at: now) }
        if outcome == .odd { oddityFound() }
        if let failure { counts.failures[failure, default: 0] += 1 }
    }

    /// An answer with this status came.
    mutating func answered(_ status: Status, retryAfter: Int?, at now: Instant) {
        pause.answered(status, retryAfter: retryAfter, at: now)
    }

    /// A connection that had an answer has been watched.
    mutating func observed(_ verdict: Trust.Verdict) {
        trust.observed(verdict)
        counts.trustLosses = trust.losses
    }

    /// A connection held bytes that nobody asked for.
    mutating func oddityFound() {
        trust.oddityFound()
        counts.trustLosses = trust.losses
    }

    /// See ``QuotaCount/noteOthers(_:at:)``.
    mutating func noteOthers(_ count: Int, at now: Instant) { quota?.noteOthers(count, at: now) }

    /// The counts, with what is true at `now`.
    mutating func counts(at now: Instant) -> UpstreamCounts {
        var counts = counts
        counts.inFlight = gate.inFlight
        counts.waiting = gate.waiting
        counts.isBreakerOpen = breaker.state != .closed
        counts.concurrency = gate.capacity
        counts.quotaLeft = quota?.left(at: now)
        counts.pause = pause.refusal(at: now) ?? .zero
        counts.isRefusing =
            isWatched && (counts.isBreakerOpen || counts.pause > .zero || counts.quotaLeft == 0)
        return counts
    }

    /// Gives a place back; the one that is returned has it now.
    mutating func leave() -> UInt64? { gate.leave() }

    mutating func giveUp(_ id: UInt64) -> Bool { gate.giveUp(id) }

    private mutating func begin(_ target: Int, at now: Instant) -> Ticket {
        budget.requestSent()
        return ticket(target, at: now)
    }

    private mutating func ticket(_ target: Int, at now: Instant) -> Ticket {
        counts.calls += 1
        quota?.requestSent(at: now)
        return Ticket(
            isProbe: breaker.admit(target, at: now) == .probe, connection: trust.connection(at: now), target: target)
    }

    private mutating func refusal(of target: Int, at now: Instant) -> Refusal? {
        guard isWatched else { return nil }
        if let wait = pause.refusal(at: now) { return .paused(wait) }
        if let wait = breaker.refusal(of: target, at: now) { return .breakerOpen(wait) }
        if let wait = quota?.refusal(at: now) { return .quotaSpent(wait) }
        return nil
    }

    private mutating func count(_ refusal: Refusal) -> Refusal {
        counts.failures[refusal.code, default: 0] += 1
        return refusal
    }
}

/// What one upstream was asked, and what came of it, since the start.
public struct UpstreamCounts: Sendable, Equatable {
    /// Attempts that were made, retries included.
    public var calls = 0
    public var retries = 0
    /// Attempts that failed and requests that were not let through, by the code of their error. Answers with an error status are
    /// no failures here.
    public var failures: [String: Int] = [:]
    /// Requests that have a place now.
    public var inFlight = 0
    /// Requests that wait for a place now.
    public var waiting = 0
    /// Whether requests are kept from the upstream because it is down.
    public var isBreakerOpen = false
    /// Whether requests are kept from it now, for whatever reason: it is down, has asked us to wait, or its quota is spent.
    public var isRefusing = false
    /// How often its connections were no longer used again, since one of them held bytes that nobody had asked for.
    public var trustLosses = 0
    /// Requests that may be in flight at once.
    public var concurrency = 0
    /// Requests that the contract's quota still allows now; nil where it has none.
    public var quotaLeft: Int?
    /// How long the upstream has asked us to wait from now on; zero where it hasn't.
    public var pause = Duration.zero
}

extension Admission.Refusal {
    var code: String {
        switch self {
        case .paused: "upstream-paused"
        case .breakerOpen: "breaker-open"
        case .quotaSpent: "quota-spent"
        case .busy: "upstream-busy"
        }
    }

    /// The refusal as a 503 with `Retry-After`.
    func error(upstream name: String) -> GatewayError {
        let (wait, detail): (Duration, String) =
            switch self {
            case .paused(let wait): (wait, "The upstream has asked us to wait.")
            case .breakerOpen(let wait): (wait, "The upstream is down; it is asked again in a moment.")
            case .quotaSpent(let wait): (wait, "The requests that the upstream allows us are used up for now.")
            case .busy: (.seconds(1), "Too many requests wait for the upstream.")
            }
        var error = GatewayError(
            source: .upstream(name), code: code, status: .serviceUnavailable, detail: detail)
        error.wasAsked = false
        error.retryAfter = max(1, Int(exactly: (wait / .seconds(1)).rounded(.up)) ?? 1)
        return error
    }
}
