internal import Testing

@testable internal import Server

@Suite("Clocks of a connection") struct ClockTests {
    private let deadlines = Deadlines(ServerLimits())
    private func at(_ milliseconds: Int) -> Moment { Moment(milliseconds: 1_000_000 + milliseconds) }

    @Test("content has its grace, then its least rate, then its end")
    func contentRate() {
        var clock = ContentClock()
        clock.changed(isWaiting: true, at: at(0))
        #expect(clock.verdict(at: at(0), deadlines) == .fine(until: at(5000)))
        #expect(clock.verdict(at: at(4999), deadlines) == .fine(until: at(5000)))
        #expect(clock.verdict(at: at(5000), deadlines) == .tooSlow)
        clock.received(2400)
        #expect(clock.verdict(at: at(5000), deadlines) == .fine(until: at(10_001)))
        #expect(clock.verdict(at: at(10_000), deadlines) == .fine(until: at(10_001)))
        #expect(clock.verdict(at: at(10_001), deadlines) == .tooSlow)
        clock.received(Int.max / 2)
        #expect(clock.verdict(at: at(10_001), deadlines) == .fine(until: at(30_000)))
        #expect(clock.verdict(at: at(30_000), deadlines) == .tooSlow)
    }

    @Test("only the time in which we wait counts")
    func contentPause() {
        var clock = ContentClock()
        clock.changed(isWaiting: true, at: at(0))
        clock.changed(isWaiting: true, at: at(1000))
        clock.changed(isWaiting: false, at: at(3000))
        #expect(clock.verdict(at: at(100_000), deadlines) == .fine(until: nil))
        clock.changed(isWaiting: true, at: at(100_000))
        #expect(clock.verdict(at: at(100_000), deadlines) == .fine(until: at(102_000)))
        #expect(clock.verdict(at: at(102_000), deadlines) == .tooSlow)
    }

    @Test("a client that takes nothing, or too little, has stalled after one window")
    func stall() {
        for taken in [0, 7199] {
            var isStalled = false
            var clock = StallClock()
            clock.sent(100_000, isEmpty: false)
            clock.blocked(at: at(0))
            clock.blocked(at: at(10))
            clock.sent(taken, isEmpty: false)
            #expect(clock.end(deadlines) == at(30_000))
            isStalled = clock.hasStalled(at: at(29_999), deadlines)
            #expect(!isStalled)
            isStalled = clock.hasStalled(at: at(30_000), deadlines)
            #expect(isStalled)
        }
    }

    @Test("a client that takes enough has the next window, and none when all is taken")
    func noStall() {
        var isStalled = false
        var clock = StallClock()
        clock.blocked(at: at(0))
        clock.sent(7200, isEmpty: false)
        isStalled = clock.hasStalled(at: at(30_000), deadlines)
        #expect(!isStalled)
        #expect(clock.end(deadlines) == at(60_000))
        clock.sent(1, isEmpty: true)
        #expect(clock.end(deadlines) == nil)
        isStalled = clock.hasStalled(at: at(90_000), deadlines)
        #expect(!isStalled)
    }

    @Test("durations are taken as milliseconds, and never below zero")
    func durations() {
        #expect(Duration.milliseconds(1500).inMilliseconds == 1500)
        #expect(Duration.seconds(-1).inMilliseconds == 0)
        #expect(Duration.seconds(Int64.max).inMilliseconds == 1_000_000_000_000)
    }
}
