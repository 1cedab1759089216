internal import HTTP
internal import Loop
public import Plan
internal import Threads

/// What all workers share about the upstreams: who may ask now, and how often was asked. One for the process; from any thread.
public final class UpstreamShared: Sendable {
    /// The upstreams; everything else names one by its place here.
    public let plans: [UpstreamPlan]
    let turnstiles: [Turnstile]

    public init(plans: [UpstreamPlan]) {
        self.plans = plans
        turnstiles = plans.map { Turnstile(Admission($0)) }
    }

    /// - Parameter quietConnections: see ``Trust``; 0 where connections are used again from the start.
    init(plans: [UpstreamPlan], quietConnections: Int) {
        self.plans = plans
        turnstiles = plans.map { Turnstile(Admission($0, quietConnections: quietConnections)) }
    }

    /// What was sent to an upstream that allows us only so many requests.
    public struct QuotaUse: Sendable {
        /// Of the upstream: the same for the same name and address.
        public let name: String
        public let window: Duration
        /// Requests since the start, retries included.
        public let sent: Int
    }

    /// The upstreams whose contract has a quota.
    public var quotaUses: [QuotaUse] {
        zip(plans, turnstiles).compactMap { plan, turnstile in
            plan.quota.map {
                QuotaUse(name: plan.quotaName, window: $0.window, sent: turnstile.update { $0.counts.calls })
            }
        }
    }

    /// Other machines have sent so many requests to an upstream in its quota's window.
    public func noteQuota(of name: String, others: Int) {
        for (plan, turnstile) in zip(plans, turnstiles) where plan.quotaName == name {
            turnstile.update { $0.noteOthers(others, at: .now) }
        }
    }

    /// The counts of each upstream by its name.
    public var snapshot: [String: UpstreamCounts] {
        var all: [String: UpstreamCounts] = [:]
        for (plan, turnstile) in zip(plans, turnstiles) { all[plan.name] = turnstile.counts }
        return all
    }
}

/// One upstream's ``Admission`` and the requests that wait in line, from all workers.
final class Turnstile: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Stop: Error {
        case refused(Admission.Refusal)
        case fault(Fault)
    }

    private struct State: Sendable {
        var admission: Admission
        var waiters: [UInt64: CheckedContinuation<Turn, Never>] = [:]
        var lastID: UInt64 = 0
    }

    /// How a wait ended.
    private enum Turn: Sendable {
        /// There was no need to wait, or no use.
        case decided(Admission.Entry)
        case place
        case givenUp
    }

    private let state: Locked<State>

    init(_ admission: Admission) { state = Locked(State(admission: admission)) }

    var counts: UpstreamCounts { update { $0.counts(at: .now) } }

    /// Reads or changes the rules' state.
    func update<Result>(_ body: (inout Admission) -> Result) -> Result { state.withLock { body(&$0.admission) } }

    /// Takes a place, after a wait in line where all are taken. Whoever gets a ticket calls ``leave()`` once.
    /// - Parameters:
    ///   - target: names what is asked for; see ``Breaker``.
    ///   - loop: the caller's.
    func enter(_ target: Int, on loop: EventLoop, deadline: Instant?) async throws(Stop) -> Admission.Ticket {
        let now = Instant.now
        let (id, entry) = state.withLock { state in
            state.lastID &+= 1
            let id = state.lastID
            // In line only together with the continuation, below.
            guard state.admission.gate.isOpen else { return (id, Admission.Entry.waiting) }
            return (id, state.admission.enter(id, target, at: now))
        }
        switch entry {
        case .inside(let ticket): return ticket
        case .refused(let refusal): throw .refused(refusal)
        case .waiting: return try await waitInLine(id, target, on: loop, deadline: deadline)
        }
    }

    /// Gives the place back.
    func leave() {
        let next = state.withLock { state in
            state.admission.leave().flatMap { state.waiters.removeValue(forKey: $0) }
        }
        next?.resume(returning: .place)
    }

    private func waitInLine(_ id: UInt64, _ target: Int, on loop: EventLoop, deadline: Instant?) async throws(Stop)
        -> Admission.Ticket
    {
        let timer = deadline.map { deadline in
            let timer = LoopTimer(loop: loop) { self.giveUp(id) }
            timer.start(after: Instant.now.duration(to: deadline))
            return timer
        }
        let turn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn: Turn? = state.withLock { state in
                    // A cancellation from now on finds the waiter.
                    if Task.isCancelled { return .givenUp }
                    let entry = state.admission.enter(id, target, at: .now)
                    guard entry == .waiting else { return .decided(entry) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            giveUp(id)
        }
        timer?.stop()
        return try ticket(for: turn, target)
    }

    private func ticket(for turn: Turn, _ target: Int) throws(Stop) -> Admission.Ticket {
        switch turn {
        case .decided(.inside(let ticket)): return ticket
        case .decided(.refused(let refusal)): throw .refused(refusal)
        case .decided(.waiting), .givenUp: throw .fault(Task.isCancelled ? .cancelled : .timedOut(isFull: false))
        case .place:
            do throws(Admission.Refusal) {
                return try state.withLock { state throws(Admission.Refusal) in
                    try state.admission.resumed(target, at: .now)
                }
            } catch {
                leave()
                throw .refused(error)
            }
        }
    }

    private func giveUp(_ id: UInt64) {
        let waiter = state.withLock { state in
            state.admission.giveUp(id) ? state.waiters.removeValue(forKey: id) : nil
        }
        waiter?.resume(returning: .givenUp)
    }
}

extension UpstreamPlan {
    /// What its quota is counted under.
    fileprivate var quotaName: String { name + " " + base.text }
}
