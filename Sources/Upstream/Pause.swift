internal import HTTP

/// Keeps quiet while an upstream has asked us to (`Retry-After`). Pure: the time is an argument.
struct Pause: Sendable {
    typealias Instant = ContinuousClock.Instant

    private static let longest = 86_400
    private var until: Instant?

    /// An answer came. A 429 with `Retry-After` begins a pause, or lengthens it; a 503 may be the doing of one resource.
    mutating func answered(_ status: Status, retryAfter seconds: Int?, at now: Instant) {
        guard status == .tooManyRequests, let seconds, seconds > 0 else { return }
        let end = now + .seconds(min(seconds, Self.longest))
        until = max(until ?? end, end)
    }

    /// How much of the pause is left at `now`.
    func refusal(at now: Instant) -> Duration? {
        guard let until, until > now else { return nil }
        return now.duration(to: until)
    }
}
