/// The times of `ServerLimits` in milliseconds, worked out once.
struct Deadlines: Sendable {
    let head: Int
    let contentGrace: Int
    let content: Int
    let contentRate: Int
    let idle: Int
    let stall: Int
    /// Bytes that a client has to take in the time `stall`.
    let stallBytes: Int
    let linger: Int
    let cutOff: Int

    init(_ limits: ServerLimits) {
        head = limits.headTime.inMilliseconds
        contentGrace = limits.contentGrace.inMilliseconds
        content = limits.contentTime.inMilliseconds
        contentRate = limits.contentRate
        idle = limits.idleTime.inMilliseconds
        stall = limits.stallTime.inMilliseconds
        let due = limits.answerRate.multipliedReportingOverflow(by: stall)
        stallBytes = due.overflow ? Int.max : due.partialValue / 1000
        linger = limits.lingerTime.inMilliseconds
        cutOff = limits.cutOffTime.inMilliseconds
    }
}

extension Duration {
    /// Whole milliseconds, from 0 to 31 years.
    var inMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int(min(seconds, 1_000_000_000)) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
