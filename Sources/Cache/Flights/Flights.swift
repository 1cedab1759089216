internal import Threads

/// One request for one thing at a time, whatever number of clients on whatever threads wants it: the first flies, the others wait for what
/// it brings. From any thread; each waiter goes on where its task runs.
///
/// A value or a failure reaches those who waited for it and nobody who comes later. A leader that can't go on for reasons of its own (its
/// client has gone, its time is up) hands its place to the one that waited longest.
public final class Flights<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    /// What a caller is told.
    public enum Turn: Sendable {
        /// Fetch it, and tell the lease how that went. Look into the store once more before: another flight may just have landed.
        case lead(Lease)
        /// What the leader brought. It need not fit: check it as if it came from the store.
        case landed(Value)
        /// What the leader had begun to bring before this one came. Check it as if it came from the store.
        case joined(Value)
        case failed(Failure)
        /// Fetch it alone: what the leader brought was for it alone.
        case alone
        /// Too many wait already.
        case crowded
        /// The waiter's own time is up.
        case expired
        /// The waiter's task was cancelled.
        case cancelled
    }

    /// The duty of a leader. One that is let go of without a word hands over, so nobody waits for ever; after the first word, others
    /// change nothing.
    public final class Lease: Sendable {
        private let flights: Flights
        private let key: Key
        private let flight: Flight<Turn>
        private let turn: UInt64

        fileprivate init(_ flights: Flights, _ key: Key, _ flight: Flight<Turn>, _ turn: UInt64) {
            self.flights = flights
            self.key = key
            self.flight = flight
            self.turn = turn
        }

        deinit { handOver() }

        /// Gives the value to all that wait. What is to be found later has to be in the store by now.
        /// - Returns: how many waited.
        @discardableResult
        public func land(_ value: Value) -> Int { flights.end(key, flight, turn, .landed(value)) }

        /// Gives the value to all that wait, and to those who come until ``close()``, which has to be called.
        public func landOpen(_ value: Value) {
            flights.end(key, flight, turn, .landed(value), opening: .joined(value))
        }

        /// Whoever comes now begins a flight of its own.
        public func close() { flights.close(key, flight) }

        /// Gives the failure to all that wait.
        public func fail(_ failure: Failure) { flights.end(key, flight, turn, .failed(failure)) }

        /// Sends all that wait on their own ways: the answer is nobody else's.
        public func disperse() { flights.end(key, flight, turn, .alone) }

        /// Makes the one that waited longest the leader.
        public func handOver() { flights.handOver(key, flight, turn) }
    }

    /// One that waits, in the hands of its owner.
    public struct Waiter: Sendable {
        fileprivate let flights: Flights
        fileprivate let key: Key
        fileprivate let seat: Seat<Turn>

        /// Ends the wait with ``Turn/expired``, if it hasn't ended; to be called by a timer of the waiter's own.
        public func expire() { flights.leave(key, seat, .expired) }
    }

    /// Several tables, so that workers seldom meet.
    private let tables: [Locked<[Key: Flight<Turn>]>] = (0..<16).map { _ in Locked([:]) }
    private let waiterLimit: Int

    /// - Parameter waiterLimit: how many may wait for one thing.
    public init(waiterLimit: Int = 1000) { self.waiterLimit = waiterLimit }

    private func table(_ key: Key) -> Locked<[Key: Flight<Turn>]> {
        tables[Int(UInt(bitPattern: key.hashValue) % UInt(tables.count))]
    }

    /// How many flights can be joined, and how many wait for them.
    public var counts: (flights: Int, waiting: Int) {
        tables.reduce((0, 0)) { sum, table in
            table.withLock { (sum.0 + $0.count, $0.values.reduce(sum.1) { $0 + $1.waiting }) }
        }
    }

    /// Asks for a thing. Returns at once for the first that does; else when the flight ends, the waiter expires, or the task is cancelled.
    ///
    /// - Parameter onWait: called before the wait begins, on the caller's thread, where there is a flight.
    public func enter(_ key: Key, onWait: ((Waiter) -> Void)? = nil) async -> Turn {
        if let lease = lead(key) { return .lead(lease) }
        let seat = Seat<Turn>()
        onWait?(Waiter(flights: self, key: key, seat: seat))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let turn = sit(key, seat, continuation) { continuation.resume(returning: turn) }
            }
        } onCancel: {
            leave(key, seat, .cancelled)
        }
    }

    /// Asks for a thing that is worth fetching only if nobody is at it; nil where somebody is.
    public func lead(_ key: Key) -> Lease? { table(key).withLock { begin(key, &$0) } }

    /// Lets nobody join the flights whose keys `isMeant` says yes to: what they bring is from before something changed. Who waits goes on
    /// waiting; who comes now begins a flight of its own.
    public func detach(where isMeant: (Key) -> Bool) {
        for table in tables {
            table.withLock { flights in
                for key in flights.keys.filter(isMeant) { flights[key] = nil }
            }
        }
    }

    /// A new flight; nil where there is one.
    private func begin(_ key: Key, _ flights: inout [Key: Flight<Turn>]) -> Lease? {
        guard flights[key] == nil else { return nil }
        let flight = Flight<Turn>()
        flights[key] = flight
        return Lease(self, key, flight, flight.turn)
    }

    /// Takes a place in line; a turn where there is no need or no room.
    private func sit(_ key: Key, _ seat: Seat<Turn>, _ continuation: CheckedContinuation<Turn, Never>) -> Turn? {
        table(key).withLock { flights in
            if case .ended(let turn) = seat.phase { return turn }
            if let lease = begin(key, &flights) { return .lead(lease) }
            if let landed = flights[key]?.landed { return landed }
            guard let flight = flights[key], flight.waiting < waiterLimit else { return .crowded }
            flight.add(seat, continuation)
            return nil
        }
    }

    fileprivate func leave(_ key: Key, _ seat: Seat<Turn>, _ turn: Turn) {
        let continuation = table(key).withLock { _ in seat.leave(turn) }
        continuation?.resume(returning: turn)
    }

    /// Ends a flight for all that wait.
    /// - Parameter opening: what those are told who come until it is closed; nil: it is over.
    @discardableResult
    fileprivate func end(
        _ key: Key, _ flight: Flight<Turn>, _ turn: UInt64, _ outcome: Turn, opening: Turn? = nil
    ) -> Int {
        let line = table(key).withLock { flights -> [CheckedContinuation<Turn, Never>] in
            guard flight.turn == turn else { return [] }
            flight.landed = opening
            if opening == nil, flights[key] === flight { flights[key] = nil }
            return flight.end()
        }
        for continuation in line { continuation.resume(returning: outcome) }
        return line.count
    }

    fileprivate func close(_ key: Key, _ flight: Flight<Turn>) {
        table(key).withLock { if $0[key] === flight { $0[key] = nil } }
    }

    fileprivate func handOver(_ key: Key, _ flight: Flight<Turn>, _ turn: UInt64) {
        let next = table(key).withLock { flights -> (continuation: CheckedContinuation<Turn, Never>, turn: UInt64)? in
            guard flight.turn == turn else { return nil }
            if let next = flight.next() { return (next, flight.turn) }
            if flights[key] === flight { flights[key] = nil }
            return nil
        }
        // The lease is made without the lock: it takes it when it is let go of.
        if let next { next.continuation.resume(returning: .lead(Lease(self, key, flight, next.turn))) }
    }
}
