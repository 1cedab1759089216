internal import Glibc
internal import HTTP

/// A point in time as caching needs it: what the wall clock shows, for comparing with dates of other machines, and a clock that never
/// goes back, for the time that passes here. The rules get it as an argument, so nothing in them depends on when they run.
public struct Moment: Sendable, Equatable {
    /// Seconds since 1970 (UTC) by the wall clock.
    public var seconds: Int
    /// Milliseconds of a clock that only goes on; where it began doesn't matter.
    public var uptime: Int

    public init(seconds: Int, uptime: Int) {
        self.seconds = seconds
        self.uptime = uptime
    }

    /// The time now: `CLOCK_REALTIME` and `CLOCK_MONOTONIC`. From any thread.
    public static var now: Moment {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        var steady = timespec()
        clock_gettime(CLOCK_MONOTONIC, &steady)
        return Moment(seconds: wall.tv_sec, uptime: steady.tv_sec &* 1000 &+ steady.tv_nsec / 1_000_000)
    }

    /// The milliseconds from `earlier` to here; never below zero.
    func milliseconds(since earlier: Moment) -> Int {
        let (passed, overflow) = uptime.subtractingReportingOverflow(earlier.uptime)
        return overflow ? DeltaSeconds.maximum * 1000 : max(0, passed)
    }

    /// This moment `milliseconds` later, by both clocks.
    public func advanced(milliseconds: Int) -> Moment {
        Moment(seconds: seconds &+ milliseconds / 1000, uptime: uptime &+ milliseconds)
    }
}

/// The `delta-seconds` rule (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// What everything greater is taken for: 68 years.
    static let maximum = 1 << 31

    /// The seconds that `text` says in digits alone, at most ``maximum``; nil for anything else: a sign, a fraction, blanks, nothing.
    static func parse(_ text: some StringProtocol) -> Int? {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.allSatisfy(ASCII.isDigit) else { return nil }
        var value = 0
        for byte in bytes {
            value = value * 10 + Int(byte - 0x30)
            if value > maximum { return maximum }
        }
        return value
    }

    /// `value` between zero and ``maximum``.
    static func clamped(_ value: Int) -> Int { min(max(0, value), maximum) }

    /// `left - right`, at least zero and at most ``maximum``, whatever they are.
    static func difference(_ left: Int, _ right: Int) -> Int {
        let (value, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (left < right ? 0 : maximum) : clamped(value)
    }
}
