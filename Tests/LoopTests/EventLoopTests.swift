internal import Glibc
internal import Loop
import Testing

@Suite("An event loop as an executor") struct EventLoopTests {
    @Test("child tasks stay on the loop's thread, also after a suspension")
    func children() async throws {
        let strays = try await LoopThread.run { loop in
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await Task.yield()
                        return loop.isOnLoop
                    }
                }
                var strays = 0
                for await isOnLoop in group where !isOnLoop { strays += 1 }
                return strays
            }
        }
        #expect(strays == 0)
    }

    @Test("code after another thread's resumption is back on the loop")
    func foreignResumption() async throws {
        let isBack = try await LoopThread.run { loop in
            await withCheckedContinuation { continuation in Task.detached { continuation.resume() } }
            return loop.isOnLoop
        }
        #expect(isBack)
    }

    @Test("an actor pinned to the loop runs on its thread")
    func pinnedActor() async throws {
        let thread = try LoopThread()
        let actor = Pinned(thread.loop)
        #expect(await actor.isOnLoop)
        #expect(await actor.children() == [true, true, true])
        thread.join()
    }

    @Test("a task started on the loop runs at once up to its first suspension")
    func immediateStart() async throws {
        let order = try await LoopThread.run { loop in
            let order = Box<[String]>([])
            let task = loop.start {
                order.value.append("begun")
                await Task.yield()
                order.value.append("ended")
            }
            order.value.append("returned")
            await task.value
            return order.value
        }
        #expect(order == ["begun", "returned", "ended"])
    }

    @Test("submitted work runs in a later turn, and in order")
    func submission() async throws {
        let order = try await LoopThread.run { loop in
            let order = Box<[Int]>([])
            await wait { continuation in
                loop.submit { order.value.append(2) }
                loop.submit { continuation.resume() }
                order.value.append(1)
            }
            return order.value
        }
        #expect(order == [1, 2])
    }

    @Test("work submitted by many threads all arrives", arguments: [1, 4])
    func foreignSubmission(threads: Int) async throws {
        let thread = try LoopThread()
        let loop = thread.loop
        let count = Box(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<threads {
                group.addTask {
                    for _ in 0..<1000 { loop.submit { count.value += 1 } }
                }
            }
        }
        let total = await Task(executorPreference: loop) {
            await wait { continuation in loop.submit { continuation.resume() } }
            return count.value
        }.value
        #expect(total == threads * 1000)
        thread.join()
    }

    @Test("tasks that yield for ever don't keep descriptors waiting")
    func fairness() async throws {
        try await LoopThread.run { loop in
            let isDone = Box(false)
            let spinner = loop.start { while !isDone.value { await Task.yield() } }
            await wait { continuation in
                let timer = Box<LoopTimer?>(nil)
                timer.value = LoopTimer(loop: loop) {
                    timer.value = nil
                    continuation.resume()
                }
                timer.value?.start(after: .milliseconds(1))
            }
            isDone.value = true
            await spinner.value
        }
    }

    @Test("a sleep lasts at least as long as asked", arguments: [1, 5, 20])
    func sleep(milliseconds: Int) async throws {
        let elapsed = try await LoopThread.run { loop in
            let start = ContinuousClock.now
            try await loop.sleep(for: .milliseconds(milliseconds))
            return ContinuousClock.now - start
        }
        #expect(elapsed >= .milliseconds(milliseconds))
    }

    @Test("a timer that is started behind work that took long isn't early")
    func timerBehindWork() async throws {
        let elapsed = try await LoopThread.run { loop in
            let busy = ContinuousClock.now + .milliseconds(100)
            while ContinuousClock.now < busy {}
            let start = ContinuousClock.now
            let timer = Box<LoopTimer?>(nil)
            await wait { continuation in
                timer.value = LoopTimer(loop: loop) { continuation.resume() }
                timer.value?.start(after: .milliseconds(50))
            }
            timer.value = nil
            return ContinuousClock.now - start
        }
        // The loop's clock is off by 4 ms at the most.
        #expect(elapsed >= .milliseconds(45))
    }

    @Test("a cancelled sleep throws at once, whether it has begun or not")
    func cancelledSleep() async throws {
        let elapsed = try await LoopThread.run { loop in
            let start = ContinuousClock.now
            let early = Task(executorPreference: loop) { try await loop.sleep(for: .seconds(60)) }
            early.cancel()
            await #expect(throws: CancellationError.self) { try await early.value }
            let late = Task.immediate(executorPreference: loop) { try await loop.sleep(for: .seconds(60)) }
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
            let foreign = Task.immediate(executorPreference: loop) { try await loop.sleep(for: .seconds(60)) }
            Task.detached { foreign.cancel() }
            await #expect(throws: CancellationError.self) { try await foreign.value }
            return ContinuousClock.now - start
        }
        #expect(elapsed < .seconds(30))
    }

    @Test("using the loop from another thread ends the process")
    func confinement() async {
        await #expect(processExitsWith: .failure) { try EventLoop().preconditionIsOnLoop() }
    }

    @Test("what is set up before the loop runs is not refused")
    func setUp() throws {
        let loop = try EventLoop()
        loop.preconditionIsConfined()
        let timer = LoopTimer(loop: loop) { loop.stop() }
        timer.start(after: .milliseconds(1))
        loop.run()
        #expect(!loop.isOnLoop)
    }
}

private actor Pinned {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.isolation.asUnownedSerialExecutor() }

    init(_ loop: EventLoop) { self.loop = loop }

    var isOnLoop: Bool { loop.isOnLoop }

    func children() async -> [Bool] {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 { group.addTask { await self.isOnLoop } }
            var all: [Bool] = []
            for await one in group { all.append(one) }
            return all
        }
    }
}
