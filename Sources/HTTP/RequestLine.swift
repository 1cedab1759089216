/// A request line (RFC 9112, section 3): `method SP request-target SP HTTP-version`, single blanks, nothing else.
struct RequestLine: Sendable {
    var method: Method
    var target: Target
    /// What the absolute form names: lower-case scheme and where the authority stands in the head.
    var absolute: (isSecure: Bool, authority: Range<Int>)?
    var isVersion10: Bool

    /// - Parameters:
    ///   - bytes: the head so far.
    ///   - line: the line in it, without CRLF; printable ASCII only.
    ///   - takesOther: methods that nobody here implements are taken too.
    init(_ bytes: Span<UInt8>, _ line: Range<Int>, takesOther: Bool) throws(GatewayError) {
        let blank = UInt8(ascii: " ")
        guard let first = bytes.first(blank, in: line), first > line.lowerBound,
            let second = bytes.first(blank, in: first + 1..<line.upperBound), second > first + 1
        else {
            throw .malformed(
                "bad-request-line", "A request line is a method, a target and a version, one blank between each.")
        }
        let name = bytes.extracting(line.lowerBound..<first)
        for index in name.indices where !Token.contains(name[index]) {
            throw .malformed("bad-method", "The method is no token.")
        }
        isVersion10 = try Self.version(bytes.extracting(second + 1..<line.upperBound))
        guard let method = Method(name) ?? (takesOther ? Method(other: name) : nil) else { throw .unknownMethod() }
        self.method = method
        try Self.checkEscapes(bytes, first + 1..<second)
        let form = try TargetForm(bytes, first + 1..<second)
        absolute = form.absolute
        target = form.target
        if target.path == "*", method != .options {
            throw .malformed("bad-target", "The target * is for OPTIONS only.")
        }
    }

    /// Whether the version is 1.0. Any other 1.x is served as 1.1 (RFC 9110, section 2.5).
    private static func version(_ bytes: Span<UInt8>) throws(GatewayError) -> Bool {
        guard bytes.count == 8, bytes.extracting(0..<5).spells("HTTP/"), ASCII.isDigit(bytes[5]),
            bytes[6] == UInt8(ascii: "."), ASCII.isDigit(bytes[7])
        else { throw .malformed("bad-version", "The request line doesn't end in a version such as HTTP/1.1.") }
        guard bytes[5] == UInt8(ascii: "1") else {
            throw .refused(.versionNotSupported, "version-not-supported", "HTTP/1.1 is spoken here.")
        }
        return bytes[7] == UInt8(ascii: "0")
    }

    /// Each `%` needs two hexadecimal digits, and a fragment is never sent.
    private static func checkEscapes(_ bytes: Span<UInt8>, _ target: Range<Int>) throws(GatewayError) {
        var index = target.lowerBound
        while index < target.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "%"):
                guard index + 2 < target.upperBound, ASCII.hexValue(bytes[index + 1]) != nil,
                    ASCII.hexValue(bytes[index + 2]) != nil
                else { throw .malformed("bad-target", "A % in the target isn't followed by two hexadecimal digits.") }
                index += 3
            case UInt8(ascii: "#"): throw .malformed("bad-target", "The target has a fragment.")
            default: index += 1
            }
        }
    }
}

/// The forms of a request target (RFC 9112, section 3.2). The authority form belongs to CONNECT, which nobody here knows.
private struct TargetForm {
    var target: Target
    var absolute: (isSecure: Bool, authority: Range<Int>)?

    init(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(GatewayError) {
        if bytes[range.lowerBound] == UInt8(ascii: "/") {
            target = Self.split(bytes, range)
        } else if range.count == 1, bytes[range.lowerBound] == UInt8(ascii: "*") {
            target = Target(path: "*")
        } else {
            let (isSecure, start) = try Self.scheme(bytes, range)
            var end = start
            while end < range.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
            absolute = (isSecure, start..<end)
            target = Self.split(bytes, end..<range.upperBound)
        }
    }

    private static func scheme(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(GatewayError) -> (Bool, Int) {
        if range.count >= 7, bytes.extracting(range.lowerBound..<range.lowerBound + 7).folds(to: "http://") {
            return (false, range.lowerBound + 7)
        }
        if range.count >= 8, bytes.extracting(range.lowerBound..<range.lowerBound + 8).folds(to: "https://") {
            return (true, range.lowerBound + 8)
        }
        throw .malformed(
            "bad-target", "The target is neither a path nor an address that begins with http:// or https://.")
    }

    /// Path and query; an empty path is `/`.
    private static func split(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Target {
        let mark = bytes.first(UInt8(ascii: "?"), in: range)
        guard let mark else { return Target(path: path(bytes, range)) }
        return Target(
            path: path(bytes, range.lowerBound..<mark), query: bytes.extracting(mark + 1..<range.upperBound).ascii)
    }

    private static func path(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        range.isEmpty ? "/" : bytes.extracting(range).ascii
    }
}
