internal import Plan

/// Counts requests against what the upstream allows us in any stretch of time as long as the quota's window. Pure.
///
/// The window is cut into 48 slots, and a request counts until its whole slot is older than the window: never too few are
/// counted, and the count is at most 2 % late in letting go.
struct QuotaCount: Sendable {
    typealias Instant = ContinuousClock.Instant

    private static let slots = 48
    private let limit: Int
    private let slot: Duration
    private var origin: Instant?
    /// Requests by slot number, oldest first; empty slots are left out.
    private var counts: [(slot: Int, count: Int)] = []
    /// Requests of other machines in the window before `at`, as far as is known.
    private var others: (count: Int, at: Instant)?

    init(_ quota: UpstreamPlan.Quota) {
        limit = quota.count
        slot = max(quota.window, .milliseconds(Self.slots)) / Self.slots
    }

    /// The requests that are still free at `now`.
    mutating func left(at now: Instant) -> Int {
        let current = number(now)
        counts.removeAll { $0.slot < current - Self.slots }
        return max(0, limit - own - elsewhere(at: now))
    }

    /// Other machines have sent so many requests in the window before `now`. It counts for as long as the window, if nothing newer is told.
    mutating func noteOthers(_ count: Int, at now: Instant) { others = (min(max(0, count), 1 << 40), now) }

    private var own: Int { counts.reduce(0) { $0 + $1.count } }

    private func elsewhere(at now: Instant) -> Int {
        guard let others, others.at.duration(to: now) < slot * Self.slots else { return 0 }
        return others.count
    }

    /// Nil where a request is still free at `now`; else how long until one is.
    mutating func refusal(at now: Instant) -> Duration? {
        guard left(at: now) == 0 else { return nil }
        // What others have sent is let go of by and by.
        if own < limit { return slot }
        guard let origin, let oldest = counts.first else { return slot * Self.slots }
        return now.duration(to: origin + slot * (oldest.slot + Self.slots + 1))
    }

    /// A request was sent.
    mutating func requestSent(at now: Instant) {
        let current = number(now)
        if let last = counts.last, last.slot == current {
            counts[counts.count - 1].count += 1
        } else {
            counts.append((current, 1))
        }
    }

    private mutating func number(_ now: Instant) -> Int {
        let start = origin ?? now
        origin = start
        return Int(exactly: (start.duration(to: now) / slot).rounded(.down)) ?? 0
    }
}
