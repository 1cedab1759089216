/// Turns the bytes of a connection into requests, strictly by RFC 9112: a pure state machine without sockets or clocks.
///
/// Feed it with ``next(in:at:)`` until it is starved, again and again. What comes out depends on the bytes alone, not on how they
/// were cut. It keeps at most the head that is being read; each byte is looked at once or twice.
///
/// After an error the stream can't be read on: answer the error and close.
public struct RequestParser: Sendable {
    public enum Event: Sendable {
        /// A request begins. Its content follows as `content` and `end`, neither of them where its framing is `none`.
        case head(RequestHead)
        /// These bytes of the input are content.
        case content(Range<Int>)
        /// The request is complete; the next byte begins another one.
        case end
        /// All input is used up.
        case starved
    }

    private enum State {
        case head
        /// So many bytes of content are still to come.
        case content(Int)
        case chunked(ChunkedDecoder)
        case end
        case failed
    }

    private let limits: RequestLimits
    private let names: [String]
    private var state = State.head
    private var reader = HeadReader()
    /// A head that is not complete, from its first byte.
    private var partialHead: [UInt8] = []

    /// - Parameter names: authorities (`host` or `host:port`, lower case) besides `Host` that the absolute form may name.
    public init(limits: RequestLimits = RequestLimits(), names: [String] = []) {
        self.limits = limits
        self.names = names
    }

    /// Whether the last request is complete and nothing of a next one has come.
    public var isBetweenRequests: Bool {
        if case .head = state { return reader.isAtStart(after: partialHead.count) }
        return false
    }

    /// Whether `end` comes next, without a further byte.
    public var isAtEnd: Bool {
        if case .end = state { return true }
        return false
    }

    /// Whether the request being read, or the one that failed, is a HEAD: its answer has no content.
    public private(set) var isHead = false

    /// Reads on from `position`, which moves past what was used.
    /// - Throws: `GatewayError` with the status that the client is owed: 400, 413, 414, 417, 421, 431, 501 or 505.
    public mutating func next(in input: Span<UInt8>, at position: inout Int) throws(GatewayError) -> Event {
        do throws(GatewayError) {
            switch state {
            case .head: return try readHead(input, &position)
            case .content(let left): return readContent(input, &position, left)
            case .chunked(let decoder): return try readChunks(input, &position, decoder)
            case .end:
                state = .head
                return .end
            case .failed: throw .malformed("bad-request", "The connection's earlier bytes were no request.")
            }
        } catch {
            isHead = isHead || reader.requestLine?.method == .head
            partialHead = []
            state = .failed
            throw error
        }
    }

    // MARK: Head

    private mutating func readHead(_ input: Span<UInt8>, _ position: inout Int) throws(GatewayError) -> Event {
        if partialHead.isEmpty {
            guard position < input.count else { return .starved }
            isHead = false
            let rest = input.extracting(position..<input.count)
            guard let end = try reader.read(rest, limits) else {
                rest.withUnsafeBufferPointer { partialHead.append(contentsOf: $0) }
                position = input.count
                return .starved
            }
            position += end
            return .head(try takeHead(rest))
        }
        // The reader refuses a head over the limit, so no more than that is ever kept.
        let before = partialHead.count
        let count = min(input.count - position, max(limits.head - before, 0) + 1)
        guard count > 0 else { return .starved }
        input.extracting(position..<position + count).withUnsafeBufferPointer { partialHead.append(contentsOf: $0) }
        let bytes = partialHead
        guard let end = try reader.read(bytes.span, limits) else {
            position += count
            return .starved
        }
        partialHead = []
        position += end - before
        return .head(try takeHead(bytes.span))
    }

    /// The checked head in `bytes`; the state moves on to its content.
    private mutating func takeHead(_ bytes: Span<UInt8>) throws(GatewayError) -> RequestHead {
        guard let line = reader.requestLine else { throw .malformed("bad-request-line", "There is no request line.") }
        isHead = line.method == .head
        let connection = reader.connection
        let framing = try connection.framing(bytes, isVersion10: line.isVersion10, limit: limits.content)
        let head = RequestHead(
            method: line.method, target: line.target,
            fields: Fields(adopting: Self.endToEnd(reader.lines, connection.nominated, bytes), from: bytes),
            authority: try connection.authority(bytes, line, names: names), framing: framing,
            isVersion10: line.isVersion10,
            keepsAlive: connection.keepsAlive(isVersion10: line.isVersion10),
            expectsContinue: try connection.expectsContinue(isVersion10: line.isVersion10, framing: framing))
        reader = HeadReader()
        switch framing {
        case .none: state = .head
        case .length(let count): state = .content(count)
        case .chunked: state = .chunked(ChunkedDecoder(limits: limits))
        }
        return head
    }

    /// `lines` without those that `Connection` names (RFC 9110, section 7.6.1).
    private static func endToEnd(_ lines: [Fields.Line], _ nominated: [Range<Int>], _ bytes: Span<UInt8>) -> [Fields
        .Line]
    {
        guard !nominated.isEmpty else { return lines }
        var names: Set<String> = []
        for range in nominated { names.insert(bytes.lowercased(range)) }
        var kept: [Fields.Line] = []
        for line in lines where !names.contains(bytes.lowercased(line.name)) { kept.append(line) }
        return kept
    }

    // MARK: Content

    private mutating func readContent(_ input: Span<UInt8>, _ position: inout Int, _ left: Int) -> Event {
        let count = min(left, input.count - position)
        guard count > 0 else { return .starved }
        let content = position..<position + count
        position += count
        state = count == left ? .end : .content(left - count)
        return .content(content)
    }

    private mutating func readChunks(
        _ input: Span<UInt8>, _ position: inout Int, _ decoder: ChunkedDecoder
    ) throws(GatewayError) -> Event {
        var decoder = decoder
        let event = try decoder.next(input, &position, limits)
        state = .chunked(decoder)
        switch event {
        case .content(let range): return .content(range)
        case .starved: return .starved
        case .end:
            state = .head
            return .end
        }
    }
}
