internal import HTTP
internal import Threads

/// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) as an answer's content. Events that wait while the client
/// doesn't read are joined: of several in a row of one kind only the last is sent.
final class EventStream: TellingStream {
    let length: Int? = nil
    private let state = Locked(State())

    private struct State {
        var waiting: [(name: String, text: [UInt8])] = []
        var isEnded = false
        var reader: CheckedContinuation<[UInt8]?, Never>?
        var onClose: (@Sendable () -> Void)?
        var onDone: (@Sendable (GatewayError?) -> Void)?
        /// How the work has ended, until somebody was told.
        var result: Result<Void, GatewayError>?

        /// What a reader gets now; nil in the outer optional: nothing yet.
        mutating func take() -> [UInt8]?? {
            if !waiting.isEmpty {
                defer { waiting = [] }
                return .some(waiting.flatMap(\.text))
            }
            return isEnded ? .some(nil) : .none
        }
    }

    /// Called when nobody reads any more.
    var onClose: (@Sendable () -> Void)? {
        get { state.withLock { $0.onClose } }
        set { state.withLock { $0.onClose = newValue } }
    }

    /// - Parameter data: one line.
    func send(_ name: String, _ data: [UInt8]) {
        let text = Array("event: \(name)\ndata: ".utf8) + data + [0x0A, 0x0A]
        change { state in
            if state.waiting.last?.name == name { state.waiting.removeLast() }
            state.waiting.append((name, text))
        }
    }

    /// Nothing more comes.
    /// - Parameter error: what the work behind the events has ended with.
    func end(_ error: GatewayError?) {
        end()
        tell { $0.result = error.map { .failure($0) } ?? .success(()) }
    }

    private func end() { change { $0.isEnded = true } }

    func whenDone(_ body: @escaping @Sendable (GatewayError?) -> Void) { tell { $0.onDone = body } }

    /// Tells who waits for it how the work has ended, where both are there.
    private func tell(_ change: (inout State) -> Void) {
        let due = state.withLock { state -> (@Sendable (GatewayError?) -> Void, GatewayError?)? in
            change(&state)
            guard let onDone = state.onDone, let result = state.result else { return nil }
            (state.onDone, state.result) = (nil, nil)
            if case .failure(let error) = result { return (onDone, error) }
            return (onDone, nil)
        }
        if let (onDone, error) = due { onDone(error) }
    }

    private func change(_ body: (inout State) -> Void) {
        let wake = state.withLock { state -> (CheckedContinuation<[UInt8]?, Never>, [UInt8]?)? in
            body(&state)
            guard let reader = state.reader, let piece = state.take() else { return nil }
            state.reader = nil
            return (reader, piece)
        }
        if let (reader, piece) = wake { reader.resume(returning: piece) }
    }

    func next() async throws(GatewayError) -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let piece = state.withLock { state -> [UInt8]?? in
                    let piece = state.take()
                    if piece == nil { state.reader = continuation }
                    return piece
                }
                if let piece { continuation.resume(returning: piece) }
            }
        } onCancel: {
            onClose?()
            end()
        }
    }
}
