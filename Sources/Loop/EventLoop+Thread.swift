public import Threads

extension EventLoop {
    /// Runs the loop on a new thread, which ends after ``stop()``.
    /// - Throws: where the system gives no thread; the loop has not run then.
    public func startThread() throws(Thread.StartError) -> Thread {
        try Thread.start { self.run() }
    }
}
