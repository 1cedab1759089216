import HTTP
import Plan
import Testing

@testable import Upstream

private let start = ContinuousClock.now

private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(1) * seconds }

private func wait(_ refusal: Duration?) -> Double? { refusal.map { $0 / .seconds(1) } }

@Suite("The budget of retries")
struct RetryBudgetTests {
    @Test("is three in hand and one for each ten requests")
    func share() {
        var budget = RetryBudget()
        #expect((0..<10).count { _ in budget.spend(at: at(0)) } == 3)
        var retries = 0
        for _ in 0..<1000 {
            budget.requestSent()
            if budget.spend(at: at(0)) { retries += 1 }
        }
        #expect((99...100).contains(retries))
    }

    @Test("comes back to three with time, and no further")
    func refill() {
        var budget = RetryBudget()
        for _ in 0..<3 { #expect(budget.spend(at: at(0)) == true) }
        #expect(budget.spend(at: at(9)) == false)
        #expect(budget.spend(at: at(10.5)) == true)
        #expect((0..<10).count { _ in budget.spend(at: at(1000)) } == 3)
    }
}

@Suite("The quota")
struct QuotaTests {
    @Test("never lets more than its count through in any window")
    func window() throws {
        var quota = QuotaCount(UpstreamPlan.Quota(count: 10, window: .seconds(48)))
        var sent: [Double] = []
        for step in 0..<2000 {
            let now = Double(step) * 0.11
            if quota.refusal(at: at(now)) == nil {
                quota.requestSent(at: at(now))
                sent.append(now)
            }
        }
        for (first, last) in zip(sent, sent.dropFirst(10)) { #expect(last - first > 48) }
        #expect(sent.count >= 40)
    }

    @Test("says when the next request is free")
    func free() throws {
        var quota = QuotaCount(UpstreamPlan.Quota(count: 1, window: .seconds(48)))
        quota.requestSent(at: at(0))
        let refusal = quota.refusal(at: at(1))
        let left = try #require(refusal)
        #expect(left == .seconds(48))
        #expect(quota.refusal(at: at(1) + left) == nil)
    }

    @Test("counts what other machines have sent, for as long as the window")
    func others() {
        var quota = QuotaCount(UpstreamPlan.Quota(count: 10, window: .seconds(48)))
        quota.requestSent(at: at(0))
        quota.noteOthers(7, at: at(0))
        #expect(quota.left(at: at(1)) == 2)
        quota.noteOthers(9, at: at(2))
        #expect(quota.left(at: at(3)) == 0)
        #expect(quota.refusal(at: at(3)) == .seconds(1), "a slot, since others' are let go of by and by")
        #expect(quota.left(at: at(49.9)) == 1)
        #expect(quota.left(at: at(50)) == 10)
        quota.noteOthers(-5, at: at(51))
        #expect(quota.left(at: at(51)) == 10)
        quota.noteOthers(.max, at: at(52))
        #expect(quota.left(at: at(52)) == 0)
    }
}

@Suite("The pause")
struct PauseTests {
    @Test(
        "begins with a 429 that says how long, and with no 503: that may be one resource",
        arguments: [
            (429, 25_924, 25_924.0), (503, 3, nil), (429, 0, nil), (429, nil, nil), (500, 5, nil), (200, 5, nil),
            (429, 10_000_000, 86_400),
        ] as [(Int, Int?, Double?)])
    func begins(status: Int, retryAfter: Int?, left: Double?) throws {
        var pause = Pause()
        pause.answered(try #require(Status(code: status)), retryAfter: retryAfter, at: at(0))
        #expect(wait(pause.refusal(at: at(0))) == left)
        #expect(pause.refusal(at: at((left ?? 0) + 0.1)) == nil)
    }

    @Test("is not made shorter by a later answer")
    func keeps() {
        var pause = Pause()
        pause.answered(.tooManyRequests, retryAfter: 100, at: at(0))
        pause.answered(.tooManyRequests, retryAfter: 1, at: at(0))
        #expect(wait(pause.refusal(at: at(10))) == 90)
    }

    @Test(
        "reads Retry-After as seconds and as a date",
        arguments: [
            ("120", 120), ("Sun, 06 Nov 1994 08:49:37 GMT", 37), ("Sunday, 06-Nov-94 08:49:37 GMT", 37),
            ("Sun Nov  6 08:49:37 1994", 37), ("Sun, 06 Nov 1994 08:48:00 GMT", 0), ("soon", nil), ("-1", nil),
            ("", nil), ("1.5", nil), ("99999999999999999999", 31_536_000),
            ("31536001", 31_536_000), ("0000000000000000000000007", 7), ("0", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 31_536_000), ("Sun, 32 Nov 1994 08:49:37 GMT", nil),
        ] as [(String, Int?)])
    func reads(value: String, seconds: Int?) {
        #expect(RetryAfter.seconds(value, clock: 784_111_740) == seconds)
    }

    @Test("reads every date that we write")
    func dates() {
        for seconds in stride(from: 0, through: 253_402_300_799, by: 86_400 * 365 / 7 * 3 + 12_345) {
            #expect(HTTPDate.seconds(HTTPDate.text(seconds)) == seconds)
        }
    }
}

@Suite("The gate")
struct GateTests {
    @Test("lets so many in, then the others in their order")
    func order() {
        var gate = Gate(capacity: 2, queueLimit: 3)
        #expect((1...6).map { gate.enter($0) } == [.inside, .inside, .waiting, .waiting, .waiting, .full])
        #expect(gate.giveUp(4) == true)
        #expect(gate.giveUp(4) == false)
        #expect(gate.leave() == 3)
        #expect(gate.leave() == 5)
        #expect(gate.inFlight == 2)
        #expect(gate.leave() == nil)
        #expect(gate.leave() == nil)
        #expect(gate.inFlight == 0)
        #expect(gate.enter(7) == .inside)
    }

    @Test("keeps its count through any mix of coming, going and giving up")
    func mixture() {
        var gate = Gate(capacity: 3, queueLimit: 20)
        var inside: Set<UInt64> = []
        var waiting: [UInt64] = []
        var random = SystemRandomNumberGenerator()
        for id in 0..<UInt64(20_000) {
            switch gate.enter(id) {
            case .inside: inside.insert(id)
            case .waiting: waiting.append(id)
            case .full: #expect(waiting.count == 20)
            }
            if Bool.random(using: &random), let id = waiting.randomElement() {
                #expect(gate.giveUp(id) == true)
                waiting.removeAll { $0 == id }
            }
            if Bool.random(using: &random), let id = inside.randomElement() {
                inside.remove(id)
                let next = gate.leave()
                #expect(next == waiting.first)
                if let next {
                    inside.insert(next)
                    waiting.removeFirst()
                }
            }
            #expect(gate.inFlight == inside.count)
            #expect(gate.waiting == waiting.count)
        }
    }
}

@Suite("Trust")
struct TrustTests {
    @Test("is earned by connections that stay quiet, and lost by one that doesn't")
    func earned() {
        var trust = Trust(needed: 3)
        var now = 0.0
        func next() -> Trust.Connection {
            now += 1
            return trust.connection(at: at(now))
        }
        for _ in 0..<3 {
            #expect(next() == .observed)
            trust.observed(.quiet)
        }
        #expect(next() == .pooled)
        #expect(trust.losses == 0)
        trust.observed(.noisy)
        trust.observed(.noisy)
        #expect(trust.losses == 1)
        #expect(next() == .observed)
        for _ in 0..<511 { trust.observed(.quiet) }
        #expect(next() == .observed)
        trust.observed(.quiet)
        #expect(next() == .pooled)
        trust.oddityFound()
        #expect(next() == .observed)
        #expect(trust.losses == 2)
    }

    @Test("is put to the test at one of eight requests on pooled connections, and not twice within 50 ms")
    func sampled() {
        var trust = Trust(needed: 0)
        let slow = (0..<32).map { trust.connection(at: at(Double($0))) }
        #expect(slow.indices.filter { slow[$0] == .pooledLast } == [7, 15, 23, 31])
        #expect(slow.count { $0 == .pooled } == 28)
        trust = Trust(needed: 0)
        let fast = (0..<10_000).map { trust.connection(at: at(Double($0) / 10_000)) }
        #expect((19...20).contains(fast.count { $0 == .pooledLast }))
    }

    @Test(
        "ends a connection after the request that is watched, and after so many",
        arguments: [
            (Trust.Connection.pooled, 1, false, false), (.pooled, 31, false, false), (.pooled, 32, false, true),
            (.pooled, 33, false, true), (.pooled, 99, true, false), (.pooled, 100, true, true),
            (.pooledLast, 1, false, false), (.pooledLast, 2, false, true), (.observed, 1, false, true),
            (.alone, 1, false, false),
        ])
    func last(connection: Trust.Connection, requests: Int, isSecure: Bool, isLast: Bool) {
        #expect(connection.isLast(requests: requests, isSecure: isSecure) == isLast)
    }

    @Test("watches one connection of a burst")
    func burst() {
        var trust = Trust(needed: 3)
        #expect(trust.connection(at: at(0)) == .observed)
        #expect((0..<9).allSatisfy { _ in trust.connection(at: at(0.001)) == .alone })
        #expect(trust.connection(at: at(0.1)) == .observed)
    }

    @Test("is always there for an upstream on TLS")
    func secure() throws {
        let base = try #require(BaseURL("https://swapi.test"))
        var admission = Admission(UpstreamPlan(name: "swapi", base: base))
        admission.oddityFound()
        for id in 1...10 {
            #expect(
                admission.enter(UInt64(id), 3, at: at(Double(id)))
                    == .inside(Admission.Ticket(isProbe: false, connection: .pooled, target: 3)))
        }
        #expect(admission.counts.trustLosses == 0)
    }
}
