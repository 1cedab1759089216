internal import HTTP

extension Connection {
    /// When the client will have taken too long for what it does, or when to look at it again.
    func nextDeadline(_ now: Moment) -> Moment? {
        let stalled = stall.end(server.deadlines)
        guard let due = phaseDeadline(now) else { return stalled }
        return stalled.map { min($0, due) } ?? due
    }

    private func phaseDeadline(_ now: Moment) -> Moment? {
        switch phase {
        case .waiting(let start, let isFirst): start + (isFirst ? server.deadlines.head : server.deadlines.idle)
        case .head(let start): start + server.deadlines.head
        case .exchange(let exchange):
            switch exchange.clock.verdict(at: now, server.deadlines) {
            case .fine(let until): until
            case .tooSlow: now
            }
        case .lingering(let end, _): end
        case .closing, .closed: nil
        }
    }

    /// Ends what is overdue.
    func checkTime(_ now: Moment) {
        if stall.hasStalled(at: now, server.deadlines) { return close(reset: true) }
        switch phase {
        case .waiting(let start, let isFirst):
            guard now >= start + (isFirst ? server.deadlines.head : server.deadlines.idle) else { return }
            // A plain close would leave an unread answer to the kernel.
            if socket?.hasUnsentBytes() ?? false { close(reset: true) } else { endSending() }
        case .head(let start):
            if now >= start + server.deadlines.head { refuse(.tooSlow) }
        case .exchange(let exchange):
            if exchange.clock.verdict(at: now, server.deadlines) == .tooSlow { refuse(.tooSlow) }
        case .lingering(let end, _):
            if now >= end { close() }
        case .closing, .closed: break
        }
    }
}
