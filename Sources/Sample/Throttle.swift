internal import Threads

/// How many requests a sample upstream answers before it says 429.
public struct RequestLimit: Sendable {
    /// Requests, of all clients together.
    public var count: Int
    /// The time in which they are counted; it slides.
    public var window: Duration

    public init(count: Int, window: Duration) {
        self.count = count
        self.window = window
    }
}

/// The requests of a sliding window. Time is an argument.
struct SlidingWindow: Sendable {
    let limit: RequestLimit
    /// Whether a refused request counts too, so that whoever doesn't pause is never let in again.
    let countsRefused: Bool
    /// When the requests in the window came, oldest first, from `start` on; the last `limit.count` of them are enough.
    private var times: [ContinuousClock.Instant] = []
    private var start = 0

    init(_ limit: RequestLimit, countsRefused: Bool = false) {
        self.limit = limit
        self.countsRefused = countsRefused
    }

    /// Counts a request. Returns nil where it may pass, else the seconds until one will, 1 at the least.
    mutating func wait(at now: ContinuousClock.Instant) -> Int? {
        while start < times.count, times[start].duration(to: now) >= limit.window { start += 1 }
        if start > 64, start > times.count / 2 {
            times.removeFirst(start)
            start = 0
        }
        guard times.count - start >= limit.count else {
            times.append(now)
            return nil
        }
        if countsRefused, limit.count > 0 {
            times.append(now)
            start += 1
        }
        let oldest = start < times.count ? times[start] : now
        let (seconds, attoseconds) = (limit.window - oldest.duration(to: now)).components
        return Int(max(1, min(seconds, 1 << 40) + (attoseconds > 0 ? 1 : 0)))
    }
}

/// A sliding window that all workers share.
struct Throttle: Sendable {
    private let window: Locked<SlidingWindow>

    init(_ limit: RequestLimit, countsRefused: Bool = false) {
        window = Locked(SlidingWindow(limit, countsRefused: countsRefused))
    }

    /// As `SlidingWindow.wait(at:)`.
    func wait(at now: ContinuousClock.Instant = .now) -> Int? { window.withLock { $0.wait(at: now) } }
}
