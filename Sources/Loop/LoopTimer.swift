internal import CLibevent

/// A timer that fires once for each start. Confined to its loop.
///
/// Its clock is the kernel's coarse one, so that starting it is no system call: it may be off by 4 ms either way.
public final class LoopTimer {
    private let loop: EventLoop
    private let onFire: () -> Void
    private var event: Event?

    /// - Parameter onFire: called on the loop's thread. It may start, stop or free the timer.
    public init(loop: EventLoop, onFire: @escaping () -> Void) {
        self.loop = loop
        self.onFire = onFire
    }

    deinit {
        guard event != nil else { return }
        loop.preconditionIsConfined()
        event = nil
    }

    /// Fires after `duration`, at once where it is not above zero. A timer that is running starts again.
    ///
    /// Where memory has run out, the timer fires in the next turn instead of never.
    public func start(after duration: Duration) {
        loop.preconditionIsConfined()
        if event == nil { event = try? makeEvent() }
        if let added = event?.add(after: duration), added { return }
        let timer = Unchecked(self)
        loop.submit { timer.value.onFire() }
    }

    public func stop() {
        loop.preconditionIsConfined()
        event?.remove()
    }

    private func makeEvent() throws(EventLoopError) -> Event {
        try Event(base: loop.base, descriptor: -1, flags: 0, context: Unmanaged.passUnretained(self).toOpaque()) {
            _, _, context in
            guard let context else { return }
            let timer = Unmanaged<LoopTimer>.fromOpaque(context).takeUnretainedValue()
            withExtendedLifetime(timer) { timer.onFire() }
        }
    }
}

/// Carries a loop-confined object into a closure that runs on the same loop.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
