internal import Glibc
internal import Testing
internal import Threads

@Suite("Threads")
struct ThreadTests {
    @Test("a joined thread has run its body, on a thread that isn't the caller's")
    func joined() throws {
        let seen = Locked<pthread_t?>(nil)
        try Thread.start { seen.withLock { $0 = pthread_self() } }.join()
        let other = try #require(seen.withLock { $0 })
        #expect(pthread_equal(other, pthread_self()) == 0)
    }

    @Test("a value behind a lock is one thread's at a time")
    func locked() throws {
        let count = Locked(0)
        let threads = try (1...4).map { _ in
            try Thread.start {
                for _ in 0..<10_000 { count.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test("an error of the body comes through the lock, which is free again")
    func errors() {
        struct Wrong: Error {}
        let value = Locked(1)
        #expect(throws: Wrong.self) { try value.withLock { _ throws(Wrong) in throw Wrong() } }
        #expect(value.withLock { $0 } == 1)
    }
}
