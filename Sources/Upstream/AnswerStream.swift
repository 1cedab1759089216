internal import HTTP
internal import Loop

/// The content of an answer on its way from an upstream to whoever asked. Confined to its loop, but for its end, which may be anywhere.
///
/// The transfer puts pieces in and pauses once ``window`` bytes wait; taking them out makes it go on, so that a slow reader holds back the
/// upstream. Whoever lets go of the stream before its end closes the upstream's connection.
final class AnswerStream: BodyStream, @unchecked Sendable {
    let length: Int?
    private let loop: EventLoop
    /// Nil once the content has ended.
    private var transfer: Transfer?
    private let generation: UInt64
    private let name: String
    private var buffer: [UInt8] = []
    private var fault: Fault?
    private var reader: CheckedContinuation<Void, Never>?

    /// Bytes that may wait here before the upstream is held back.
    static let window = 64 * 1024

    /// - Parameter name: the upstream's, for errors.
    init(_ transfer: Transfer, length: Int?, loop: EventLoop, name: String) {
        self.transfer = transfer
        generation = transfer.generation
        self.length = length
        self.loop = loop
        self.name = name
    }

    deinit {
        guard let transfer else { return }
        let generation = generation
        loop.submit { transfer.abort(.cancelled, generation) }
    }

    // MARK: The transfer's side

    var isFull: Bool { buffer.count >= Self.window }

    func put(_ bytes: [UInt8]) {
        if buffer.isEmpty { buffer = bytes } else { buffer.append(contentsOf: bytes) }
        wakeReader()
    }

    /// Nothing more will come.
    /// - Parameter fault: why the content isn't complete; nil where it is.
    func end(_ fault: Fault?) {
        self.fault = fault
        transfer = nil
        wakeReader()
    }

    private func wakeReader() {
        reader?.resume()
        reader = nil
    }

    // MARK: The reader's side

    func next() async throws(GatewayError) -> [UInt8]? {
        loop.preconditionIsOnLoop()
        while true {
            if !buffer.isEmpty {
                let piece = buffer
                buffer = []
                transfer?.goOn(generation)
                return piece
            }
            if let fault { throw fault.error(upstream: name) }
            guard transfer != nil else { return nil }
            guard !Task.isCancelled else { throw Fault.cancelled.error(upstream: name) }
            transfer?.goOn(generation)
            if buffer.isEmpty, transfer != nil { await wait() }
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { reader = continuation }
            }
        } onCancel: {
            loop.submit { self.wakeReader() }
        }
    }
}
