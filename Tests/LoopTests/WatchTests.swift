internal import Glibc
internal import Loop
import Testing
internal import Threads

@Suite("Watches and timers") struct WatchTests {
    /// Two connected sockets that don't block; closed by `body`'s end.
    private func withSockets<Value>(_ body: (CInt, CInt) async throws -> Value) async throws -> Value {
        var pair: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        return try await body(pair[0], pair[1])
    }

    @Test("a descriptor is told readable as long as nobody reads, and not before")
    func levelTriggered() async throws {
        try await LoopThread.run { loop in
            try await withSockets { ours, theirs in
                let count = Box(0)
                let watch = Box<DescriptorWatch?>(nil)
                defer { watch.value = nil }
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    do throws(EventLoopError) {
                        watch.value = try DescriptorWatch(loop: loop, descriptor: ours) { readiness in
                            #expect(readiness == .read)
                            count.value += 1
                            guard count.value == 3 else { return }
                            watch.value?.cancel()
                            continuation.resume()
                        }
                        watch.value?.watch(.read)
                        watch.value?.watch(.read)
                        #expect(count.value == 0)
                        #expect(write(theirs, "x", 1) == 1)
                    } catch { continuation.resume(throwing: error) }
                }
                #expect(count.value == 3)
            }
        }
    }

    @Test("interest can move from writing to reading and to nothing")
    func changedInterest() async throws {
        try await LoopThread.run { loop in
            try await withSockets { ours, theirs in
                let seen = Box<[Readiness]>([])
                let watch = Box<DescriptorWatch?>(nil)
                let next = Box<CheckedContinuation<Void, Never>?>(nil)
                watch.value = try DescriptorWatch(loop: loop, descriptor: ours) { readiness in
                    seen.value.append(readiness)
                    watch.value?.watch([])
                    next.value?.resume()
                }
                await wait {
                    next.value = $0
                    watch.value?.watch(.write)
                }
                #expect(write(theirs, "x", 1) == 1)
                await wait {
                    next.value = $0
                    watch.value?.watch(.read)
                }
                // Nothing is watched now: two turns pass in silence.
                for _ in 0..<2 { await wait { continuation in loop.submit { continuation.resume() } } }
                #expect(seen.value == [.write, .read])
                watch.value = nil
            }
        }
    }

    @Test("a watch may be freed in its own callback")
    func freedInCallback() async throws {
        try await LoopThread.run { loop in
            try await withSockets { ours, theirs in
                let watch = Box<DescriptorWatch?>(nil)
                weak var trace: DescriptorWatch?
                let continuationBox = Box<CheckedContinuation<Void, Never>?>(nil)
                watch.value = try DescriptorWatch(loop: loop, descriptor: ours) { _ in
                    watch.value = nil
                    continuationBox.value?.resume()
                }
                trace = watch.value
                watch.value?.watch(.read)
                await wait {
                    continuationBox.value = $0
                    #expect(write(theirs, "x", 1) == 1)
                }
                await wait { continuation in loop.submit { continuation.resume() } }
                #expect(trace == nil)
            }
        }
    }

    @Test("a socket watch tells each change once, and the peer's close")
    func edgeTriggered() async throws {
        try await LoopThread.run { loop in
            try await withSockets { ours, theirs in
                let seen = Box<[Readiness]>([])
                let watch = try SocketWatch(loop: loop, descriptor: ours) { seen.value.append($0) }
                func turns() async {
                    for _ in 0..<3 { await wait { continuation in loop.submit { continuation.resume() } } }
                }
                await turns()
                #expect(seen.value == [.write])
                #expect(write(theirs, "x", 1) == 1)
                await turns()
                #expect(seen.value == [.write, [.read, .write]])
                shutdown(theirs, CInt(SHUT_WR))
                await turns()
                #expect(seen.value.last?.contains(.closed) == true)
                #expect(seen.value.count == 3)
                watch.cancel()
            }
        }
    }

    @Test("a timer fires once for each start, not after a stop, and may free itself")
    func timers() async throws {
        try await LoopThread.run { loop in
            let fired = Box<[String]>([])
            let stopped = LoopTimer(loop: loop) { fired.value.append("stopped") }
            stopped.start(after: .milliseconds(1))
            stopped.stop()
            let timer = Box<LoopTimer?>(nil)
            await wait { continuation in
                timer.value = LoopTimer(loop: loop) {
                    fired.value.append("fired")
                    if fired.value.count == 2 {
                        timer.value = nil
                        continuation.resume()
                    } else {
                        timer.value?.start(after: .zero)
                    }
                }
                timer.value?.start(after: .seconds(60))
                timer.value?.start(after: .milliseconds(5))
            }
            try await loop.sleep(for: .milliseconds(10))
            #expect(fired.value == ["fired", "fired"])
        }
    }

    @Test("durations of any size are taken", arguments: [Duration.seconds(Int64.max), .seconds(-5), .nanoseconds(1)])
    func strangeDurations(duration: Duration) throws {
        let loop = try EventLoop()
        let timer = LoopTimer(loop: loop) {}
        timer.start(after: duration)
        timer.stop()
    }

    @Test("a signal is told on the loop")
    func signals() async throws {
        try await LoopThread.run { loop in
            let watch = Box<SignalWatch?>(nil)
            let next = Box<CheckedContinuation<Void, Never>?>(nil)
            watch.value = try SignalWatch(loop: loop, signal: SIGUSR1) {
                #expect(loop.isOnLoop)
                next.value?.resume()
            }
            await wait {
                next.value = $0
                kill(getpid(), SIGUSR1)
            }
            watch.value = nil
        }
    }

    @Test("a locked value counts right from many tasks")
    func locked() async {
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.withLock { $0 } == 8000)
    }
}
