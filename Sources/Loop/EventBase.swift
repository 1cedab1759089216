internal import CLibevent

/// Owns one libevent base: dropping the handle frees the base. Every event of the base must be freed before.
struct EventBase: ~Copyable {
    let raw: OpaquePointer

    init() throws(EventLoopError) {
        // One thread runs the base, and an eventfd wakes it: libevent needs no locks.
        guard let config = event_config_new() else { throw .cannotCreateLoop }
        defer { event_config_free(config) }
        event_config_set_flag(config, CInt(EVENT_BASE_FLAG_NOLOCK.rawValue))
        // Else a timer's start would be when the turn began: behind work that took long it would fire too early.
        event_config_set_flag(config, CInt(EVENT_BASE_FLAG_NO_CACHE_TIME.rawValue))
        guard let raw = event_base_new_with_config(config) else { throw .cannotCreateLoop }
        self.raw = raw
    }

    deinit { event_base_free(raw) }

    enum Turn {
        /// Waits until something happens.
        case waiting
        /// Takes only what has already happened.
        case polling
    }

    /// Runs the callbacks of one turn.
    borrowing func run(_ turn: Turn) {
        switch turn {
        case .waiting: event_base_loop(raw, EVLOOP_ONCE)
        case .polling: event_base_loop(raw, EVLOOP_ONCE | EVLOOP_NONBLOCK)
        }
    }
}

/// Owns one libevent event. It is freed when the handle is dropped, also inside its own callback: libevent has copied what it
/// needs before it calls.
struct Event: ~Copyable {
    private let raw: OpaquePointer

    /// - Parameter context: handed to `callback`, not retained; it has to outlive the event.
    init(
        base: borrowing EventBase, descriptor: CInt, flags: CInt, context: UnsafeMutableRawPointer,
        callback: @escaping event_callback_fn
    ) throws(EventLoopError) {
        guard let raw = event_new(base.raw, descriptor, Int16(truncatingIfNeeded: flags), callback, context) else {
            throw .cannotCreateEvent
        }
        self.raw = raw
    }

    deinit { event_free(raw) }

    /// Starts to wait for the event. False where the kernel refuses.
    borrowing func add() -> Bool { event_add(raw, nil) == 0 }

    /// Starts, or starts again, with a timeout.
    borrowing func add(after duration: Duration) -> Bool {
        let (seconds, attoseconds) = duration.components
        var timeout = timeval()
        if seconds >= 0, attoseconds >= 0 {
            timeout.tv_sec = Int(min(seconds, 1_000_000_000))
            // Rounded up: a timer must not be early.
            timeout.tv_usec = Int((attoseconds + 999_999_999_999) / 1_000_000_000_000)
            if timeout.tv_usec >= 1_000_000 {
                timeout.tv_sec += 1
                timeout.tv_usec -= 1_000_000
            }
        }
        return event_add(raw, &timeout) == 0
    }

    borrowing func remove() { event_del(raw) }
}
