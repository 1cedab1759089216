internal import Cache
internal import Loop

extension CacheHost {
    /// The clocks of the machine, and the timers of one worker.
    init(_ loop: EventLoop) {
        self.init(
            spawn: { loop.start($0) },
            alarm: { instant, fire in
                let timer = LoopTimer(loop: loop, onFire: fire)
                timer.start(after: ContinuousClock.now.duration(to: instant))
                return timer
            })
    }

    /// That of the worker whose task asks for it; nil for any other task.
    static let ofWorker: @Sendable () -> CacheHost? = {
        (withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() } as? EventLoop).map { CacheHost($0) }
    }
}
