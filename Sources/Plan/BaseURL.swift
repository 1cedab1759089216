public import HTTP

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
    /// host, a bad port, or a path with an empty, `.` or `..` segment.
    public init?(_ text: String) {
        guard let (scheme, host, port, rest) = BaseURL.split(text), !rest.contains("?"), !rest.contains("#") else {
            return nil
        }
        var path = rest
        while path.hasSuffix("/") { path = path.dropLast() }
        self.init(scheme: scheme, host: host, port: port, path: String(path))
        guard path.isEmpty || Target(path: self.path).segments?.contains("") == false else { return nil }
    }

    /// Whether the port is the scheme's own.
    public var hasDefaultPort: Bool { port == (scheme == "https" ? 443 : 80) }

    /// Host and, where it isn't the scheme's own, port: what stands in a `Host` field.
    public var authority: String { hasDefaultPort ? host : "\(host):\(port)" }

    public var text: String { "\(origin)\(path)" }

    /// Scheme, host and, where it isn't the scheme's own, port.
    public var origin: String { "\(scheme)://\(authority)" }

    /// What an absolute address asks for below this base; nil where it isn't below it. `http` and `https` of a host are one, each on its own
    /// port.
    public func target(of address: String) -> Target? {
        guard let parts = BaseURL.split(address), parts.host == host, !parts.rest.contains("#"),
            parts.port == port || hasDefaultPort && [80, 443].contains(parts.port), parts.rest.hasPrefix(path)
        else { return nil }
        let rest = parts.rest.dropFirst(path.utf8.count)
        if rest.isEmpty || rest.hasPrefix("?") { return Target("/" + rest) }
        return rest.hasPrefix("/") ? Target(String(rest)) : nil
    }

    /// Takes an absolute address apart without decoding anything. Nil where it isn't one, or has a blank, a control byte, a
    /// backslash, user information or a bad port.
    static func split(_ text: String) -> (scheme: String, host: String, port: Int, rest: Substring)? {
        let bytes = text.utf8
        guard bytes.allSatisfy(isVisible), let scheme = scheme(of: bytes) else { return nil }
        let after = bytes.dropFirst(scheme.utf8.count + 3)
        let end = after.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let authority = after[..<(end ?? after.endIndex)]
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        var host = authority
        var port = scheme == "https" ? 443 : 80
        let closing = authority.lastIndex(of: UInt8(ascii: "]"))
        if let colon = authority.lastIndex(of: UInt8(ascii: ":")), closing.map({ $0 < colon }) ?? true {
            host = authority[..<colon]
            guard let number = ASCII.decimal(authority[colon...].dropFirst()), (1...65535).contains(number) else {
                return nil
            }
            port = number
        }
        guard isHost(host) else { return nil }
        return (scheme, Substring(host).lowercased(), port, Substring(after[(end ?? after.endIndex)...]))
    }

    /// Visible ASCII but the backslash, which some take for a slash.
    static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != 0x5C }

    private static func scheme(of bytes: String.UTF8View) -> String? {
        for scheme in ["https", "http"] {
            let head = bytes.prefix(scheme.utf8.count)
            guard head.elementsEqual(scheme.utf8, by: { ASCII.lowercased($0) == $1 }),
                bytes.dropFirst(scheme.utf8.count).starts(with: "://".utf8)
            else { continue }
            return scheme
        }
        return nil
    }

    private static func isHost(_ host: Substring.UTF8View) -> Bool {
        if host.first == UInt8(ascii: "[") {
            return host.last == UInt8(ascii: "]") && host.count > 2
                && host.dropFirst().dropLast().allSatisfy { ASCII.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E }
        }
        return !host.isEmpty
            && host.allSatisfy {
                ASCII.isDigit($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
            }
    }
}
