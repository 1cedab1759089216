internal import HTTP
internal import Loop

/// Breaks off streamed answers of which nothing more comes: one timer for all transfers of a loop. Confined to it.
final class Silence: @unchecked Sendable {
    private let limit: Duration
    private var timer: LoopTimer?
    private var isRunning = false
    /// When each was last heard of; those whose reader is waited for don't count.
    private var heard: [ObjectIdentifier: (transfer: Transfer, at: ContinuousClock.Instant)] = [:]

    /// - Parameter limit: how long nothing may come; at least that, and a quarter more.
    init(_ limit: Duration, loop: EventLoop) {
        self.limit = limit
        timer = LoopTimer(loop: loop) { [unowned self] in self.look() }
    }

    func begin(_ transfer: Transfer) {
        heard[ObjectIdentifier(transfer)] = (transfer, .now)
        start()
    }

    /// Something has come, or may come again.
    func heard(_ transfer: Transfer) { heard[ObjectIdentifier(transfer)]?.at = .now }

    func end(_ transfer: Transfer) { heard[ObjectIdentifier(transfer)] = nil }

    private func start() {
        guard !isRunning else { return }
        isRunning = true
        timer?.start(after: limit / 4)
    }

    private func look() {
        isRunning = false
        let now = ContinuousClock.now
        for (transfer, at) in heard.values where transfer.isAwaited && at.duration(to: now) >= limit {
            transfer.abort(.timedOut(isFull: true))
        }
        if !heard.isEmpty { start() }
    }
}
