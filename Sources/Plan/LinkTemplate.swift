/// An operation's upstream path as bytes, to be compared with what stands behind a base in an address.
final class LinkTemplate: Sendable {
    static let slash = UInt8(ascii: "/")

    /// Index into `Plan.operations`.
    let operation: Int
    /// Index into `Plan.upstreams`.
    let upstream: Int
    let path: PathTemplate
    /// The path's parameters in their order.
    let names: [String]
    /// A slash and the text of a literal segment; empty for a parameter.
    private let segments: [[UInt8]]

    init(operation: Int, upstream: Int, path: PathTemplate) {
        self.operation = operation
        self.upstream = upstream
        self.path = path
        segments = path.segments.map { segment in
            if case .literal(let text) = segment { Array(("/" + text).utf8) } else { [] }
        }
        names = path.parameterNames
    }

    /// Where the path that begins at `start` ends: at its query or at the end of the address. Nil where it holds anything that has to be
    /// decoded or looked at (RFC 3986, section 2.3), an empty segment, or one that begins with a dot.
    static func plainEnd(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var previous: UInt8 = 0
        for index in start..<bytes.count {
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                break
            case UInt8(ascii: "."): if previous == slash { return nil }
            case slash: if previous == slash { return nil }
            case UInt8(ascii: "?"): return isPlainQuery(bytes, from: index + 1) ? index : nil
            default: return nil
            }
            previous = byte
        }
        return bytes.count
    }

    private static func isPlainQuery(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        for index in start..<bytes.count {
            let byte = bytes[index]
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#"), byte != UInt8(ascii: "\\") else {
                return false
            }
        }
        return true
    }

    /// Whether the plain `path` of an address has this form; a slash at its end may be there or not.
    func fits(_ bytes: UnsafeBufferPointer<UInt8>, _ path: Range<Int>) -> Bool {
        walk(bytes, path) { _ in }
    }

    /// The parameters' texts in their order, or nil where the path doesn't fit.
    func values(_ bytes: UnsafeBufferPointer<UInt8>, _ path: Range<Int>) -> [String]? {
        var values: [String] = []
        values.reserveCapacity(names.count)
        let fits = walk(bytes, path) { values.append(String(decoding: bytes[$0], as: UTF8.self)) }
        return fits ? values : nil
    }

    @inline(__always)
    private func walk(
        _ bytes: UnsafeBufferPointer<UInt8>, _ path: Range<Int>, _ parameter: (Range<Int>) -> Void
    ) -> Bool {
        var position = path.lowerBound
        for segment in segments {
            guard position < path.upperBound, bytes[position] == LinkTemplate.slash else { return false }
            if segment.isEmpty {
                let start = position + 1
                position = start
                while position < path.upperBound, bytes[position] != LinkTemplate.slash { position += 1 }
                guard position > start else { return false }
                parameter(start..<position)
            } else {
                guard path.upperBound - position >= segment.count else { return false }
                for byte in segment {
                    guard bytes[position] == byte else { return false }
                    position += 1
                }
            }
        }
        return position == path.upperBound
            || (position + 1 == path.upperBound && bytes[position] == LinkTemplate.slash)
    }
}

/// The beginning of addresses that mean one upstream: scheme, authority and base path as they are usually written.
struct LinkPrefix: Sendable {
    let bytes: [UInt8]
    let upstream: Int

    /// Whether `address` begins with this text, and a path, a query or nothing follows.
    func begins(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
        guard address.count >= bytes.count else { return false }
        // Addresses of different upstreams mostly differ at the end of the authority or base, not at the beginning.
        for index in bytes.indices.reversed() where bytes[index] != address[index] { return false }
        return address.count == bytes.count || address[bytes.count] == LinkTemplate.slash
            || address[bytes.count] == UInt8(ascii: "?")
    }

    static func all(of upstreams: [UpstreamPlan]) -> [LinkPrefix] {
        upstreams.enumerated().flatMap { index, upstream in
            ([upstream.base] + upstream.aliases).flatMap { base in
                let schemes =
                    base.hasDefaultPort
                    ? ["https", "http"] : [base.scheme, base.scheme == "http" ? "https" : "http"]
                return schemes.map { scheme in
                    LinkPrefix(
                        bytes: Array("\(scheme)://\(base.authority)\(base.path)".utf8), upstream: index)
                }
            }
        }
    }

    /// The prefixes of `upstream` and those that go on from one of them, then the others; of each the longest first.
    static func ordered(_ prefixes: [LinkPrefix], first upstream: Int) -> [LinkPrefix] {
        let own = prefixes.filter { $0.upstream == upstream }
        func isNear(_ prefix: LinkPrefix) -> Bool {
            prefix.upstream == upstream || own.contains { prefix.bytes.starts(with: $0.bytes) }
        }
        return [prefixes.filter(isNear), prefixes.filter { !isNear($0) }].flatMap { group in
            group.sorted { $0.bytes.count > $1.bytes.count }
        }
    }
}
