internal import CCurl
internal import Glibc
public import HTTP
public import Loop
internal import Plan

/// Asks the upstreams for one worker: one libcurl multi handle with its pool of connections on the worker's loop. Confined to
/// that loop.
public final class UpstreamClient: @unchecked Sendable {
    let shared: UpstreamShared
    let loop: EventLoop
    private let multi: Multi
    private let upstreams: [Upstream]
    private let contentLimit: Int
    private let silence: Silence
    private let observe: (@Sendable (UpstreamAttempt) -> Void)?
    private var active: [UnsafeMutableRawPointer: Transfer] = [:]
    /// Handles that wait for their next request, by upstream.
    private var idle: [[Transfer]]
    private var lastTimestamp = 0

    /// What is made of a plan once.
    struct Upstream {
        let plan: UpstreamPlan
        let outgoing: Outgoing
        let filter: AddressFilter
        let turnstile: Turnstile
    }

    /// - Parameters:
    ///   - shared: the same for all workers.
    ///   - contentLimit: decoded bytes that are taken from one answer that isn't streamed.
    ///   - silence: how long an upstream may send nothing of an answer that is streamed.
    ///   - observe: called on the loop when an attempt has ended.
    /// - Throws: `GatewayError` where libcurl can't be set up.
    public init(
        loop: EventLoop, shared: UpstreamShared, contentLimit: Int = 8 << 20, silence: Duration = .seconds(60),
        observe: (@Sendable (UpstreamAttempt) -> Void)? = nil
    ) throws(GatewayError) {
        self.loop = loop
        self.shared = shared
        self.contentLimit = contentLimit
        self.silence = Silence(silence, loop: loop)
        self.observe = observe
        let connections = shared.plans.reduce(16) { sum, plan in min(4096, sum + min(4096, max(1, plan.concurrency))) }
        do throws(Fault) {
            multi = try Multi(loop: loop, connections: connections)
        } catch {
            throw error.error(upstream: "")
        }
        upstreams = zip(shared.plans, shared.turnstiles).map { plan, turnstile in
            Upstream(
                plan: plan, outgoing: Outgoing(plan),
                filter: AddressFilter(host: plan.base.host, networks: plan.networks), turnstile: turnstile)
        }
        idle = shared.plans.map { _ in [] }
        multi.settling.onVerdict = { [unowned self] upstream, verdict in settled(upstream, verdict) }
        multi.onDone = { [unowned self] easy, result in ended(easy, result) }
    }

    /// On the loop, or after it has stopped. Requests under way end as cancelled.
    deinit {
        for transfer in active.values { transfer.abort(.cancelled) }
    }

    /// Answers requests for one upstream.
    /// - Parameter index: its place in ``UpstreamShared/plans``.
    public func responder(for index: Int, as form: AnswerForm = .decoded) -> any Responder {
        UpstreamResponder(client: self, index: index, form: form)
    }

    subscript(upstream index: Int) -> Upstream { upstreams[index] }

    /// Tells how an attempt went.
    /// - Parameters:
    ///   - number: from 1.
    ///   - bytes: of the content, where it isn't in the answer.
    @inline(never)
    func note(
        _ request: Request, upstream index: Int, number: Int, since start: ContinuousClock.Instant,
        _ response: Response?, _ fault: Fault?, bytes: Int? = nil
    ) {
        guard let observe else { return }
        let upstream = upstreams[index]
        observe(
            UpstreamAttempt(
                upstream: upstream.plan.name, method: request.method, url: upstream.outgoing.shown(request),
                id: request.id, number: number, status: response?.status, failure: fault?.word,
                bytes: bytes ?? response?.body.length ?? 0, duration: start.duration(to: .now)))
    }

    /// What makes one attempt, to be handed to ``perform(_:_:)``.
    func prepare(_ attempt: Transfer.Attempt, upstream index: Int) throws(Fault) -> (Transfer, Upload?) {
        loop.preconditionIsOnLoop()
        guard !Task.isCancelled else { throw .cancelled }
        let transfer = try take(index)
        transfer.prepare(attempt)
        return (transfer, upload(attempt.request, to: transfer))
    }

    /// Makes the attempt that was prepared. Cancelling the task closes its connection.
    func perform(_ transfer: Transfer, _ upload: Upload?) async -> Transfer.Outcome {
        let generation = transfer.generation
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                active[transfer.easy] = transfer
                // Keeps the client until the content has ended.
                transfer.onSettled = { transfer, outcome in
                    transfer.onSettled = nil
                    self.settle(transfer, outcome)
                    self.putBack(transfer)
                }
                transfer.start(continuation, upload: upload)
            }
        } onCancel: {
            // In a turn of its own: whoever cancels may be anywhere.
            loop.submit { [weak self] in self?.cancel(transfer, generation) }
        }
        if case .stream = outcome { return outcome }
        // An idle transfer that held its client would hold it for ever.
        transfer.onSettled = nil
        settle(transfer, outcome)
        putBack(transfer)
        return outcome
    }

    /// What the connection of an attempt shows about its upstream.
    private func settle(_ transfer: Transfer, _ outcome: Transfer.Outcome) {
        let isOdd: Bool
        switch outcome {
        case .answer, .stream:
            isOdd = transfer.hasFoundOddity
            if let socket = transfer.socket { multi.settling.watch(socket, for: Trust.settleTime) }
        case .fault(let fault):
            isOdd = transfer.hasFoundOddity || fault.health == .odd
            if let socket = transfer.socket { multi.settling.drop(socket) }
        }
        if transfer.hasFoundOddity { upstreams[transfer.upstream].turnstile.update { $0.oddityFound() } }
        if isOdd { retireAll(of: transfer.upstream) }
    }

    private func settled(_ upstream: Int, _ verdict: Trust.Verdict) {
        upstreams[upstream].turnstile.update { $0.observed(verdict) }
        if verdict == .noisy { retireAll(of: upstream) }
    }

    private func retireAll(of upstream: Int) {
        if upstreams[upstream].plan.base.scheme != "https" { multi.retireAll(of: upstream) }
    }

    /// What the next attempt is signed with: microseconds since 1970, never the same twice.
    func timestamp() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        lastTimestamp = max(lastTimestamp + 1, now.tv_sec * 1_000_000 + now.tv_nsec / 1000)
        return String(lastTimestamp)
    }

    private func upload(_ request: Request, to transfer: Transfer) -> Upload? {
        guard transfer.isUploading else { return nil }
        let generation = transfer.generation
        return Upload(request.body, loop: loop) { error in
            guard transfer.generation == generation else { return }
            if let error { transfer.abort(.content(error)) } else { transfer.resume() }
        }
    }

    private func take(_ index: Int) throws(Fault) -> Transfer {
        if let transfer = idle[index].popLast() { return transfer }
        let upstream = upstreams[index]
        return try Transfer(
            upstream: index, plan: upstream.plan, filter: upstream.filter, multi: multi, limit: contentLimit,
            silence: silence)
    }

    private func putBack(_ transfer: Transfer) {
        active.removeValue(forKey: transfer.easy)
        guard transfer.isReusable, idle[transfer.upstream].count < upstreams[transfer.upstream].plan.concurrency else {
            return
        }
        idle[transfer.upstream].append(transfer)
    }

    private func cancel(_ transfer: Transfer, _ generation: UInt64) {
        transfer.abort(.cancelled, generation)
    }

    private func ended(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) { active[easy]?.ended(result) }
}
