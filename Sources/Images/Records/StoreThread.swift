internal import Glibc
internal import Threads

/// A thread that does one piece of work after the other, so that none of the loops waits for a disk.
final class StoreThread: @unchecked Sendable {
    private let queue = Locked(Queue())
    private let semaphore: UnsafeMutablePointer<sem_t>
    private var thread: Thread?

    private struct Queue {
        var work: [@Sendable () -> Void] = []
        var isEnding = false
    }

    /// Work that may wait; more is refused.
    private static let limit = 4096

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func start() throws(Thread.StartError) {
        thread = try Thread.start { self.run() }
    }

    /// Adds work. From any thread.
    /// - Returns: false where too much waits, or the thread is ending: the work is then never done.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = queue.withLock { queue in
            guard !queue.isEnding, queue.work.count < StoreThread.limit else { return false }
            queue.work.append(work)
            return true
        }
        if isTaken { sem_post(semaphore) }
        return isTaken
    }

    /// Does what waits, then ends the thread. Waits for that.
    func stop() {
        let isFirst = queue.withLock { queue in
            defer { queue.isEnding = true }
            return !queue.isEnding
        }
        guard isFirst, let thread else { return }
        sem_post(semaphore)
        thread.join()
    }

    private func run() {
        while true {
            // Interrupted by a signal it just looks once more.
            sem_wait(semaphore)
            let (work, isEnding) = queue.withLock { queue in
                defer { queue.work = [] }
                return (queue.work, queue.isEnding)
            }
            for item in work { item() }
            if isEnding, work.isEmpty { return }
            if isEnding { sem_post(semaphore) }
        }
    }
}
