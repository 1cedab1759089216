internal import HTTP

/// A route that hands on every path below its own, whatever the method, as it came.
public struct MirrorPlan: Sendable, Equatable {
    /// What of the local path stands before the rest, encoded: `/mirror/swapi`; empty for a mirror of everything.
    public var prefix: String
    /// What the path below the upstream's base begins with, before the rest; mostly empty.
    public var upstreamPrefix: String
    /// Whether addresses of the upstream in JSON answers become ones of this mirror.
    public var rewritesLinks: Bool

    public init(prefix: String, upstreamPrefix: String = "", rewritesLinks: Bool = false) {
        self.prefix = prefix
        self.upstreamPrefix = upstreamPrefix
        self.rewritesLinks = rewritesLinks
    }

    /// The path below the upstream's base for a rest as the client sent it.
    public func upstreamPath(_ rest: Substring) -> String { upstreamPrefix + "/" + rest }

    /// The local path (with query and fragment) for an address that is one of the upstream's; nil for any other.
    public func localPath(of address: String, at upstream: UpstreamPlan) -> String? {
        guard let parts = BaseURL.split(address) else { return nil }
        for base in [upstream.base] + upstream.aliases {
            let isSamePort = base.port == parts.port || base.hasDefaultPort && [80, 443].contains(parts.port)
            guard base.host == parts.host, isSamePort else { continue }
            let begin = base.path + upstreamPrefix
            guard parts.rest.utf8.starts(with: begin.utf8) else { continue }
            let rest = parts.rest.dropFirst(begin.count)
            let path = rest.prefix { $0 != "?" && $0 != "#" }
            guard path.isEmpty || path.hasPrefix("/"), !Target.climbs(path) else { continue }
            return prefix + (path.isEmpty ? "/" : "") + rest
        }
        return nil
    }
}
