internal import Hashing
internal import Loop

/// What was sent to one upstream whose contract has a quota.
public struct QuotaShare: Sendable {
    public let name: String
    public let window: Duration
    /// Requests since the start.
    public let sent: Int

    public init(name: String, window: Duration, sent: Int) {
        self.name = name
        self.window = window
        self.sent = sent
    }
}

/// Keeps the counts of quotas in a Redis, by slots of their windows. Confined to Redis' loop.
///
/// Machines hear of each other's requests each second, so together they may send as many too many as the others sent in that time. A machine
/// that starts again finds its own requests of before there, as those of others.
final class QuotaSharing {
    private struct Told {
        /// What ``QuotaShare/sent`` was.
        var sent = 0
        /// Requests that were told, and when, within the window.
        var ours: [(at: ContinuousClock.Instant, count: Int)] = []
    }
    private var told: [String: Told] = [:]
    private var timer: LoopTimer?

    private static let interval = Duration.seconds(1)
    private static let slots = 48

    func start(
        on loop: EventLoop, _ link: RedisLink, _ use: @escaping () -> [QuotaShare],
        _ tell: @escaping (String, Int) -> Void
    ) {
        timer = LoopTimer(loop: loop) { [weak self, unowned link] in
            guard let self else { return }
            if link.isUp { for share in use() { self.share(share, link, tell) } }
            self.timer?.start(after: QuotaSharing.interval)
        }
        timer?.start(after: .zero)
    }

    func stop() { timer = nil }

    private func share(_ share: QuotaShare, _ link: RedisLink, _ tell: @escaping (String, Int) -> Void) {
        let before = told[share.name]?.sent ?? 0
        // New contracts begin to count at nothing.
        let count = share.sent >= before ? share.sent - before : share.sent
        told[share.name, default: Told()].sent = share.sent
        guard let key = Digest.sha256.hex(Array(share.name.utf8)) else { return }
        let slot = max(1, Int((share.window / .milliseconds(QuotaSharing.slots)).rounded(.up)))
        let words = [
            "EVAL", Script.count, "1", RedisLink.prefix + "q:" + key, String(slot), String(QuotaSharing.slots),
            String(count),
        ]
        link.send(words.words) { [weak self] reply in
            guard let self else { return }
            guard case .success(.integer(let sum)) = reply else {
                // Told with the next.
                self.told[share.name]?.sent -= count
                return
            }
            tell(share.name, max(0, sum - self.ours(share, adding: count)))
        }
    }

    /// Our own requests in the window.
    private func ours(_ share: QuotaShare, adding count: Int) -> Int {
        let now = ContinuousClock.now
        var ours = told[share.name]?.ours ?? []
        ours.removeAll { $0.at.duration(to: now) > share.window }
        if count > 0 { ours.append((now, count)) }
        // As fine as the slots is fine enough.
        if ours.count > 2 * QuotaSharing.slots {
            ours = stride(from: 0, to: ours.count, by: 2).map { place in
                let next = place + 1 < ours.count ? ours[place + 1] : (ours[place].at, 0)
                return (next.0, ours[place].count + next.1)
            }
        }
        told[share.name]?.ours = ours
        return ours.reduce(0) { $0 + $1.count }
    }
}
