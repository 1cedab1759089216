internal import Threads

/// A value that another thread gives, or that is given up; the first word counts.
public final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value?, Never>)
        case given(Value?)
    }
    private let state = Locked(State.empty)

    public init() {}

    /// From any thread; nil gives up.
    public func give(_ value: Value?) {
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

    /// The value, or nil where it was given up. Asked for once.
    public func value() async -> Value? {
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
