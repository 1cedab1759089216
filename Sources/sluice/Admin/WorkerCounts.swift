internal import Admin
internal import Gateway
internal import Loop
internal import Server
internal import Upstream

/// What one worker counts. On its loop, or before that runs: counting takes no lock, and whoever wants to know asks the loop.
final class WorkerCounts: @unchecked Sendable {
    private(set) var figures = ExchangeFigures()

    func note(_ record: ExchangeRecord) {
        figures.answered(
            record.method, route: record.route, record.status, failure: record.failure,
            missingParts: record.missingParts, in: record.total)
    }

    func note(_ attempt: UpstreamAttempt) {
        figures.attempted(attempt.upstream, attempt.status, bytes: attempt.bytes, in: attempt.duration)
    }
}

/// What a worker, or all of them, have done.
struct WorkerFigures: Sendable {
    var exchanges = ExchangeFigures()
    var server = ServerCounts()

    mutating func add(_ other: WorkerFigures) {
        exchanges.add(other.exchanges)
        server = server + other.server
    }
}

/// A value that another thread gives, or that is given up; the first word counts.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value?, Never>)
        case given(Value?)
    }
    private let state = Locked(State.empty)

    func give(_ value: Value?) {
        let waiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .empty: state = .given(value)
            case .waiting(let continuation):
                state = .given(nil)
                return continuation
            case .given: break
            }
            return nil
        }
        waiting?.resume(returning: value)
    }

    /// Asked for once.
    func value() async -> Value? {
        await withCheckedContinuation { continuation in
            let given = state.withLock { state -> Value?? in
                if case .given(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let given { continuation.resume(returning: given) }
        }
    }
}
