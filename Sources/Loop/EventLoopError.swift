/// Why the kernel or libevent refused what a loop needs; in practice descriptors or memory have run out.
public enum EventLoopError: Error, Sendable, Equatable {
    /// No libevent base, or no eventfd to wake it.
    case cannotCreateLoop
    /// No event for a descriptor, a timer or a signal.
    case cannotCreateEvent
}
