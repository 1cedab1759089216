public import Cache
public import Loop

extension CacheHost {
    /// A cache's host whose time is a manual clock's: lives have no jitter, and no alarm rings.
    public static func manual(_ clock: ManualClock, _ loop: EventLoop) -> CacheHost {
        CacheHost(
            clock: {
                let parts = clock.now.components
                let milliseconds = Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
                return Moment(seconds: 1_000_000_000 + milliseconds / 1000, uptime: milliseconds)
            },
            spawn: { loop.start($0) }, alarm: { _, _ in clock }, chance: { 0 })
    }
}
