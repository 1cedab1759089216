/// The content of a message.
public enum Body: Sendable {
    /// No content.
    case none
    /// All of it, in memory.
    case bytes([UInt8])
    /// Content that arrives piece by piece.
    case stream(any BodyStream)

    /// The number of bytes, where it is known before reading.
    public var length: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .stream(let stream): stream.length
        }
    }

    public var isEmpty: Bool { length == 0 }

    /// Reads everything.
    /// - Throws: `GatewayError` 413 once more than `limit` bytes came, or what the stream throws.
    public func collected(limit: Int) async throws(GatewayError) -> [UInt8] {
        switch self {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let stream):
            if let length = stream.length, length > limit { throw .contentTooLarge(limit: limit) }
            var all: [UInt8] = []
            while let piece = try await stream.next() {
                guard piece.count <= limit - all.count else { throw .contentTooLarge(limit: limit) }
                all.append(contentsOf: piece)
            }
            return all
        }
    }
}

/// Content that is pulled: nothing is read from the peer until somebody asks, so a slow reader holds back a fast sender.
public protocol BodyStream: AnyObject, Sendable {
    /// The number of bytes in all, where the sender said so.
    var length: Int? { get }

    /// The next piece, never empty; nil at the end.
    ///
    /// One caller at a time, on the loop of the connection that the content comes from.
    /// - Throws: `GatewayError` where the sender broke the framing, was too slow, sent too much or went away.
    func next() async throws(GatewayError) -> [UInt8]?
}

/// An answer's content that says at its end whether what it tells of went well: its head can't.
public protocol TellingStream: BodyStream {
    /// Has `body` called once, where the work behind the stream ends or at once where it has: with the error that it ended with.
    func whenDone(_ body: @escaping @Sendable (GatewayError?) -> Void)
}
