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
    private var templates: [Int: [(template: PathTemplate, operation: Int)]] = [:]

    public init(upstreams: [UpstreamPlan], operations: [Operation]) {
        for (index, upstream) in upstreams.enumerated() {
            for base in [upstream.base] + upstream.aliases {
                let prefix = Target(path: base.path.isEmpty ? "/" : base.path).segments ?? []
                for port in LinkMatcher.ports(of: base) {
                    bases[Origin(host: base.host, port: port), default: []]
                        .append(Base(prefix: prefix.filter { !$0.isEmpty }, upstream: index))
                }
            }
        }
        for key in bases.keys { bases[key]?.sort { $0.prefix.count > $1.prefix.count } }
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
        guard let (found, path, query) = locate(address, from: upstream) else { return nil }
        guard var segments = Target(path: path).segments else { return nil }
        let endsInSlash = segments.last == ""
        if endsInSlash { segments.removeLast() }
        for base in found {
            guard segments.starts(with: base.prefix) else { continue }
            let rest = segments.dropFirst(base.prefix.count)
            let fits = (templates[base.upstream] ?? []).compactMap { entry in
                entry.template.match(rest).map { (operation: entry.operation, parameters: $0) }
            }
            if let best = fits.first(where: { $0.operation == operation })
                ?? fits.min(by: { $0.parameters.count < $1.parameters.count })
            {
                return Match(
                    operation: best.operation, parameters: best.parameters, query: query, endsInSlash: endsInSlash)
            }
        }
        return nil
    }

    private func locate(_ address: String, from upstream: Int) -> (bases: [Base], path: String, query: String?)? {
        guard !address.contains("#") else { return nil }
        if address.hasPrefix("/") {
            guard !address.hasPrefix("//") else { return nil }
            let target = Target(address)
            let own = bases.values.flatMap { $0 }.filter { $0.upstream == upstream }
            return (own, target.path, target.query)
        }
        guard let parts = BaseURL.split(address), let found = bases[Origin(host: parts.host, port: parts.port)] else {
            return nil
        }
        let target = Target(String(parts.rest))
        return (found, target.path.isEmpty ? "/" : target.path, target.query)
    }
}
