internal import HTTP

/// A path with parameters, `/films/{id}/`: literal segments and segments that are one parameter as a whole.
public struct PathTemplate: Sendable, Hashable {
    public enum Segment: Sendable, Hashable {
        /// Decoded text.
        case literal(String)
        case parameter(String)
    }
    public let segments: [Segment]
    public let endsInSlash: Bool
    /// As a contract writes it.
    public let text: String
    /// Each segment as it stands in ``text``, with its slash.
    private let written: [String]

    public init(segments: [Segment], endsInSlash: Bool) {
        self.segments = segments
        self.endsInSlash = endsInSlash
        written = segments.map { segment in
            switch segment {
            case .literal(let text): "/" + PathTemplate.encoded(literal: text)
            case .parameter(let name): "/{" + name + "}"
            }
        }
        text = segments.isEmpty ? "/" : written.joined() + (endsInSlash ? "/" : "")
    }

    /// Nil where `text` doesn't begin with a slash, has an empty, `.` or `..` segment, a query or a fragment, or has braces that
    /// don't enclose a whole segment.
    public init?(_ text: String) {
        guard text.hasPrefix("/"), !text.contains("?"), !text.contains("#") else { return nil }
        var parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let endsInSlash = parts.last == ""
        if endsInSlash { parts.removeLast() }
        var segments: [Segment] = []
        for part in parts {
            if part.hasPrefix("{"), part.hasSuffix("}"), part.count > 2 {
                let name = part.dropFirst().dropLast()
                guard !name.contains("{"), !name.contains("}") else { return nil }
                segments.append(.parameter(String(name)))
            } else {
                guard !part.isEmpty, !part.contains("{"), !part.contains("}"), let text = Percent.decoded(part.utf8),
                    PathTemplate.isSegment(text)
                else { return nil }
                segments.append(.literal(text))
            }
        }
        self.init(segments: segments, endsInSlash: endsInSlash)
    }

    public var parameterNames: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The path with each parameter encoded as exactly one segment.
    ///
    /// - Parameter endsInSlash: the last byte of the path; nil for as the template has it.
    /// - Returns: nil where a parameter is missing, empty, `.` or `..` (also with a `;` suffix), or holds a slash, a backslash or a
    ///   control character: some upstreams decode twice, and a parameter must stay one segment there too.
    public func filled(_ values: [String: String], endsInSlash: Bool? = nil) -> String? {
        var path = ""
        for (segment, written) in zip(segments, written) {
            switch segment {
            case .literal: path += written
            case .parameter(let name):
                guard let value = values[name], PathTemplate.isSegment(value) else { return nil }
                path += "/" + Percent.encoded(value)
            }
        }
        if path.isEmpty { return "/" }
        return path + (endsInSlash ?? self.endsInSlash ? "/" : "")
    }

    /// The parameters of decoded `segments` (without an empty last one), or nil where they don't match.
    public func match(_ segments: some Collection<String>) -> [String: String]? {
        guard segments.count == self.segments.count else { return nil }
        var values: [String: String] = [:]
        for (expected, found) in zip(self.segments, segments) {
            switch expected {
            case .literal(let text): guard text == found else { return nil }
            case .parameter(let name):
                guard !found.isEmpty else { return nil }
                values[name] = found
            }
        }
        return values
    }

    /// Whether a decoded text is one segment of a path for everybody who may read it.
    private static func isSegment(_ text: String) -> Bool {
        let name = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        return !text.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }
    }

    /// A literal as a contract's author would write it: what RFC 3986, section 3.3, allows in a segment stays.
    private static func encoded(literal text: String) -> String {
        text.unicodeScalars.map { scalar in
            "!$&'()*+,;=:@".unicodeScalars.contains(scalar) ? String(scalar) : Percent.encoded(String(scalar))
        }.joined()
    }
}
