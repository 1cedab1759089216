internal import Glibc

/// A running thread of the system. Each is either joined or detached, once; pthread_create(3).
public struct Thread: Sendable {
    private let handle: pthread_t

    /// The system gives no further thread.
    public struct StartError: Error, CustomStringConvertible {
        /// What pthread_create(3) returned.
        public let code: Int32
        public var description: String { "no thread can be started: \(String(cString: strerror(code)))" }
    }

    /// Starts a thread that runs `body` and ends.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(StartError) -> Thread {
        let work = Unmanaged.passRetained(Work(body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { work in
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw StartError(code: code)
        }
        return Thread(handle: handle)
    }

    /// Waits until the thread has ended. Not on the thread itself.
    public func join() { pthread_join(handle, nil) }

    /// Lets the thread end by itself: nobody waits for it.
    public func detach() { pthread_detach(handle) }

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
