/// A place in a JSON document (RFC 6901).
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// Member names and array indices from the root on, unescaped.
    public var tokens: [String]

    public init(_ tokens: [String] = []) { self.tokens = tokens }

    /// Nil where `text` is neither empty nor begins with a slash, or holds a `~` that isn't followed by 0 or 1.
    public init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.hasPrefix("/") else { return nil }
        var tokens: [String] = []
        for raw in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            var token = ""
            var rest = raw[...]
            while let character = rest.popFirst() {
                guard character == "~" else {
                    token.append(character)
                    continue
                }
                switch rest.popFirst() {
                case "0": token.append("~")
                case "1": token.append("/")
                default: return nil
                }
            }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    public func appending(_ name: String) -> JSONPointer { JSONPointer(tokens + [name]) }
    public func appending(_ index: Int) -> JSONPointer { JSONPointer(tokens + [String(index)]) }
    public func appending(_ other: JSONPointer) -> JSONPointer { JSONPointer(tokens + other.tokens) }

    public var description: String {
        tokens.map { token in
            "/" + token.reduce(into: "") { $0 += $1 == "~" ? "~0" : $1 == "/" ? "~1" : String($1) }
        }.joined()
    }
}
