/// How many retries an upstream may still be given: one for each ten requests, and three that come back within half a minute
/// when there is little traffic. Pure: the time is an argument.
struct RetryBudget: Sendable {
    typealias Instant = ContinuousClock.Instant

    private static let share = 0.1
    private static let floor = 3.0
    private static let ceiling = 10.0
    private static let refillPerSecond = 0.1

    private(set) var tokens = RetryBudget.floor
    private var refilled: Instant?

    /// A first attempt was sent.
    mutating func requestSent() { tokens = min(Self.ceiling, tokens + Self.share) }

    /// Takes a retry out of the budget. False where none is left.
    mutating func spend(at now: Instant) -> Bool {
        refill(at: now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    private mutating func refill(at now: Instant) {
        let last = refilled ?? now
        refilled = now
        guard tokens < Self.floor else { return }
        let seconds = last.duration(to: now) / .seconds(1)
        tokens = min(Self.floor, tokens + max(0, seconds) * Self.refillPerSecond)
    }
}
