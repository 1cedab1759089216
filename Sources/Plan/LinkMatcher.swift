internal import HTTP

/// Tells which operation an address in an upstream's answer stands for. The declared operations are the allow list: an address that
/// matches none is left alone and never asked, and the host that is dialled is always the configured one.
public struct LinkMatcher: Sendable {
    public struct Match: Sendable, Equatable {
        /// Index into `Plan.operations`.
        public var operation: Int
        /// The decoded path parameters.
        public var parameters: [String: String]
        /// The query as it stands in the address.
        public var query: String?
        public var endsInSlash: Bool
    }

    private struct Origin: Sendable, Hashable {
        var host: String
        var port: Int
    }
    private struct Base: Sendable {
        var prefix: [String]
        var upstream: Int
    }
    /// For each host and port the bases there, the longest path first.
    private var bases: [Origin: [Base]] = [:]
    /// For each upstream its own bases, the longest path first.
    private var own: [Int: [Base]] = [:]
    private var templates: [Int: [(template: PathTemplate, operation: Int)]] = [:]

    public init(upstreams: [UpstreamPlan], operations: [Operation]) {
        for (index, upstream) in upstreams.enumerated() {
            for address in [upstream.base] + upstream.aliases {
                // A base's path has been checked: it has segments, none of them empty.
                let segments = address.path.isEmpty ? [] : Target(path: address.path).segments
                guard let segments else { continue }
                let base = Base(prefix: segments, upstream: index)
                own[index, default: []].append(base)
                for port in LinkMatcher.ports(of: address) {
                    bases[Origin(host: address.host, port: port), default: []].append(base)
                }
            }
        }
        for key in bases.keys { bases[key]?.sort { $0.prefix.count > $1.prefix.count } }
        for key in own.keys { own[key]?.sort { $0.prefix.count > $1.prefix.count } }
        for (index, operation) in operations.enumerated() where operation.method == .get {
            guard let upstream = operation.upstream else { continue }
            templates[upstream, default: []].append((operation.upstreamPath, index))
        }
    }

    /// A base on its scheme's own port stands for both schemes: upstreams behind TLS write `http` links and the other way round.
    private static func ports(of base: BaseURL) -> [Int] { base.hasDefaultPort ? [80, 443] : [base.port] }

    /// - Parameters:
    ///   - address: an absolute `http` or `https` address, or one that begins with a slash and so belongs to `upstream`.
    ///   - upstream: index of the upstream whose answer holds the address.
    ///   - operation: the operation that the link names, which wins where the address fits several.
    public func match(_ address: String, from upstream: Int, preferring operation: Int? = nil) -> Match? {
        guard let (found, target) = locate(address, from: upstream), var segments = target.segments else { return nil }
        let endsInSlash = segments.last == ""
        if endsInSlash { segments.removeLast() }
        for base in found {
            guard segments.starts(with: base.prefix) else { continue }
            let rest = segments.dropFirst(base.prefix.count)
            var best: (operation: Int, parameters: [String: String])?
            for (template, index) in templates[base.upstream] ?? [] {
                guard let parameters = template.match(rest) else { continue }
                if index != operation, let best, best.parameters.count <= parameters.count { continue }
                best = (index, parameters)
                if index == operation { break }
            }
            guard let best else { continue }
            return Match(
                operation: best.operation, parameters: best.parameters, query: target.query, endsInSlash: endsInSlash)
        }
        return nil
    }

    private func locate(_ address: String, from upstream: Int) -> (bases: [Base], target: Target)? {
        guard !address.utf8.contains(UInt8(ascii: "#")) else { return nil }
        if address.utf8.first == UInt8(ascii: "/") {
            guard !address.utf8.starts(with: "//".utf8), address.utf8.allSatisfy(BaseURL.isVisible) else { return nil }
            return (own[upstream] ?? [], Target(address))
        }
        guard let parts = BaseURL.split(address), let found = bases[Origin(host: parts.host, port: parts.port)] else {
            return nil
        }
        let rest = parts.rest
        return (found, Target(rest.utf8.first == UInt8(ascii: "/") ? String(rest) : "/" + rest))
    }
}
