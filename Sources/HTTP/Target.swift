/// A request target (RFC 9112, section 3.2) after the parser has checked it: visible ASCII, each `%` followed by two
/// hexadecimal digits, no fragment.
public struct Target: Sendable, Hashable {
    /// The path as it was sent, beginning with `/`; `*` for the asterisk form of OPTIONS.
    public let path: String
    /// What follows the first `?`, as it was sent; nil where there is no `?`.
    public let query: String?

    public init(path: String, query: String? = nil) {
        self.path = path
        self.query = query
    }

    /// Splits `text` at its first `?`.
    public init(_ text: String) {
        if let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) {
            path = String(text[..<mark])
            query = String(text[text.index(after: mark)...])
        } else {
            path = text
            query = nil
        }
    }

    /// Path and query as they stand on the wire.
    public var text: String { query.map { path + "?" + $0 } ?? path }

    /// The decoded segments of the path, without the leading slash; a path that ends in a slash has an empty last one
    /// (`/films/1/` → `["films", "1", ""]`). Nil where a segment can't be decoded, is `.` or `..` (also with a `;` suffix,
    /// encoded or not), or holds a slash or backslash: no such path names a route.
    public var segments: [String]? {
        var segments: [String] = []
        for raw in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let segment = Percent.decoded(raw) else { return nil }
            let name = segment.prefix { $0 != ";" }
            guard name != ".", name != "..", !segment.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C }) else {
                return nil
            }
            segments.append(segment)
        }
        return segments
    }

    /// Whether a path has a segment that is `.` or `..` for anybody who may read it: encoded, encoded again, behind an encoded slash or a
    /// backslash, or with a `;` suffix. Such a path may lead out of the folder that it seems to be in.
    public static func climbs(_ path: some StringProtocol) -> Bool {
        var bytes = Array(path.utf8)
        for _ in 0..<4 {
            let segments = bytes.split(omittingEmptySubsequences: true) { $0 == 0x2F || $0 == 0x5C }
            let names = segments.map { $0.prefix { $0 != UInt8(ascii: ";") } }
            if names.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) { return true }
            guard let decoded = decodedOnce(bytes) else { return false }
            bytes = decoded
        }
        // Who encodes so often hides something.
        return true
    }

    /// The bytes with each sound escape decoded; nil where there is none.
    private static func decodedOnce(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(UInt8(ascii: "%")) else { return nil }
        var decoded: [UInt8] = []
        var hasDecoded = false
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = ASCII.hexValue(bytes[index + 1]), let low = ASCII.hexValue(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                hasDecoded = true
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return hasDecoded ? decoded : nil
    }

    /// The decoded query pairs in order; a name without `=` has an empty value, empty pairs are left out. `nil` where a name or
    /// value can't be decoded.
    public var pairs: [(name: String, value: String)]? {
        guard let query, !query.isEmpty else { return [] }
        var pairs: [(name: String, value: String)] = []
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = Percent.decoded(pair[..<equals], plusIsSpace: true),
                let value = Percent.decoded(pair[equals...].dropFirst(), plusIsSpace: true)
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    /// The query without the pairs whose decoded names are in `names`; the others stay as they were sent, and nil where none is left.
    public func query(without names: Set<String>) -> String? {
        guard let query, !names.isEmpty else { return query }
        let all = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = all.filter { pair in
            let name = pair.utf8.prefix { $0 != UInt8(ascii: "=") }
            return !names.contains(
                Percent.decoded(name, plusIsSpace: true) ?? String(decoding: name, as: UTF8.self))
        }
        if kept.count == all.count { return query }
        return kept.isEmpty ? nil : kept.joined(separator: "&")
    }

    /// `pairs` as a query: each name and value encoded once, joined by `&`; nil where there are none.
    public static func query(_ pairs: [(name: String, value: String)]) -> String? {
        if pairs.isEmpty { return nil }
        return pairs.map { Percent.encoded($0.name) + "=" + Percent.encoded($0.value) }.joined(separator: "&")
    }
}
