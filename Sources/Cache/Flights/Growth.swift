internal import Synchronization

/// The memory that contents may take together while they are coming. From any thread.
final class Growth: Sendable {
    private let count = Atomic(0)
    private let limit: Int

    /// Bytes that are taken.
    var taken: Int { count.load(ordering: .relaxed) }

    init(limit: Int) { self.limit = limit }

    /// False where there is no room for so many bytes more; nothing is taken then.
    func take(_ count: Int) -> Bool {
        guard self.count.add(count, ordering: .relaxed).newValue > limit else { return true }
        give(count)
        return false
    }

    func give(_ count: Int) { self.count.subtract(count, ordering: .relaxed) }
}
