internal import HTTP

/// The address that an upstream's paths are appended to: scheme, host, port and a path without a trailing slash.
public struct BaseURL: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// Lower case; an IPv6 address in its brackets.
    public let host: String
    public let port: Int
    /// `/api`, or empty.
    public let path: String

    init(scheme: String, host: String, port: Int, path: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// Nil where `text` is no `http` or `https` address of visible ASCII, or has user information, a query, a fragment, a bad
    /// host or a bad port.
    public init?(_ text: String) {
        guard let (scheme, host, port, rest) = BaseURL.split(text), !rest.contains("?"), !rest.contains("#") else {
            return nil
        }
        self.scheme = scheme
        self.host = host
        self.port = port
        var path = rest
        while path.hasSuffix("/") { path = path.dropLast() }
        self.path = String(path)
    }

    /// Whether the port is the scheme's own.
    public var hasDefaultPort: Bool { port == (scheme == "https" ? 443 : 80) }

    /// Host and, where it isn't the scheme's own, port: what stands in a `Host` field.
    public var authority: String { hasDefaultPort ? host : "\(host):\(port)" }

    public var text: String { "\(scheme)://\(authority)\(path)" }

    /// Takes an absolute address apart without decoding anything. Nil where it isn't one, or has a blank, a control byte, a
    /// backslash, user information or a bad port.
    static func split(_ text: String) -> (scheme: String, host: String, port: Int, rest: Substring)? {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }),
            let mark = text.firstRange(of: "://")
        else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let after = text[mark.upperBound...]
        let end = after.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? after.endIndex
        let authority = after[..<end]
        guard !authority.contains("@") else { return nil }
        var host = authority
        var port = scheme == "https" ? 443 : 80
        let closing = authority.lastIndex(of: "]")
        if let colon = authority.lastIndex(of: ":"), closing.map({ $0 < colon }) ?? true {
            host = authority[..<colon]
            let digits = authority[authority.index(after: colon)...]
            guard let number = ASCII.decimal(digits.utf8), (1...65535).contains(number) else { return nil }
            port = number
        }
        guard isHost(host) else { return nil }
        return (scheme, host.lowercased(), port, after[end...])
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            return host.hasSuffix("]") && host.count > 2
                && host.dropFirst().dropLast().utf8.allSatisfy { ASCII.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E }
        }
        return !host.isEmpty
            && host.utf8.allSatisfy {
                ASCII.hexValue($0) != nil || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
            }
    }
}
