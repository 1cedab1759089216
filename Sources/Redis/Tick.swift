internal import Loop

/// Has something done each second while Redis is there, and when it comes. Confined to Redis' loop.
final class Tick {
    private var timer: LoopTimer?
    private static let interval = Duration.seconds(1)

    func start(
        on loop: EventLoop, _ connection: @escaping () -> Int?, _ body: @escaping @Sendable (Int) async -> Void
    ) {
        timer = LoopTimer(loop: loop) { [weak self] in
            if let number = connection() { _ = loop.start { await body(number) } }
            self?.timer?.start(after: Tick.interval)
        }
        timer?.start(after: Tick.interval)
    }

    /// Now is a good time.
    func hasten() { timer?.start(after: .zero) }
    func stop() { timer = nil }
}
