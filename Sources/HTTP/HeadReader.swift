/// Reads one head from bytes that come bit by bit: line by line, each byte looked at once.
///
/// All positions count from the head's first byte. The result doesn't depend on where the bytes were cut: each check is made
/// when its byte comes or when its line is complete.
struct HeadReader: Sendable {
    /// Where the line begins that is being read.
    private var lineStart = 0
    /// Everything before it has been looked at.
    private var scanned = 0
    private var emptyLines = 0
    private(set) var requestLine: RequestLine?
    private(set) var lines: [Fields.Line] = []
    private var lineCount = 0
    private(set) var connection = ConnectionFields()

    /// Whether `count` bytes are no more than empty lines before a request line.
    func isAtStart(after count: Int) -> Bool { requestLine == nil && count == lineStart }

    /// - Parameter bytes: the head from its beginning, as much as there is.
    /// - Returns: the index past the empty line that ends the head; nil where more is needed.
    mutating func read(_ bytes: Span<UInt8>, _ limits: RequestLimits) throws(GatewayError) -> Int? {
        while let line = try nextLine(bytes, limits) {
            if requestLine == nil {
                if line.isEmpty {
                    emptyLines += 1
                    guard emptyLines <= limits.emptyLines else {
                        throw .malformed("bad-request-line", "Too many empty lines before a request line.")
                    }
                } else {
                    requestLine = try RequestLine(bytes, line, takesOther: limits.takesOtherMethods)
                }
            } else if line.isEmpty {
                return lineStart
            } else {
                try take(bytes, line, limits)
            }
        }
        return nil
    }

    /// The next complete line without its CRLF; nil where more is needed.
    private mutating func nextLine(_ bytes: Span<UInt8>, _ limits: RequestLimits) throws(GatewayError) -> Range<Int>? {
        // The first byte that is too many, for the line and for the head.
        let lineEnd = requestLine == nil ? lineStart + limits.requestLine + 1 : Int.max
        let stop = min(bytes.count, lineEnd, limits.head)
        let cr = requestLine == nil ? scanRequestLine(bytes, stop) : scanFieldLine(bytes, stop)
        scanned = cr
        guard cr < stop else {
            if cr == limits.head {
                throw .refused(.fieldsTooLarge, "head-too-large", "The head is over \(limits.head) bytes.")
            }
            if cr == lineEnd {
                throw .refused(
                    .uriTooLong, "request-line-too-long", "The request line is over \(limits.requestLine) bytes.")
            }
            return nil
        }
        guard bytes[cr] == ASCII.cr else {
            throw .malformed("bad-byte", "A line holds a control or 8-bit byte, or ends in a bare LF.")
        }
        guard cr + 1 < limits.head else {
            throw .refused(.fieldsTooLarge, "head-too-large", "The head is over \(limits.head) bytes.")
        }
        guard cr + 1 < bytes.count else { return nil }
        guard bytes[cr + 1] == ASCII.lf else { throw .malformed("bad-byte", "A CR stands without its LF.") }
        let line = lineStart..<cr
        lineStart = cr + 2
        scanned = lineStart
        return line
    }

    /// The index of the first byte that is not printable ASCII, or `stop`.
    private func scanRequestLine(_ bytes: Span<UInt8>, _ stop: Int) -> Int {
        var index = scanned
        while index < stop, ASCII.isPrintable(bytes[index]) { index += 1 }
        return index
    }

    /// The index of the first byte that may not stand in a field line, or `stop`.
    private func scanFieldLine(_ bytes: Span<UInt8>, _ stop: Int) -> Int {
        var index = scanned
        while index < stop, ASCII.isFieldContent(bytes[index]) { index += 1 }
        return index
    }

    private mutating func take(_ bytes: Span<UInt8>, _ line: Range<Int>, _ limits: RequestLimits) throws(GatewayError) {
        lineCount += 1
        guard lineCount <= limits.lines else {
            throw .refused(.fieldsTooLarge, "too-many-fields", "The head has over \(limits.lines) field lines.")
        }
        let field = try FieldLine(bytes, line)
        let role = field.role(bytes)
        connection.note(bytes, field, role)
        switch role {
        case .content, .host:
            if lines.isEmpty { lines.reserveCapacity(8) }
            lines.append(Fields.Line(name: field.name, value: field.value, end: lineStart))
        case .contentLength, .transferEncoding, .connection, .expect, .hop: break
        }
    }
}
