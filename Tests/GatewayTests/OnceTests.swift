import GatewayTesting
import Loop
import Testing

@testable import Gateway

@Suite("What is made once")
struct OnceTests {
    @Test("many who ask at once get one value that is made once")
    func together() async throws {
        let (values, made) = try await LoopThread.run { loop in
            let clock = ManualClock(loop: loop)
            let once = Once<Int>()
            let count = Counter()
            let values = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        await once.value("a") {
                            await clock.sleep(for: .seconds(1))
                            return count.next()
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            return (values, count.value)
        }
        #expect(values == Array(repeating: 1, count: 50))
        #expect(made == 1)
    }

    @Test("a value that is there is given at once, another key has its own")
    func later() async throws {
        let values = try await LoopThread.run { _ in
            let once = Once<Int>()
            let count = Counter()
            let first = await once.value("a") { count.next() }
            let second = await once.value("a") { count.next() }
            let other = await once.value("b") { count.next() }
            return [first, second, other, once.contains("a") ? 1 : 0, once.contains("c") ? 1 : 0]
        }
        #expect(values == [1, 1, 2, 1, 0])
    }
}

/// Counts on one loop.
private final class Counter: @unchecked Sendable {
    private(set) var value = 0
    func next() -> Int {
        value += 1
        return value
    }
}
