internal import CCrypto
internal import HTTP

/// A strong validator of an answer's bytes (RFC 9110, section 8.8.3): the first 128 bits of their SHA-256, and the coding they are sent in.
struct EntityTag: Equatable {
    /// With its quotes.
    let text: String

    init(of content: [UInt8], coding: String?) {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        EVP_Digest(content, content.count, &digest, &length, EVP_sha256(), nil)
        var text = "\""
        for byte in digest.prefix(16) {
            let hex = String(byte, radix: 16)
            text += hex.utf8.count == 1 ? "0" + hex : hex
        }
        if let coding { text += "-" + coding }
        self.text = text + "\""
    }

    /// Whether an `If-None-Match` value names `tag`, by the weak comparison (RFC 9110, section 13.1.2).
    static func list(_ value: String?, matches tag: EntityTag) -> Bool {
        guard let value else { return false }
        if ASCII.trimmed(value[...]) == "*" { return true }
        // A tag holds no quote, so what stands between two quotes is one.
        var rest = value[...]
        while let open = rest.firstIndex(of: "\"") {
            guard let close = rest[rest.index(after: open)...].firstIndex(of: "\"") else { return false }
            if rest[open...close] == tag.text { return true }
            rest = rest[rest.index(after: close)...]
        }
        return false
    }
}
