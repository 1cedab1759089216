/// Whether a client takes its answer: in each window of `stallTime` it has to take `answerRate` bytes a second, or all there is.
/// A pure state machine: time is an argument.
struct StallClock {
    private var windowStart: Moment?
    private var taken = 0

    /// The kernel takes no more for now. What it took before doesn't count: that only filled its buffers.
    mutating func blocked(at now: Moment) {
        if windowStart == nil { windowStart = now }
    }

    /// The kernel took `count` bytes; `isEmpty` where no more wait.
    mutating func sent(_ count: Int, isEmpty: Bool) {
        if isEmpty {
            windowStart = nil
            taken = 0
        } else if windowStart != nil {
            taken += count
        }
    }

    /// When to look again; nil where nothing waits.
    func end(_ deadlines: Deadlines) -> Moment? { windowStart.map { $0 + deadlines.stall } }

    /// Whether the client has stalled. A window that is over and good begins the next one.
    mutating func hasStalled(at now: Moment, _ deadlines: Deadlines) -> Bool {
        guard let end = end(deadlines), now >= end else { return false }
        guard taken >= deadlines.stallBytes else { return true }
        windowStart = now
        taken = 0
        return false
    }
}
