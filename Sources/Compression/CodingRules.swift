internal import HTTP

/// Decides which answers are worth coding.
///
/// Whoever codes an answer also sends `Vary: Accept-Encoding` (on the uncoded form too, see `isWorthCoding`), gives the coded form an
/// entity tag of its own, and leaves an answer with `Cache-Control: no-transform` alone (RFC 9110, section 7.7).
public struct CodingRules: Sendable {
    /// Content of fewer bytes is left alone: it fits one packet as it is.
    public var minimumSize: Int

    public init(minimumSize: Int = 860) {
        self.minimumSize = minimumSize
    }

    /// The coding for content of `length` bytes, or nil where it should go as it is.
    ///
    /// A client that refuses uncoded content gets a coding whatever the length and type; where it takes none of ours either,
    /// the answer is nil, and sending the content as it is remains the useful choice.
    public func coding(acceptEncoding: String?, contentType: String?, length: Int) -> ContentCoding? {
        guard let acceptEncoding else { return nil }
        let accepted = AcceptEncoding(acceptEncoding)
        guard accepted.allowsIdentity else { return accepted.best }
        return isWorthCoding(contentType: contentType, length: length) ? accepted.best : nil
    }

    /// Whether content of this type and length gets smaller by coding: text, JSON, XML and their like. What is compressed already
    /// (images, fonts, archives), event streams and unknown types are left alone.
    public func isWorthCoding(contentType: String?, length: Int) -> Bool {
        guard length >= minimumSize, let contentType else { return false }
        let essence = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
        let type = String(decoding: essence.map(ASCII.lowercased), as: UTF8.self)
        if type == "text/event-stream" { return false }
        return type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml") || Self.types.contains(type)
    }

    private static let types: Set<String> = [
        "application/json", "application/xml", "application/javascript", "application/yaml", "application/x-ndjson",
        "application/wasm", "application/x-www-form-urlencoded", "image/bmp", "font/ttf",
    ]
}
