internal import HTTP

/// A request's content on its way from the connection to the responder. Confined to the connection's loop.
///
/// The connection reads what comes with the head, and then only while somebody waits for more: content that nobody takes stays in the
/// kernel, and with the client.
final class IncomingContent: BodyStream, @unchecked Sendable {
    let length: Int?
    /// Bytes that nobody has taken.
    private(set) var buffer: [UInt8] = []
    private var end: Result<Void, GatewayError>?
    private var reader: CheckedContinuation<Result<[UInt8]?, GatewayError>, Never>?
    /// Tells the connection that somebody wants content. Nil once the content has ended.
    private var onPull: (() -> Void)?
    private let submit: (@escaping @Sendable () -> Void) -> Void

    /// - Parameters:
    ///   - submit: runs work on the connection's loop.
    ///   - onPull: somebody waits for content.
    init(length: Int?, submit: @escaping (@escaping @Sendable () -> Void) -> Void, onPull: @escaping () -> Void) {
        self.length = length
        self.submit = submit
        self.onPull = onPull
    }

    var isComplete: Bool { end != nil }
    /// Somebody has asked for it.
    private(set) var wasWanted = false
    /// Somebody waits for more.
    var isWanted: Bool { reader != nil }

    // MARK: The connection's side

    func put(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
    }

    /// All is there, or nothing more will come.
    func finish(_ result: Result<Void, GatewayError>) {
        guard end == nil else { return }
        end = result
        if case .failure = result { buffer = [] }
        onPull = nil
        wakeReader()
    }

    /// All content of a complete request, for a responder that needs no stream.
    func takeAll() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    /// Throws away what nobody has taken.
    func discard() { buffer = [] }

    /// Hands what was put in to whoever waits.
    func wakeReader() {
        guard let reader, let piece = ready() else { return }
        self.reader = nil
        reader.resume(returning: piece)
    }

    // MARK: The responder's side

    func next() async throws(GatewayError) -> [UInt8]? {
        wasWanted = true
        if let piece = ready() { return try piece.get() }
        let piece = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(continuation)
            }
        } onCancel: {
            submit { self.cancelReader() }
        }
        return try piece.get()
    }

    private func wait(_ continuation: CheckedContinuation<Result<[UInt8]?, GatewayError>, Never>) {
        guard reader == nil, !Task.isCancelled else { return continuation.resume(returning: .failure(.clientGone)) }
        reader = continuation
        onPull?()
    }

    private func cancelReader() {
        reader?.resume(returning: .failure(.clientGone))
        reader = nil
    }

    /// What a reader gets without waiting.
    private func ready() -> Result<[UInt8]?, GatewayError>? {
        if !buffer.isEmpty { return .success(takeAll()) }
        return switch end {
        case nil: nil
        case .success: .success(nil)
        case .failure(let error): .failure(error)
        }
    }
}

extension GatewayError {
    /// Nobody is there who could read this.
    static let clientGone = GatewayError(
        source: .client, code: "client-gone", status: .requestTimeout, detail: "The client has gone away.")

    static let tooSlow = GatewayError(
        source: .client, code: "request-timeout", status: .requestTimeout,
        detail: "The request took too long to arrive.")

    static let cutRequest = GatewayError(
        source: .client, code: "incomplete-request", status: .badRequest,
        detail: "The request ended before it was complete.")
}
