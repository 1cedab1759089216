import HTTP
import Plan
import Testing

@testable import Upstream

private let start = ContinuousClock.now

private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(1) * seconds }

private func wait(_ refusal: Duration?) -> Double? { refusal.map { $0 / .seconds(1) } }

private let bad = 500
private let good = 200

@Suite("The breaker")
struct BreakerTests {
    /// A breaker that `failures` have opened at 0 s.
    private static func opened(by outcome: Breaker.Outcome, _ failures: Int) -> Breaker {
        var breaker = Breaker()
        for _ in 0..<failures { breaker.ended(outcome, bad, asProbe: false, at: at(0)) }
        return breaker
    }

    @Test(
        "opens after failures in a row that weigh enough",
        arguments: [
            (Breaker.Outcome.down, 5, 1), (.silent, 5, 0.5), (.failing, 10, 0.5), (.faltering, 20, 0.5), (.odd, 0, 0),
            (.unknown, 0, 0), (.healthy, 0, 0),
        ])
    func opens(outcome: Breaker.Outcome, failures: Int, pause: Double) {
        var breaker = Breaker()
        for count in 1...30 {
            #expect(breaker.admit(bad, at: at(1)) == .normal)
            breaker.ended(outcome, bad, asProbe: false, at: at(1))
            if count == failures { break }
            #expect(breaker.state == .closed)
        }
        #expect(wait(breaker.refusal(of: bad, at: at(1))) == (failures > 0 ? pause : nil))
    }

    @Test(
        "stays closed within a second of a healthy answer, and opens at the next failure after it",
        arguments: [(Breaker.Outcome.down, 5), (.silent, 5), (.failing, 10), (.faltering, 20)])
    func healthy(outcome: Breaker.Outcome, failures: Int) {
        var breaker = Breaker()
        breaker.ended(.healthy, good, asProbe: false, at: at(0))
        for step in 0..<1000 {
            breaker.ended(outcome, bad, asProbe: false, at: at(0.999 * Double(step) / 1000))
            #expect(breaker.state == .closed)
        }
        breaker.ended(outcome, bad, asProbe: false, at: at(1))
        #expect(breaker.state != .closed)
    }

    @Test("stays closed as long as others get healthy answers, however much one resource fails")
    func attack() {
        var breaker = Breaker()
        for step in 0..<20_000 {
            let now = at(Double(step) / 1000)
            #expect(breaker.admit(bad, at: now) == .normal)
            breaker.ended(.failing, bad, asProbe: false, at: now)
            if step.isMultiple(of: 900) { breaker.ended(.healthy, good, asProbe: false, at: now) }
        }
    }

    @Test("forgets failures once one request went well, and those older than five seconds")
    func forgets() {
        var breaker = Breaker()
        for _ in 0..<4 { breaker.ended(.down, bad, asProbe: false, at: at(0)) }
        breaker.ended(.healthy, bad, asProbe: false, at: at(0))
        for _ in 0..<4 { breaker.ended(.down, bad, asProbe: false, at: at(1)) }
        #expect(breaker.state == .closed)
        breaker.ended(.down, bad, asProbe: false, at: at(7))
        #expect(breaker.state == .closed)
        for _ in 0..<4 { breaker.ended(.down, bad, asProbe: false, at: at(7)) }
        #expect(breaker.state != .closed)
    }

    @Test(
        "lets one probe of an upstream that is down through after 1 s, 2 s, then each 4 s, and closes when one goes well"
    )
    func probes() {
        var breaker = Self.opened(by: .down, 5)
        var now = 0.0
        for pause in [1.0, 2, 4, 4] {
            #expect(wait(breaker.refusal(of: good, at: at(now))) == pause)
            now += pause
            #expect(breaker.admit(bad, at: at(now)) == .probe)
            #expect(breaker.admit(good, at: at(now)) == .refused(.seconds(1)))
            breaker.ended(.healthy, good, asProbe: false, at: at(now))
            #expect(breaker.state != .closed)
            breaker.ended(.down, bad, asProbe: true, at: at(now))
        }
        #expect(breaker.admit(bad, at: at(now + 4)) == .probe)
        breaker.ended(.healthy, bad, asProbe: true, at: at(now + 4))
        #expect(breaker.admit(bad, at: at(now + 4)) == .normal)
    }

    @Test(
        "lets a probe of an upstream that fails through each 250 ms, of a target that didn't fail lately first",
        arguments: [(Breaker.Outcome.failing, 10), (.silent, 5), (.faltering, 20)])
    func doubtful(outcome: Breaker.Outcome, failures: Int) {
        var breaker = Self.opened(by: outcome, failures)
        #expect(wait(breaker.refusal(of: good, at: at(0))) == 0.25)
        #expect(wait(breaker.refusal(of: bad, at: at(0.25))) == 0.25)
        // Where nobody else asks, it is the failed target's turn.
        #expect(breaker.admit(bad, at: at(0.5)) == .probe)
        breaker.ended(outcome, bad, asProbe: true, at: at(0.5))
        #expect(breaker.admit(bad, at: at(0.75)) == .refused(.milliseconds(250)))
        #expect(breaker.admit(good, at: at(0.75)) == .probe)
        #expect(breaker.admit(good, at: at(0.75)) == .refused(.milliseconds(250)))
        breaker.ended(.healthy, good, asProbe: true, at: at(0.75))
        #expect(breaker.admit(bad, at: at(0.75)) == .normal)
    }

    @Test("closes when a request that was under way gets a healthy answer, where the upstream wasn't down")
    func underWay() {
        var breaker = Self.opened(by: .failing, 10)
        breaker.ended(.failing, good, asProbe: false, at: at(0.1))
        #expect(breaker.state != .closed)
        breaker.ended(.healthy, good, asProbe: false, at: at(0.1))
        #expect(breaker.state == .closed)
    }

    @Test("waits for no probe that stays silent, and for eight at most")
    func silentProbes() {
        var breaker = Self.opened(by: .silent, 5)
        for probe in 1...8 { #expect(breaker.admit(1000 + probe, at: at(Double(probe))) == .probe) }
        #expect(breaker.admit(good, at: at(9)) == .refused(.milliseconds(250)))
        breaker.ended(.silent, 1001, asProbe: true, at: at(9))
        #expect(breaker.admit(good, at: at(9)) == .probe)
    }

    @Test("knows an upstream that went down while it failed, and one that fails when it is up again")
    func turns() {
        var breaker = Self.opened(by: .failing, 10)
        #expect(breaker.admit(good, at: at(1)) == .probe)
        breaker.ended(.down, good, asProbe: true, at: at(1))
        #expect(wait(breaker.refusal(of: good, at: at(1))) == 1)
        #expect(breaker.admit(good, at: at(2)) == .probe)
        breaker.ended(.failing, good, asProbe: true, at: at(2))
        #expect(wait(breaker.refusal(of: 1, at: at(2))) == 0.25)
    }

    @Test(
        "lets the next request probe where a probe taught nothing",
        arguments: [(Breaker.Outcome.down, 5), (.failing, 10)])
    func cancelledProbe(outcome: Breaker.Outcome, failures: Int) {
        var breaker = Self.opened(by: outcome, failures)
        for _ in 0..<20 {
            #expect(breaker.admit(bad, at: at(1)) == .probe)
            breaker.ended(.unknown, bad, asProbe: true, at: at(1))
        }
        #expect(breaker.admit(bad, at: at(1)) == .probe)
    }

    @Test("tells silence of an upstream that is there from no connection at all")
    func silence() {
        #expect(Fault.timedOut(isFull: true, isConnected: true).health == .silent)
        #expect(Fault.timedOut(isFull: true, isConnected: false).health == .down)
        #expect(Fault.timedOut(isFull: false, isConnected: true).health == .unknown)
        #expect(Fault.timedOut(isFull: false, isConnected: false).health == .unknown)
    }

    @Test("remembers the targets that failed last, and no more than it has room for")
    func recentTargets() {
        var targets = RecentTargets()
        for target in 0..<1000 { targets.insert(target) }
        targets.insert(980)
        #expect((0..<1000).filter(targets.contains) == Array(968..<1000))
        targets.remove(980)
        #expect(!targets.contains(980))
        for target in 2000..<2032 { targets.insert(target) }
        #expect((0..<3000).filter(targets.contains) == Array(2000..<2032))
    }
}
