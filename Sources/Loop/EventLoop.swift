internal import CLibevent
internal import Glibc
internal import Synchronization
internal import Threads

/// One libevent loop on one thread, offered to Swift Concurrency as an executor.
///
/// The loop itself is the `TaskExecutor`: a task made with `executorPreference: loop` stays on its thread, child tasks too. Its
/// ``isolation`` is the `SerialExecutor` for actors that live on the loop. They are two objects because the runtime compares
/// the executor that a job runs on with the one it wants next: one object in both roles is enqueued again at nearly every
/// suspension. Each worker needs both: an actor that is pinned to the loop without the preference has its child tasks on the
/// global pool.
///
/// Timers, watches and all that is built on them are confined to the loop: they are made and used on its thread, or while
/// nobody runs it.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The serial role of the loop: `actor X { nonisolated var unownedExecutor … { loop.isolation.asUnownedSerialExecutor() } }`.
    public let isolation = Isolation()
    let base: EventBase

    private let inbox = Locked(Inbox())
    /// The thread inside ``run()``; 0 while there is none.
    private let owner = Atomic<pthread_t>(0)
    private let wakeDescriptor: CInt
    private var wakeEvent: Event?

    // Touched by the loop's thread alone.
    private var jobs: [Job] = []
    private var runningJobs: [Job] = []
    private var bodies: [@Sendable () -> Void] = []

    struct Job {
        enum Role {
            case task
            case serial
        }

        let job: UnownedJob
        let role: Role
    }

    /// What other threads have left for the loop.
    private struct Inbox {
        var jobs: [Job] = []
        var bodies: [@Sendable () -> Void] = []
        /// Somebody has woken the loop, and it hasn't looked yet.
        var isAwake = false
        var isStopped = false
    }

    /// How many rounds of jobs run before the loop looks at its descriptors again. Jobs that jobs enqueue run in the same turn,
    /// which makes a suspension three times cheaper than a turn each; the bound keeps tasks from starving the sockets.
    private static let roundsPerTurn = 64

    /// - Throws: ``EventLoopError`` where descriptors or memory have run out.
    public init() throws(EventLoopError) {
        base = try EventBase()
        wakeDescriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeDescriptor >= 0 else { throw .cannotCreateLoop }
        isolation.loop = self
        // The event has nothing to do but end the wait; the inbox is read at the start of each turn.
        let event = try Event(
            base: base, descriptor: wakeDescriptor, flags: EV_READ | EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque()
        ) { descriptor, _, _ in
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        }
        guard event.add() else { throw .cannotCreateEvent }
        wakeEvent = consume event
    }

    deinit {
        wakeEvent = nil
        if wakeDescriptor >= 0 { close(wakeDescriptor) }
    }

    /// Takes over the calling thread until ``stop()``. A loop that was stopped stays so: it is not run again.
    public func run() {
        let free = owner.compareExchange(expected: 0, desired: pthread_self(), ordering: .sequentiallyConsistent)
            .exchanged
        precondition(free, "a loop runs on one thread only")
        defer { owner.store(0, ordering: .sequentiallyConsistent) }
        while true {
            let isStopped = takeInbox()
            runBodies()
            runJobs()
            if isStopped, jobs.isEmpty, bodies.isEmpty { return }
            base.run(jobs.isEmpty && bodies.isEmpty ? .waiting : .polling)
        }
    }

    /// Makes ``run()`` return once the jobs that wait have run. From any thread.
    public func stop() {
        inbox.withLock { $0.isStopped = true }
        wake()
    }

    /// Whether the caller is on the thread inside ``run()``.
    public var isOnLoop: Bool { owner.load(ordering: .relaxed) == pthread_self() }

    /// Ends the process where the caller is not on the loop's thread.
    public func preconditionIsOnLoop() { precondition(isOnLoop, "not on this event loop") }

    /// Ends the process where another thread runs the loop. For what is set up before ``run()`` and taken down after it.
    public func preconditionIsConfined() {
        let thread = owner.load(ordering: .relaxed)
        precondition(thread == 0 || thread == pthread_self(), "not on this event loop")
    }

    // MARK: Work

    /// Runs `body` on the loop in a later turn. From any thread.
    public func submit(_ body: @escaping @Sendable () -> Void) {
        if isOnLoop { return bodies.append(body) }
        leave { $0.bodies.append(body) }
    }

    /// Starts a task that stays on the loop. On the loop's thread it runs at once up to its first suspension; from elsewhere it
    /// is enqueued.
    @discardableResult
    public func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if isOnLoop { return Task.immediate(executorPreference: self) { await body() } }
        return Task(executorPreference: self) { await body() }
    }

    /// The role of the `TaskExecutor`; called by the runtime from any thread.
    public func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), as: .task) }

    fileprivate func enqueue(_ job: UnownedJob, as role: Job.Role) {
        let job = Job(job: job, role: role)
        if isOnLoop { return jobs.append(job) }
        leave { $0.jobs.append(job) }
    }

    private func leave(_ change: (inout Inbox) -> Void) {
        let mustWake = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isAwake = true }
            return !inbox.isAwake
        }
        if mustWake { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        // Fails only where the counter is full, and then the loop is awake.
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: One turn

    /// Moves what other threads left to the loop's own lists; whether the loop was stopped.
    private func takeInbox() -> Bool {
        inbox.withLock { inbox in
            if !inbox.jobs.isEmpty {
                jobs.append(contentsOf: inbox.jobs)
                inbox.jobs.removeAll(keepingCapacity: true)
            }
            if !inbox.bodies.isEmpty {
                bodies.append(contentsOf: inbox.bodies)
                inbox.bodies.removeAll(keepingCapacity: true)
            }
            inbox.isAwake = false
            return inbox.isStopped
        }
    }

    private func runBodies() {
        guard !bodies.isEmpty else { return }
        let running = bodies
        bodies = []
        for body in running { body() }
    }

    private func runJobs() {
        let taskExecutor = asUnownedTaskExecutor()
        let serialExecutor = isolation.asUnownedSerialExecutor()
        var round = 0
        while !jobs.isEmpty, round < Self.roundsPerTurn {
            round += 1
            swap(&jobs, &runningJobs)
            for entry in runningJobs {
                switch entry.role {
                case .task: entry.job.runSynchronously(on: taskExecutor)
                case .serial: entry.job.runSynchronously(isolatedTo: serialExecutor, taskExecutor: taskExecutor)
                }
            }
            runningJobs.removeAll(keepingCapacity: true)
        }
    }
}

extension EventLoop {
    /// The loop as a `SerialExecutor`. It lives as long as its loop; whoever hands it out keeps the loop.
    public final class Isolation: SerialExecutor, @unchecked Sendable {
        // Set by the loop's initializer, which needs this object first; never nil afterwards.
        fileprivate unowned(unsafe) var loop: EventLoop!

        public func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(UnownedJob(job), as: .serial) }
        public func isIsolatingCurrentContext() -> Bool? { loop.isOnLoop }
        public func checkIsolated() { loop.preconditionIsOnLoop() }
    }
}
