internal import Glibc
internal import Loop

/// A loop on a thread of its own for the length of a test: blocking the shared pool would deadlock parallel tests.
final class LoopThread: @unchecked Sendable {
    let loop: EventLoop
    private var thread = pthread_t()

    init() throws {
        loop = try EventLoop()
        let context = Unmanaged.passRetained(loop).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context)
        precondition(status == 0, "no thread")
    }

    func join() {
        loop.stop()
        pthread_join(thread, nil)
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
