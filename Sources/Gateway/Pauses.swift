internal import Synchronization

/// How long requests to upstreams wait that said so in the text of an answer. Shared by all workers, from any thread.
public final class Pauses: Sendable {
    private final class End: Sendable {
        /// The second since 1970 at which the upstream may be asked again.
        let second = Atomic<Int>(0)
    }
    private let ends: [End]

    /// - Parameter upstreams: how many there are.
    public init(upstreams: Int) { ends = (0..<max(0, upstreams)).map { _ in End() } }

    /// - Parameters:
    ///   - upstream: its index.
    ///   - seconds: of a pause that begins at `now`; a shorter one doesn't end a longer one.
    func begin(_ upstream: Int, seconds: Int, now: Int) {
        let (end, overflow) = now.addingReportingOverflow(seconds)
        if !overflow, ends.indices.contains(upstream) { ends[upstream].second.max(end, ordering: .relaxed) }
    }

    /// The seconds that are left; nil where none are.
    func left(_ upstream: Int, now: Int) -> Int? {
        guard ends.indices.contains(upstream) else { return nil }
        let end = ends[upstream].second.load(ordering: .relaxed)
        return end > now ? end - now : nil
    }
}
