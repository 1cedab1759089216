internal import Glibc

/// A point of the monotonic clock in milliseconds; the kernel's coarse one, which costs no system call and is up to 4 ms late.
struct Moment: Comparable {
    var milliseconds: Int

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Moment(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
    }

    static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }
    static func + (moment: Moment, milliseconds: Int) -> Moment {
        Moment(milliseconds: moment.milliseconds + milliseconds)
    }

    /// Milliseconds since an earlier moment.
    func elapsed(since earlier: Moment) -> Int { milliseconds - earlier.milliseconds }
}
