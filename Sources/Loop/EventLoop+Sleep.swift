internal import Synchronization

extension EventLoop {
    /// Suspends the caller for at least `duration`; the loop's own timer wakes it. From any thread.
    /// - Throws: `CancellationError` at once when the task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        let sleeper = Sleeper(loop: self, duration: duration)
        let isDone = await withTaskCancellationHandler {
            await withCheckedContinuation { sleeper.begin($0) }
        } onCancel: {
            sleeper.cancel()
        }
        guard isDone else { throw CancellationError() }
    }
}

/// One sleep. Its state belongs to the loop's thread, but for the flag.
private final class Sleeper: @unchecked Sendable {
    private let loop: EventLoop
    private let end: ContinuousClock.Instant
    private let isCancelled = Atomic(false)
    private var timer: LoopTimer?
    private var continuation: CheckedContinuation<Bool, Never>?

    init(loop: EventLoop, duration: Duration) {
        self.loop = loop
        end = .now + duration
    }

    func begin(_ continuation: CheckedContinuation<Bool, Never>) {
        onLoop {
            guard !$0.isCancelled.load(ordering: .acquiring) else { return continuation.resume(returning: false) }
            $0.continuation = continuation
            // Held by the suspended task, so the timer needs no reference of its own.
            $0.timer = LoopTimer(loop: $0.loop) { [unowned self] in self.timerFired() }
            $0.timer?.start(after: ContinuousClock.now.duration(to: $0.end))
        }
    }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        onLoop { $0.finish(false) }
    }

    /// The coarse clock may be early: then the rest is slept too.
    private func timerFired() {
        let rest = ContinuousClock.now.duration(to: end)
        if rest > .zero { timer?.start(after: rest) } else { finish(true) }
    }

    private func finish(_ isDone: Bool) {
        timer = nil
        guard let continuation else { return }
        self.continuation = nil
        continuation.resume(returning: isDone)
    }

    private func onLoop(_ body: @escaping @Sendable (Sleeper) -> Void) {
        if loop.isOnLoop { body(self) } else { loop.submit { body(self) } }
    }
}
