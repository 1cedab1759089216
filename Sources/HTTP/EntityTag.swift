/// A strong validator of an answer's bytes (RFC 9110, section 8.8.3).
public struct EntityTag: Sendable, Hashable {
    /// With its quotes.
    public let text: String

    /// - Parameter opaque: what stands between the quotes: visible ASCII without a quote.
    public init(_ opaque: String) { text = "\"" + opaque + "\"" }

    /// Whether a value of `If-None-Match` names this tag, by the weak comparison (RFC 9110, section 13.1.2); `*` names every one.
    public func isNamed(by value: String?) -> Bool {
        guard let value else { return false }
        if ASCII.trimmed(value[...]) == "*" { return true }
        // A tag holds no quote, so what stands between two quotes is one.
        var rest = value[...]
        while let open = rest.firstIndex(of: "\"") {
            guard let close = rest[rest.index(after: open)...].firstIndex(of: "\"") else { return false }
            if rest[open...close] == text { return true }
            rest = rest[rest.index(after: close)...]
        }
        return false
    }
}
