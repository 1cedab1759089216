public import Drawing
internal import Glibc
public import HTTP
internal import Hashing
internal import Loop
internal import Synchronization
internal import Threads

/// Draws cards in processes of their own, a few at once, and keeps the last ones. One for the whole program; any loop may ask it.
///
/// Cards that are the same are drawn once, however many ask for them.
public final class CardRenderer: Sendable {
    public struct Limits: Sendable {
        /// Cards that are drawn at the same time.
        public var drawings = 2
        /// Cards that may wait for their turn; more are refused.
        public var waiting = 64
        /// Bytes of finished cards that are kept.
        public var kept = 16 << 20
        public var drawing = DrawingLimits()

        public init() {}
    }

    private let limits: Limits
    private let child: DrawingChild
    let report: @Sendable (String) -> Void
    private let state: Locked<State>
    private let waiterNumbers = Atomic<Int>(0)

    private struct State {
        var kept: KeptPictures
        /// What is being drawn or waits for it, by the digest of its card.
        var jobs: [String: Job] = [:]
        /// Those that wait, the oldest first.
        var queue: [String] = []
        var drawings = 0
    }

    private struct Job {
        let card: Card
        var waiters: [Int: CheckedContinuation<Result<Picture, GatewayError>, Never>] = [:]
    }

    /// - Parameters:
    ///   - program: what is started for each card, with `command` and the limits as its arguments.
    ///   - report: told when a process ends without a picture, or a card is drawn without its cover; on any thread.
    public init(
        _ limits: Limits, program: String = "/proc/self/exe", command: [String] = [DrawingProcess.command],
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.limits = limits
        self.report = report
        child = DrawingChild(program: program, command: command, limits: limits.drawing)
        state = Locked(State(kept: KeptPictures(capacity: limits.kept)))
    }

    /// The picture of `card`; without its cover where that can't be drawn. The caller's task goes on where it was.
    /// - Parameter deadline: nobody waits for longer, where the caller's task is on a loop.
    /// - Throws: `cards-busy` (503) after `deadline` or where too many cards wait, `card-failed` (500) where there is no picture even without a cover.
    public func picture(of card: Card, until deadline: ContinuousClock.Instant? = nil) async throws(GatewayError)
        -> Picture
    {
        let message = CardMessage.bytes(of: card)
        guard let key = Digest.sha256.hex(message) else { throw CardRenderer.failed }
        if let picture = state.withLock({ $0.kept[key] }) { return picture }
        let number = waiterNumbers.add(1, ordering: .relaxed).newValue
        let alarm = alarm(at: deadline) { [self] in leave(number, key, CardRenderer.busy) }
        defer { alarm?.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(number, for: key, card, until: deadline, $0) }
        } onCancel: {
            leave(number, key, CardRenderer.gone)
        }
        return try result.get()
    }

    /// Calls `ring` once it is `time`, on the caller's loop.
    private func alarm(
        at time: ContinuousClock.Instant?, _ ring: @escaping @Sendable () -> Void
    ) -> Task<Void, Never>? {
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        guard let time, let loop = executor as? EventLoop else { return nil }
        return loop.start {
            guard (try? await loop.sleep(for: ContinuousClock.now.duration(to: time))) != nil else { return }
            ring()
        }
    }

    private func wait(
        _ number: Int, for key: String, _ card: Card, until deadline: ContinuousClock.Instant?,
        _ continuation: CheckedContinuation<Result<Picture, GatewayError>, Never>
    ) {
        enum Step {
            case wait, start
            case answer(Result<Picture, GatewayError>)
        }
        let isCancelled = Task.isCancelled
        let step: Step = state.withLock { state in
            if isCancelled { return .answer(.failure(CardRenderer.gone)) }
            if let deadline, deadline <= .now { return .answer(.failure(CardRenderer.busy)) }
            if let picture = state.kept[key] { return .answer(.success(picture)) }
            if state.jobs[key] == nil {
                guard state.queue.count < limits.waiting else { return .answer(.failure(CardRenderer.busy)) }
                state.jobs[key] = Job(card: card)
                state.queue.append(key)
            }
            state.jobs[key]?.waiters[number] = continuation
            guard state.drawings < limits.drawings, !state.queue.isEmpty else { return .wait }
            state.drawings += 1
            return .start
        }
        switch step {
        case .wait: break
        case .start: startThread()
        case .answer(let result): continuation.resume(returning: result)
        }
        // Cancelled between the look and the entry: nobody would be told.
        if Task.isCancelled { leave(number, key, CardRenderer.gone) }
    }

    /// Takes a waiter away whose client has gone, or whose time is over. A card that nobody waits for any more isn't begun.
    private func leave(_ number: Int, _ key: String, _ error: GatewayError) {
        let continuation = state.withLock { state in
            let continuation = state.jobs[key]?.waiters.removeValue(forKey: number)
            if state.jobs[key]?.waiters.isEmpty == true, let place = state.queue.firstIndex(of: key) {
                state.queue.remove(at: place)
                state.jobs[key] = nil
            }
            return continuation
        }
        continuation?.resume(returning: .failure(error))
    }

    // MARK: Threads that draw

    /// A thread that draws what waits and ends when nothing does.
    private func startThread() {
        do throws(Thread.StartError) {
            try Thread.start { self.drawAll() }.detach()
        } catch {
            report("cards wait: \(error)")
            refuseQueue()
        }
    }

    private func refuseQueue() {
        // Without a thread all that wait are told so, unless another thread is at work.
        let left = state.withLock { state in
            state.drawings -= 1
            guard state.drawings == 0 else { return [Job]() }
            defer { state.queue = [] }
            return state.queue.compactMap { state.jobs.removeValue(forKey: $0) }
        }
        for job in left { for waiter in job.waiters.values { waiter.resume(returning: .failure(CardRenderer.busy)) } }
    }

    private func drawAll() {
        while let (key, card) = next() {
            let result = draw(card)
            let waiters = state.withLock { state in
                if case .success(let picture) = result { state.kept.keep(picture, for: key) }
                return state.jobs.removeValue(forKey: key)?.waiters
            }
            for waiter in (waiters ?? [:]).values { waiter.resume(returning: result) }
        }
    }

    /// The card whose turn it is; nil, and the thread counts no more, where there is none.
    private func next() -> (String, Card)? {
        state.withLock { state in
            while !state.queue.isEmpty {
                let key = state.queue.removeFirst()
                if let job = state.jobs[key] { return (key, job.card) }
            }
            state.drawings -= 1
            return nil
        }
    }

    /// Once with the cover, and where the process dies of it or takes too long, once without.
    private func draw(_ card: Card) -> Result<Picture, GatewayError> {
        let first = child.draw(CardMessage.bytes(of: card), card.format)
        if case .drawn(let picture) = first { return .success(picture) }
        report("a card was not drawn\(card.cover.isEmpty ? "" : " with its cover"): \(first.words)")
        guard !card.cover.isEmpty, first != .notStarted else { return .failure(CardRenderer.failed) }
        var bare = card
        bare.cover = []
        let second = child.draw(CardMessage.bytes(of: bare), card.format)
        if case .drawn(let picture) = second { return .success(picture) }
        report("a card was not drawn: \(second.words)")
        return .failure(CardRenderer.failed)
    }

    // MARK: Errors

    private static let busy: GatewayError = {
        var error = GatewayError(
            source: .gateway, code: "cards-busy", status: .serviceUnavailable,
            detail: "Too many cards are waiting to be drawn.")
        error.retryAfter = 1
        return error
    }()

    private static let failed = GatewayError(
        source: .gateway, code: "card-failed", status: .internalServerError, detail: "The card could not be drawn.")

    private static let gone = GatewayError(
        source: .client, code: "client-gone", status: .serviceUnavailable, detail: "The request was given up.")
}

extension DrawingChild.Outcome {
    fileprivate var words: String {
        switch self {
        case .drawn: "it was"
        case .notStarted: "its process could not be started"
        case .tooSlow: "its process took too long"
        case .failed(0): "its process ended without a picture"
        case .failed(let signal): "its process was ended by signal \(signal)"
        }
    }
}
