/// Whether a client sends its content fast enough: a least rate after a grace, and a time for all of it. Only the time in which we
/// wait for the client counts, so that a slow responder is not held against it. A pure state machine: time is an argument.
struct ContentClock {
    private var received = 0
    /// Milliseconds of waiting that are over.
    private var waited = 0
    private var waitingSince: Moment?

    enum Verdict: Equatable {
        /// Fast enough until then, or nobody waits (nil).
        case fine(until: Moment?)
        case tooSlow
    }

    mutating func received(_ count: Int) { received += count }

    /// The connection waits for the client, or no longer does.
    mutating func changed(isWaiting: Bool, at now: Moment) {
        if let start = waitingSince {
            guard !isWaiting else { return }
            waited += now.elapsed(since: start)
            waitingSince = nil
        } else if isWaiting {
            waitingSince = now
        }
    }

    func verdict(at now: Moment, _ deadlines: Deadlines) -> Verdict {
        guard let start = waitingSince else { return .fine(until: nil) }
        let time = waited + now.elapsed(since: start)
        let (grace, end) = (deadlines.contentGrace, deadlines.content)
        guard time < end else { return .tooSlow }
        guard time >= grace else { return .fine(until: now + (min(grace, end) - time)) }
        // The time for which the bytes so far are enough.
        let (scaled, overflow) = received.multipliedReportingOverflow(by: 1000)
        let paid = deadlines.contentRate > 0 && !overflow ? scaled / deadlines.contentRate : end
        guard time <= paid else { return .tooSlow }
        return .fine(until: now + (min(paid, end - 1) + 1 - time))
    }
}
