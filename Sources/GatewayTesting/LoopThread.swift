public import Loop
internal import Threads

/// A loop on a thread of its own for the length of one test, as each worker has one.
public enum LoopThread {
    /// Runs `body` as a task of a fresh loop, then ends the loop and its thread.
    public static func run<Value: Sendable>(
        _ body: @escaping @Sendable (EventLoop) async throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop()
        let thread = try loop.startThread()
        let result = await Task(executorPreference: loop) { try await body(loop) }.result
        loop.stop()
        thread.join()
        return try result.get()
    }
}
