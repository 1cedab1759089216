internal import Loop

/// Calls `body` again and again on a loop, for as long as it lives.
final class Repeating {
    private var timer: LoopTimer?

    init(loop: EventLoop, every interval: Duration, _ body: @escaping () -> Void) {
        timer = LoopTimer(loop: loop) { [weak self] in
            body()
            self?.timer?.start(after: interval)
        }
        timer?.start(after: interval)
    }
}
