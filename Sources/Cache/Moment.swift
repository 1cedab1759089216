internal import Glibc
internal import HTTP

/// A point in time as caching needs it: what the wall clock shows, for comparing with dates of other machines, and a clock that never
/// goes back, for the time that passes here. The rules get it as an argument, so nothing in them depends on when they run.
public struct Moment: Sendable, Equatable {
    /// Seconds since 1970 (UTC) by the wall clock.
    public var seconds: Int
    /// What the wall clock shows beyond ``seconds``, in milliseconds: 0...999.
    public var fraction: Int
    /// Milliseconds of a clock that only goes on; where it began doesn't matter.
    public var uptime: Int

    public init(seconds: Int, fraction: Int = 0, uptime: Int) {
        self.seconds = seconds
        self.fraction = min(max(0, fraction), 999)
        self.uptime = uptime
    }

    /// The time now: `CLOCK_REALTIME` and `CLOCK_MONOTONIC`. From any thread.
    public static var now: Moment {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        var steady = timespec()
        clock_gettime(CLOCK_MONOTONIC, &steady)
        return Moment(
            seconds: wall.tv_sec, fraction: wall.tv_nsec / 1_000_000,
            uptime: steady.tv_sec &* 1000 &+ steady.tv_nsec / 1_000_000)
    }

    /// The milliseconds from `earlier` to here; never below zero.
    func milliseconds(since earlier: Moment) -> Int {
        let (passed, overflow) = uptime.subtractingReportingOverflow(earlier.uptime)
        return overflow ? DeltaSeconds.maximum * 1000 : max(0, passed)
    }

    /// The milliseconds from `earlier` to here by the wall clocks of two machines; never below zero.
    func wallMilliseconds(since earlier: (seconds: Int, fraction: Int)) -> Int {
        let (passed, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
        if overflow || passed > DeltaSeconds.maximum {
            return seconds > earlier.seconds ? DeltaSeconds.maximum * 1000 : 0
        }
        return passed < 0 ? 0 : max(0, passed * 1000 + fraction - earlier.fraction)
    }

    /// This moment `milliseconds` later, or earlier where they are below zero, by both clocks.
    public func advanced(milliseconds: Int) -> Moment {
        let whole = fraction &+ milliseconds
        let carry = whole / 1000 - (whole % 1000 < 0 ? 1 : 0)
        return Moment(
            seconds: seconds &+ carry, fraction: whole &- carry &* 1000, uptime: uptime &+ milliseconds)
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
