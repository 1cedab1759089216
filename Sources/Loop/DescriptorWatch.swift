internal import CLibevent

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let read = Readiness(rawValue: 1)
    public static let write = Readiness(rawValue: 2)
    /// The peer has ended its sending side, or the connection is gone. Told by ``SocketWatch`` only.
    public static let closed = Readiness(rawValue: 4)

    init(flags: Int16) {
        let flags = CInt(flags)
        var readiness: Readiness = []
        if flags & EV_READ != 0 { readiness.insert(.read) }
        if flags & EV_WRITE != 0 { readiness.insert(.write) }
        if flags & EV_CLOSED != 0 { readiness.insert(.closed) }
        self = readiness
    }
}

/// Tells when a descriptor is ready, again and again as long as it is (level-triggered). Confined to its loop; the descriptor
/// belongs to somebody else, who calls ``cancel()`` before closing it.
public final class DescriptorWatch {
    private let loop: EventLoop
    private let descriptor: CInt
    private var onReady: ((Readiness) -> Void)?
    // One event for each direction: changing one of them is one epoll_ctl, and none where nothing changes.
    private var reading: Event?
    private var writing: Event?
    private var interest: Readiness = []

    /// Watches nothing yet.
    /// - Parameter onReady: called on the loop's thread. It may change, cancel or free the watch.
    /// - Throws: `cannotCreateEvent` where memory has run out.
    public init(loop: EventLoop, descriptor: CInt, onReady: @escaping (Readiness) -> Void) throws(EventLoopError) {
        loop.preconditionIsConfined()
        self.loop = loop
        self.descriptor = descriptor
        self.onReady = onReady
        reading = try makeEvent(EV_READ)
        writing = try makeEvent(EV_WRITE)
    }

    deinit {
        guard onReady != nil else { return }
        loop.preconditionIsConfined()
        reading = nil
        writing = nil
    }

    /// Watches for `interest` from now on; an empty set watches nothing. Costs nothing where it is the same as before.
    public func watch(_ interest: Readiness) {
        loop.preconditionIsConfined()
        guard onReady != nil else { return }
        let changed = interest.symmetricDifference(self.interest)
        if changed.contains(.read) { Self.set(&reading, interest.contains(.read)) }
        if changed.contains(.write) { Self.set(&writing, interest.contains(.write)) }
        self.interest = interest
    }

    /// Ends the watch for good and lets go of the callback.
    public func cancel() {
        loop.preconditionIsConfined()
        reading = nil
        writing = nil
        interest = []
        onReady = nil
    }

    private static func set(_ event: inout Event?, _ isWanted: Bool) {
        if isWanted { _ = event?.add() } else { event?.remove() }
    }

    private func makeEvent(_ direction: CInt) throws(EventLoopError) -> Event {
        try Event(
            base: loop.base, descriptor: descriptor, flags: direction | EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque()
        ) { _, flags, context in
            guard let context else { return }
            let watch = Unmanaged<DescriptorWatch>.fromOpaque(context).takeUnretainedValue()
            withExtendedLifetime(watch) { watch.onReady?(Readiness(flags: flags)) }
        }
    }
}
