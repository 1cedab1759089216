import Synchronization
import Testing
import Threads

@testable import Cache

struct Trouble: Error, Equatable { var text = "trouble" }

struct FlightTests {
    typealias Table = Flights<String, Int, Trouble>

    /// Comes back once so many wait; a failure where that doesn't happen.
    private func wait(for count: Int, in flights: Table) async {
        let end = ContinuousClock.now + .seconds(20)
        while flights.counts.waiting != count {
            guard ContinuousClock.now < end else {
                Issue.record("\(flights.counts.waiting) wait in place of \(count)")
                return
            }
            await Task.yield()
        }
    }

    private func lease(_ turn: Table.Turn) -> Table.Lease? { if case .lead(let lease) = turn { lease } else { nil } }
    private func value(_ turn: Table.Turn) -> Int? { if case .landed(let value) = turn { value } else { nil } }

    @Test("one flies, and a thousand get what it brings")
    func collapses() async throws {
        let flights = Table()
        let lease = try #require(lease(await flights.enter("a")))
        let followers = (0..<1000).map { _ in Task { await flights.enter("a") } }
        await wait(for: 1000, in: flights)
        #expect(flights.counts.flights == 1)
        #expect(lease.land(7) == 1000)
        for follower in followers { #expect(value(await follower.value) == 7) }
        #expect(flights.counts == (0, 0))
    }

    @Test("who comes after the end begins anew")
    func ends() async throws {
        let flights = Table()
        try #require(lease(await flights.enter("a"))).land(1)
        let second = try #require(lease(await flights.enter("a")))
        second.fail(Trouble())
        let third = try #require(lease(await flights.enter("a")))
        #expect(third.land(1) == 0)
    }

    @Test("things don't wait for each other")
    func keys() async {
        let flights = Table()
        let all = await [flights.enter("a"), flights.enter("b"), flights.enter("c")]
        #expect(all.compactMap(lease).count == 3)
        #expect(flights.lead("a") == nil)
        #expect(flights.lead("d") != nil)
    }

    @Test("a failure reaches those who wait")
    func fails() async throws {
        let flights = Table()
        let lease = try #require(lease(await flights.enter("a")))
        let follower = Task { await flights.enter("a") }
        await wait(for: 1, in: flights)
        lease.fail(Trouble(text: "x"))
        guard case .failed(let trouble) = await follower.value else {
            Issue.record("no failure")
            return
        }
        #expect(trouble == Trouble(text: "x"))
    }

    @Test("what is for one alone sends the others on their ways")
    func disperses() async throws {
        let flights = Table()
        let lease = try #require(lease(await flights.enter("a")))
        let follower = Task { await flights.enter("a") }
        await wait(for: 1, in: flights)
        lease.disperse()
        lease.land(1)
        guard case .alone = await follower.value else {
            Issue.record("not alone")
            return
        }
    }

    @Test("a leader that gives up hands over to the one that waited longest, and its word counts no more")
    func handsOver() async throws {
        let flights = Table()
        let first = try #require(lease(await flights.enter("a")))
        let second = Task { await flights.enter("a") }
        await wait(for: 1, in: flights)
        let third = Task { await flights.enter("a") }
        await wait(for: 2, in: flights)
        first.handOver()
        first.land(1)
        first.handOver()
        let lease = try #require(lease(await second.value))
        #expect(flights.counts == (1, 1))
        #expect(lease.land(2) == 1)
        #expect(value(await third.value) == 2)
    }

    @Test("a lease that is dropped hands over")
    func dropped() async {
        let flights = Table()
        var first = lease(await flights.enter("a"))
        #expect(first != nil)
        let second = Task { await flights.enter("a") }
        await wait(for: 1, in: flights)
        withExtendedLifetime(first) {}
        first = nil
        #expect(lease(await second.value)?.land(1) == 0)
        #expect(flights.counts == (0, 0))
    }

    @Test("a waiter ends at its own time, before and while it waits")
    func expires() async throws {
        let flights = Table()
        let first = try #require(lease(await flights.enter("a")))
        guard case .expired = await flights.enter("a", onWait: { $0.expire() }) else {
            Issue.record("not expired at once")
            return
        }
        let waiters = Locked<[Table.Waiter]>([])
        let second = Task { await flights.enter("a") { waiter in waiters.withLock { $0.append(waiter) } } }
        await wait(for: 1, in: flights)
        let third = Task { await flights.enter("a") }
        await wait(for: 2, in: flights)
        for waiter in waiters.withLock({ $0 }) {
            waiter.expire()
            waiter.expire()
        }
        guard case .expired = await second.value else {
            Issue.record("not expired")
            return
        }
        #expect(flights.counts == (1, 1))
        #expect(first.land(3) == 1)
        #expect(value(await third.value) == 3)
    }

    @Test("a cancelled waiter leaves at once, and never leads")
    func cancels() async throws {
        let flights = Table()
        let first = try #require(lease(await flights.enter("a")))
        let second = Task { await flights.enter("a") }
        await wait(for: 1, in: flights)
        second.cancel()
        guard case .cancelled = await second.value else {
            Issue.record("not cancelled")
            return
        }
        #expect(flights.counts == (1, 0))
        first.handOver()
        #expect(flights.counts == (0, 0))
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let lease = flights.lead("b")
            let turn = await flights.enter("b")
            withExtendedLifetime(lease) {}
            return turn
        }
        guard case .cancelled = await early.value else {
            Issue.record("not cancelled before the wait")
            return
        }
    }

    @Test("no more than the limit wait")
    func bounded() async throws {
        let flights = Table(waiterLimit: 3)
        let first = try #require(lease(await flights.enter("a")))
        let followers = (0..<3).map { _ in Task { await flights.enter("a") } }
        await wait(for: 3, in: flights)
        guard case .crowded = await flights.enter("a") else {
            Issue.record("let in")
            return
        }
        followers[1].cancel()
        await wait(for: 2, in: flights)
        let fourth = Task { await flights.enter("a") }
        await wait(for: 3, in: flights)
        #expect(first.land(1) == 3)
        #expect(value(await fourth.value) == 1)
    }

    @Test("nobody joins a flight from before a change, and those on it get what it brings")
    func detaches() async throws {
        let flights = Table()
        let old = try #require(lease(await flights.enter("a")))
        let follower = Task { await flights.enter("a") }
        await wait(for: 1, in: flights)
        flights.detach { $0 == "a" }
        let new = try #require(lease(await flights.enter("a")))
        let late = Task { await flights.enter("a") }
        await wait(for: 1, in: flights)
        #expect(old.land(1) == 1)
        #expect(value(await follower.value) == 1)
        #expect(flights.counts == (1, 1))
        #expect(new.land(2) == 1)
        #expect(value(await late.value) == 2)
    }

    @Test("a detached flight can still be handed over and left")
    func detachedLine() async throws {
        let flights = Table()
        let old = try #require(lease(await flights.enter("a")))
        let tasks = [Task { await flights.enter("a") }]
        await wait(for: 1, in: flights)
        let third = Task { await flights.enter("a") }
        await wait(for: 2, in: flights)
        flights.detach { _ in true }
        old.handOver()
        let lease = try #require(lease(await tasks[0].value))
        third.cancel()
        _ = await third.value
        #expect(lease.land(1) == 0)
    }

    @Test("of many that leave none is forgotten")
    func sweeps() async throws {
        let flights = Table()
        let first = try #require(lease(await flights.enter("a")))
        let followers = (0..<300).map { _ in Task { await flights.enter("a") } }
        await wait(for: 300, in: flights)
        for (number, follower) in followers.enumerated() where number % 10 != 0 { follower.cancel() }
        await wait(for: 30, in: flights)
        #expect(first.land(5) == 30)
        for (number, follower) in followers.enumerated() where number % 10 == 0 {
            #expect(value(await follower.value) == 5)
        }
    }

    @Test("many threads at once: each value is fetched by one at a time, and everybody gets one")
    func threads() async {
        let flights = Table()
        let flying = (0..<4).map { _ in Counter() }
        let done = Counter()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<200 {
                group.addTask {
                    for turn in 0..<20 {
                        let thing = (worker + turn) % 4
                        let task = Task { () -> Bool in
                            switch await flights.enter(String(thing)) {
                            case .lead(let lease):
                                if flying[thing].add(1) != 1 { Issue.record("two fly at once") }
                                await Task.yield()
                                _ = flying[thing].add(-1)
                                switch turn % 4 {
                                case 0: lease.handOver()
                                case 1: lease.fail(Trouble())
                                case 2: break
                                default: lease.land(thing)
                                }
                                return true
                            case .landed(let value), .joined(let value): return value == thing
                            case .failed, .alone, .cancelled: return true
                            case .crowded, .expired: return false
                            }
                        }
                        if turn % 7 == 0 { task.cancel() }
                        if await task.value { _ = done.add(1) }
                    }
                }
            }
        }
        #expect(done.value == 4000)
        #expect(flights.counts == (0, 0))
    }
}

final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    /// The count with the change.
    func add(_ change: Int) -> Int { count.add(change, ordering: .sequentiallyConsistent).newValue }
}
