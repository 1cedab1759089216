internal import Synchronization

/// What one client request may still cost: time, upstream calls, bytes from upstreams. One object travels with a request
/// through all its parts; the counts are atomic, so parts may be spent from any thread.
public final class Budget: Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// When the client's answer is due.
    public let deadline: Instant
    private let callsLeft: Atomic<Int>
    private let bytesLeft: Atomic<Int>
    private let onAsked: (@Sendable (Int) -> Void)?

    /// - Parameters:
    ///   - calls: upstream requests that may be made, the first one included.
    ///   - bytes: decoded content bytes that may be read from upstreams.
    ///   - onAsked: called when an upstream is asked for this request (1), and when it turns out that it wasn't (-1).
    public init(deadline: Instant, calls: Int, bytes: Int, onAsked: (@Sendable (Int) -> Void)? = nil) {
        self.onAsked = onAsked
        self.deadline = deadline
        callsLeft = Atomic(calls)
        bytesLeft = Atomic(bytes)
    }

    /// Takes one upstream call. False where none is left.
    public func spendCall() -> Bool { callsLeft.subtract(1, ordering: .relaxed).newValue >= 0 }

    /// Notes that an upstream is asked: 1; or that it wasn't after all: -1.
    public func noteAsked(_ change: Int) { onAsked?(change) }

    /// Takes `count` bytes. False where fewer were left.
    public func spend(bytes count: Int) -> Bool { bytesLeft.subtract(count, ordering: .relaxed).newValue >= 0 }

    /// Whether so many bytes are left.
    public func has(bytes count: Int) -> Bool { bytesLeft.load(ordering: .relaxed) >= count }

    /// The upstream calls that are left, 0 at the least.
    public var calls: Int { max(0, callsLeft.load(ordering: .relaxed)) }

    /// The time that is left at `now`; zero or less once the deadline has passed.
    public func timeLeft(at now: Instant = .now) -> Duration { now.duration(to: deadline) }
}
