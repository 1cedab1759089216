public import Loop

/// Time that passes only where a test wants it: as soon as everything on the loop waits, the clock jumps to the next moment
/// that somebody waits for. So a test that spans seconds takes none, and what was done side by side is seen by the time it took.
///
/// Confined to its loop.
public final class ManualClock: @unchecked Sendable {
    private struct Sleeper {
        var end: Duration
        var continuation: CheckedContinuation<Void, Never>
    }

    private let loop: EventLoop
    /// Since the clock was made.
    public private(set) var now: Duration = .zero
    private var sleepers: [Sleeper] = []
    /// Grows with each sleeper, so that a turn in which somebody came is told from a quiet one.
    private var arrivals = 0
    private var isWatching = false

    /// Turns of the loop in which nobody came before the clock jumps. One is enough unless a turn ends with work left.
    private static let quietTurns = 3

    public init(loop: EventLoop) { self.loop = loop }

    /// Suspends the caller until the clock has passed `duration`.
    public func sleep(for duration: Duration) async {
        loop.preconditionIsOnLoop()
        guard duration > .zero else { return }
        await withCheckedContinuation { continuation in
            sleepers.append(Sleeper(end: now + duration, continuation: continuation))
            arrivals += 1
            watch()
        }
    }

    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        look(arrivals, Self.quietTurns)
    }

    private func look(_ seen: Int, _ turns: Int) {
        loop.submit { [self] in
            if arrivals != seen { return look(arrivals, Self.quietTurns) }
            if turns > 1 { return look(seen, turns - 1) }
            isWatching = false
            jump()
        }
    }

    private func jump() {
        guard let next = sleepers.map(\.end).min() else { return }
        now = next
        let due = sleepers.filter { $0.end <= next }
        sleepers.removeAll { $0.end <= next }
        for sleeper in due { sleeper.continuation.resume() }
        if !sleepers.isEmpty { watch() }
    }
}
