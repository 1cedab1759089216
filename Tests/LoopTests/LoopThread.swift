internal import Loop
internal import Threads

/// A loop on a thread of its own for the length of a test: blocking the shared pool would deadlock parallel tests.
final class LoopThread: @unchecked Sendable {
    let loop: EventLoop
    private let thread: Thread

    init() throws {
        loop = try EventLoop()
        thread = try loop.startThread()
    }

    func join() {
        loop.stop()
        thread.join()
    }

    /// Runs `body` as a task of a fresh loop and ends the loop's thread.
    static func run<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) async throws -> Value) async throws
        -> Value
    {
        let thread = try LoopThread()
        defer { thread.join() }
        let loop = thread.loop
        return try await Task(executorPreference: loop) { try await body(loop) }.value
    }
}

/// Lets a callback on the loop end the wait of an asynchronous test.
func wait(_ body: (CheckedContinuation<Void, Never>) -> Void) async { await withCheckedContinuation { body($0) } }

/// A loop-confined value that a test's closures share.
final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
