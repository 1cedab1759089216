internal import Glibc
public import Loop

/// A loop on a thread of its own for the length of one test, as each worker has one.
public enum LoopThread {
    /// Runs `body` as a task of a fresh loop, then ends the loop and its thread.
    public static func run<Value: Sendable>(
        _ body: @escaping @Sendable (EventLoop) async throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop()
        var thread = pthread_t()
        let context = Unmanaged.passRetained(loop).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context)
        precondition(status == 0, "no thread")
        let result = await Task(executorPreference: loop) { try await body(loop) }.result
        loop.stop()
        pthread_join(thread, nil)
        return try result.get()
    }
}
