/// A waiter's place in line. Touched under the lock of its flight's table alone.
final class Seat<Turn: Sendable>: @unchecked Sendable {
    enum Phase {
        case coming
        case waiting(CheckedContinuation<Turn, Never>)
        /// With what is to be told, where the wait ended before it began.
        case ended(Turn?)
    }

    fileprivate(set) var phase = Phase.coming
    fileprivate var flight: Flight<Turn>?

    /// The waiter gives up.
    /// - Returns: whom to tell, where it waits by now.
    func leave(_ turn: Turn) -> CheckedContinuation<Turn, Never>? {
        switch phase {
        case .ended: return nil
        case .coming:
            phase = .ended(turn)
            return nil
        case .waiting:
            let flight = flight
            let continuation = stand()
            flight?.oneLeft()
            return continuation
        }
    }

    fileprivate func stand() -> CheckedContinuation<Turn, Never>? {
        guard case .waiting(let continuation) = phase else { return nil }
        phase = .ended(nil)
        flight = nil
        return continuation
    }
}

/// A fetch under way, and the line of those that wait for it. Touched under the lock of its table alone.
final class Flight<Turn: Sendable>: @unchecked Sendable {
    /// Which leader's word counts; each has another.
    private(set) var turn: UInt64 = 1
    private(set) var waiting = 0
    /// What those are told who come while it is still being brought; nil before, and where they wait instead.
    var landed: Turn?
    /// In the order in which they came; some may have left.
    private var line: [Seat<Turn>] = []

    func add(_ seat: Seat<Turn>, _ continuation: CheckedContinuation<Turn, Never>) {
        seat.phase = .waiting(continuation)
        seat.flight = self
        line.append(seat)
        waiting += 1
    }

    /// The line is swept once most of it is empty.
    fileprivate func oneLeft() {
        waiting -= 1
        guard line.count > 2 * waiting + 16 else { return }
        line.removeAll { if case .waiting = $0.phase { false } else { true } }
    }

    /// Takes the one that waited longest out of the line and gives the word to it; nil where nobody waits.
    func next() -> CheckedContinuation<Turn, Never>? {
        turn &+= 1
        for (place, seat) in line.enumerated() {
            guard let continuation = seat.stand() else { continue }
            line.removeSubrange(...place)
            waiting -= 1
            return continuation
        }
        line = []
        return nil
    }

    /// Everybody in line is to be told; nobody's word counts any more.
    func end() -> [CheckedContinuation<Turn, Never>] {
        turn &+= 1
        let all = line.compactMap { $0.stand() }
        line = []
        waiting = 0
        return all
    }
}
