/// One field line (RFC 9112, section 5): a token, a colon right after it, a value with optional blanks around it.
///
/// The fields that belong to a connection and not to the request (RFC 9110, section 7.6.1) are known by ``Role``.
struct FieldLine {
    /// What a field means to the connection.
    enum Role {
        /// Passed on as it is.
        case content
        /// Passed on, and names the authority.
        case host
        case contentLength
        case transferEncoding
        case connection
        case expect
        /// Another field that goes from hop to hop: dropped.
        case hop
    }

    let name: Range<Int>
    let value: Range<Int>

    /// - Parameter line: without its CRLF, not empty, free of control bytes but tabs.
    init(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(GatewayError) {
        guard !ASCII.isBlank(bytes[line.lowerBound]) else {
            throw .malformed("folded-field", "A field line begins with a blank.")
        }
        var colon = line.lowerBound
        while colon < line.upperBound, Token.contains(bytes[colon]) { colon += 1 }
        guard colon < line.upperBound, bytes[colon] == UInt8(ascii: ":"), colon > line.lowerBound else {
            throw .malformed("bad-field-name", "A field line has no name that is a token with a colon right after it.")
        }
        name = line.lowerBound..<colon
        value = bytes.trimmed(colon + 1..<line.upperBound)
    }

    func role(_ bytes: Span<UInt8>) -> Role { Role(bytes.extracting(name)) }
}

extension FieldLine.Role {
    init(_ name: Span<UInt8>) {
        self =
            switch name.count {
            case 2: name.folds(to: "te") ? .hop : .content
            case 4: name.folds(to: "host") ? .host : .content
            case 6: name.folds(to: "expect") ? .expect : .content
            case 7: name.folds(to: "upgrade") || name.folds(to: "trailer") ? .hop : .content
            case 10: name.folds(to: "connection") ? .connection : name.folds(to: "keep-alive") ? .hop : .content
            case 14: name.folds(to: "content-length") ? .contentLength : .content
            case 16: name.folds(to: "proxy-connection") ? .hop : .content
            case 17: name.folds(to: "transfer-encoding") ? .transferEncoding : .content
            default: .content
            }
    }
}
