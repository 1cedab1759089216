import GatewayTesting
import Loop
import Testing

@Suite("Manual clock")
struct ManualClockTests {
    @Test("sleepers wake in the order of their times, and hours take no time")
    func order() async throws {
        let (woken, now) = try await LoopThread.run { loop in
            let clock = ManualClock(loop: loop)
            let woken = await withTaskGroup(of: Int.self) { group in
                for hours in [3, 1, 2] {
                    group.addTask {
                        await clock.sleep(for: .seconds(hours * 3600))
                        return hours
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            return (woken, clock.now)
        }
        #expect(woken == [1, 2, 3])
        #expect(now == .seconds(3 * 3600))
    }

    @Test("one after the other takes the sum, side by side the longest")
    func sums() async throws {
        let (sum, longest) = try await LoopThread.run { loop in
            let clock = ManualClock(loop: loop)
            await clock.sleep(for: .seconds(1))
            await clock.sleep(for: .seconds(2))
            let sum = clock.now
            async let first: Void = clock.sleep(for: .seconds(5))
            async let second: Void = clock.sleep(for: .seconds(4))
            _ = await (first, second)
            return (sum, clock.now - sum)
        }
        #expect(sum == .seconds(3))
        #expect(longest == .seconds(5))
    }
}
