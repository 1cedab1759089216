/// Host and port of a request (RFC 9110, section 4.2, and RFC 3986, section 3.2), from `Host` or the absolute form.
///
/// The host is an IPv6 literal in brackets, or unreserved characters: the further ones that RFC 3986 allows in a registered
/// name (`,` `;` `!` …) stand in no host name, and they confuse whoever reads the name next.
struct Authority {
    let host: Range<Int>
    /// Nil where there is none, also for an empty one.
    let port: Int?

    /// Nil where `range` is no such authority, an empty host and user information included.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        var end = range.lowerBound
        guard end < range.upperBound else { return nil }
        if bytes[end] == UInt8(ascii: "[") {
            guard let close = bytes.first(UInt8(ascii: "]"), in: range),
                Self.isAddress6(bytes, end + 1..<close)
            else { return nil }
            end = close + 1
        } else {
            while end < range.upperBound, Self.isUnreserved(bytes[end]) { end += 1 }
            guard end > range.lowerBound else { return nil }
        }
        host = range.lowerBound..<end
        if end == range.upperBound {
            port = nil
        } else {
            guard bytes[end] == UInt8(ascii: ":") else { return nil }
            let digits = end + 1..<range.upperBound
            guard !digits.isEmpty else {
                port = nil
                return
            }
            guard digits.count <= 5, let number = bytes.decimal(digits), number <= 65_535 else { return nil }
            port = number
        }
    }

    /// Whether both name the same host and port; `standard` is the port of an authority that names none.
    func isSame(as other: Authority, _ bytes: Span<UInt8>, standard: Int) -> Bool {
        guard (port ?? standard) == (other.port ?? standard), host.count == other.host.count else { return false }
        for (left, right) in zip(host, other.host) where ASCII.lowercased(bytes[left]) != ASCII.lowercased(bytes[right])
        {
            return false
        }
        return true
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    /// Whether the bytes look like an IPv6 address: nobody here dials it, so the characters and two colons are enough.
    private static func isAddress6(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var colons = 0
        for index in range {
            switch bytes[index] {
            case UInt8(ascii: ":"): colons += 1
            case UInt8(ascii: "."): continue
            case let byte where ASCII.hexValue(byte) != nil: continue
            default: return false
            }
        }
        return (2...7).contains(colons) && range.count <= 45
    }
}
