internal import CLibevent

/// Tells when a connected socket becomes readable, becomes writable, or is closed by its peer: once for each change
/// (edge-triggered). Confined to its loop; the socket belongs to somebody else, who calls ``cancel()`` before closing it.
///
/// It is installed once and never changed, so that a connection costs one epoll_ctl for its whole life. The owner remembers
/// what it was told and reads or writes until the kernel says EAGAIN. A reset is told as `read` and `write` at once, also while
/// the owner doesn't want to read; the level-triggered way would spin there.
public final class SocketWatch {
    private let loop: EventLoop
    private let onChange: (Readiness) -> Void
    private var event: Event?

    /// - Parameter onChange: called on the loop's thread. It may cancel or free the watch.
    /// - Throws: `cannotCreateEvent` where the kernel refuses.
    public init(loop: EventLoop, descriptor: CInt, onChange: @escaping (Readiness) -> Void) throws(EventLoopError) {
        loop.preconditionIsConfined()
        self.loop = loop
        self.onChange = onChange
        let event = try Event(
            base: loop.base, descriptor: descriptor, flags: EV_READ | EV_WRITE | EV_CLOSED | EV_ET | EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque()
        ) { _, flags, context in
            guard let context else { return }
            let watch = Unmanaged<SocketWatch>.fromOpaque(context).takeUnretainedValue()
            withExtendedLifetime(watch) { watch.onChange(Readiness(flags: flags)) }
        }
        guard event.add() else { throw .cannotCreateEvent }
        self.event = consume event
    }

    deinit {
        guard event != nil else { return }
        loop.preconditionIsConfined()
        event = nil
    }

    /// Ends the watch for good.
    public func cancel() {
        loop.preconditionIsConfined()
        event = nil
    }
}
