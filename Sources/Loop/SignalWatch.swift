internal import CLibevent

/// Tells when the process got a signal. Confined to its loop. One loop of a process may watch signals: libevent routes them all
/// to the loop that asked last.
public final class SignalWatch {
    private let loop: EventLoop
    private let onSignal: () -> Void
    private var event: Event?

    /// - Parameters:
    ///   - signal: `SIGTERM`, `SIGHUP` and so on; its default action no longer happens.
    ///   - onSignal: called on the loop's thread, not in a signal handler. It may free the watch.
    public init(loop: EventLoop, signal: CInt, onSignal: @escaping () -> Void) throws(EventLoopError) {
        loop.preconditionIsConfined()
        self.loop = loop
        self.onSignal = onSignal
        let event = try Event(
            base: loop.base, descriptor: signal, flags: EV_SIGNAL | EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque()
        ) { _, _, context in
            guard let context else { return }
            let watch = Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue()
            withExtendedLifetime(watch) { watch.onSignal() }
        }
        guard event.add() else { throw .cannotCreateEvent }
        self.event = consume event
    }

    deinit {
        guard event != nil else { return }
        loop.preconditionIsConfined()
        event = nil
    }
}
