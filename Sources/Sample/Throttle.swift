internal import Glibc

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
struct SlidingWindow {
    let limit: RequestLimit
    /// When the requests in the window came, oldest first, from `start` on.
    private var times: [ContinuousClock.Instant] = []
    private var start = 0

    init(_ limit: RequestLimit) {
        self.limit = limit
    }

    /// Counts a request. Returns nil where it may pass, else the seconds until one will, 1 at the least; a refused request doesn't count.
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
        let oldest = start < times.count ? times[start] : now
        let (seconds, attoseconds) = (limit.window - oldest.duration(to: now)).components
        return Int(max(1, min(seconds, 1 << 40) + (attoseconds > 0 ? 1 : 0)))
    }
}

/// A sliding window that all workers share.
final class Throttle: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var window: SlidingWindow

    init(_ limit: RequestLimit) {
        window = SlidingWindow(limit)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// As `SlidingWindow.wait(at:)`.
    func wait(at now: ContinuousClock.Instant = .now) -> Int? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return window.wait(at: now)
    }
}
