internal import Glibc
internal import Loop

/// Sockets that libcurl is done with, kept open for a moment to see whether bytes come that nobody asked for. Confined to the
/// loop; closes each of them once.
final class SettlingSockets {
    private struct Entry {
        let descriptor: Int32
        let upstream: Int
        /// Nil until its answer is complete, or where memory has run out: then it is looked at in the end alone.
        var watch: DescriptorWatch?
    }

    /// More are closed at once.
    private static let maximum = 256

    private let loop: EventLoop
    private var entries: [UInt64: Entry] = [:]
    /// When to look at them for the last time, the earliest first.
    private var ends: [(serial: UInt64, end: ContinuousClock.Instant)] = []
    private var timer: LoopTimer?
    /// How a socket behaved, which is closed now.
    var onVerdict: (_ upstream: Int, Trust.Verdict) -> Void = { _, _ in }

    init(loop: EventLoop) {
        self.loop = loop
        timer = LoopTimer(loop: loop) { [unowned self] in timeHasCome() }
    }

    deinit {
        for entry in entries.values {
            entry.watch?.cancel()
            close(entry.descriptor)
        }
    }

    var count: Int { entries.count }

    /// Takes a socket over; ``watch(_:for:)`` or ``drop(_:)`` follow. False where there are too many: it stays the caller's.
    func keep(_ descriptor: Int32, _ kept: OpenSockets.Kept) -> Bool {
        guard entries.count < Self.maximum else { return false }
        entries[kept.serial] = Entry(descriptor: descriptor, upstream: kept.upstream, watch: nil)
        return true
    }

    /// An answer on the socket is complete: from now on nothing may come. Does nothing where the socket isn't kept.
    /// - Parameter time: the same for all.
    func watch(_ serial: UInt64, for time: Duration) {
        guard let descriptor = entries[serial]?.descriptor else { return }
        let watch = try? DescriptorWatch(loop: loop, descriptor: descriptor) { [unowned self] _ in conclude(serial) }
        entries[serial]?.watch = watch
        watch?.watch(.read)
        ends.append((serial, .now + time))
        if ends.count == 1 { timer?.start(after: time) }
    }

    /// Closes a socket that had no answer, and says nothing about it.
    func drop(_ serial: UInt64) {
        guard let entry = entries.removeValue(forKey: serial) else { return }
        entry.watch?.cancel()
        close(entry.descriptor)
    }

    private func timeHasCome() {
        let now = ContinuousClock.now
        while let (serial, end) = ends.first {
            guard end <= now else { return timer?.start(after: now.duration(to: end)) ?? () }
            ends.removeFirst()
            conclude(serial)
        }
    }

    private func conclude(_ serial: UInt64) {
        guard let entry = entries[serial] else { return }
        let verdict: Trust.Verdict =
            switch OpenSockets.peek(entry.descriptor) {
            case .quiet: .quiet
            case .readable: .noisy
            case .ended: .unknown
            }
        drop(serial)
        onVerdict(entry.upstream, verdict)
    }
}
