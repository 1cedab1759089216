internal import HTTP
internal import Loop

/// The content of a request on its way to an upstream. Confined to its loop.
///
/// libcurl pulls: while the client's next bytes aren't there, the transfer is paused, so that a slow upstream holds back the client
/// and at most one piece is kept.
final class Upload: @unchecked Sendable {
    enum Read {
        /// So many bytes are in the buffer; 0 is the end.
        case bytes(Int)
        /// Nothing yet; `onReady` is called once there is.
        case later
        /// The content is longer or shorter than it said.
        case mismatch
    }

    private let loop: EventLoop
    private let stream: (any BodyStream)?
    private let length: Int?
    private var piece: [UInt8]
    private var offset = 0
    private var sent = 0
    private var isAtEnd: Bool
    private var isFetching = false
    private var isCancelled = false
    private var fetch: Task<Void, Never>?
    private let onReady: @Sendable (GatewayError?) -> Void

    /// - Parameter onReady: called on the loop, never from within ``read(into:)``: there is more to read, or the stream has failed.
    init(_ body: Body, loop: EventLoop, onReady: @escaping @Sendable (GatewayError?) -> Void) {
        self.loop = loop
        self.onReady = onReady
        length = body.length
        switch body {
        case .none: (piece, stream, isAtEnd) = ([], nil, true)
        case .bytes(let bytes): (piece, stream, isAtEnd) = (bytes, nil, true)
        case .stream(let stream): (piece, self.stream, isAtEnd) = ([], stream, false)
        }
    }

    static let mismatch = GatewayError(
        source: .client, code: "content-incomplete", status: .badRequest,
        detail: "The request's content is not as long as it said.")

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
        if offset == piece.count {
            guard !isAtEnd else { return length.map { $0 == sent } ?? true ? .bytes(0) : .mismatch }
            fetchNext()
            return .later
        }
        let count = min(buffer.count, piece.count - offset)
        // More than was announced would be read as the next request.
        if let length, count > length - sent { return .mismatch }
        piece.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
        }
        offset += count
        sent += count
        // A slow upstream holds no more than what libcurl has of it.
        if offset == piece.count { (piece, offset) = ([], 0) }
        return .bytes(count)
    }

    /// Whether all has been read.
    var isFinished: Bool { isAtEnd && offset == piece.count }

    /// Nobody reads any more.
    func cancel() {
        isCancelled = true
        fetch?.cancel()
    }

    private func fetchNext() {
        guard !isFetching, let stream else { return }
        isFetching = true
        // In a later turn: libcurl is waiting for `read` to return.
        loop.submit { [self] in
            guard !isCancelled else { return }
            fetch = loop.start { [self] in
                do throws(GatewayError) {
                    arrived(try await stream.next())
                } catch {
                    failed(error)
                }
            }
        }
    }

    private func arrived(_ next: [UInt8]?) {
        isFetching = false
        // The task would keep its memory as long as it is named.
        fetch = nil
        guard !isCancelled else { return }
        piece = next ?? []
        offset = 0
        isAtEnd = next == nil
        onReady(nil)
    }

    private func failed(_ error: GatewayError) {
        isFetching = false
        if !isCancelled { onReady(error) }
    }
}
