internal import HTTP

/// Tells which operation an address in an upstream's answer stands for. The declared operations are the allow list: an address that
/// matches none is left alone and never asked, and the host that is dialled is always the configured one.
///
/// An answer holds dozens of addresses, so the usual ones (a base as it is written, and behind it nothing that needs decoding) are
/// matched as bytes; all others take the long way with the same rules.
public struct LinkMatcher: Sendable {
    public struct Match: Sendable, Equatable {
        /// Index into `Plan.operations`.
        public var operation: Int
        /// The parameters of the operation's upstream path in their order, and their decoded values.
        public var names: [String]
        public var values: [String]
        /// The query as it stands in the address.
        public var query: String?
        public var endsInSlash: Bool

        /// The values by their names.
        public var parameters: [String: String] { Dictionary(zip(names, values)) { first, _ in first } }
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
    /// For each upstream what its operations' paths look like, and for each operation its own.
    private var templates: [[LinkTemplate]]
    private var templateOfOperation: [LinkTemplate?]
    /// For each upstream the texts that addresses begin with, in the order in which they are tried in its answers.
    private let prefixes: [[LinkPrefix]]

    public init(upstreams: [UpstreamPlan], operations: [Operation]) {
        templates = upstreams.map { _ in [] }
        templateOfOperation = operations.map { _ in nil }
        let all = LinkPrefix.all(of: upstreams)
        prefixes = upstreams.indices.map { LinkPrefix.ordered(all, first: $0) }
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
        for (index, operation) in operations.enumerated() where operation.method == .get && operation.isReadable {
            guard let upstream = operation.upstream, templates.indices.contains(upstream) else { continue }
            let template = LinkTemplate(operation: index, upstream: upstream, path: operation.upstreamPath)
            templates[upstream].append(template)
            templateOfOperation[index] = template
        }
    }

    /// A base on its scheme's own port stands for both schemes: upstreams behind TLS write `http` links and the other way round.
    private static func ports(of base: BaseURL) -> [Int] { base.hasDefaultPort ? [80, 443] : [base.port] }

    /// - Parameters:
    ///   - address: an absolute `http` or `https` address, or one that begins with a slash and so belongs to `upstream`.
    ///   - upstream: index of the upstream whose answer holds the address.
    ///   - operation: the operation that the link names, which wins where the address fits several.
    public func match(_ address: ArraySlice<UInt8>, from upstream: Int, preferring operation: Int? = nil) -> Match? {
        matchBytes(address, from: upstream, preferring: operation)
            ?? matchText(String(decoding: address, as: UTF8.self), from: upstream, preferring: operation)
    }

    public func match(_ address: String, from upstream: Int, preferring operation: Int? = nil) -> Match? {
        match(Array(address.utf8)[...], from: upstream, preferring: operation)
    }
}

// MARK: The long way

extension LinkMatcher {
    func matchText(_ address: String, from upstream: Int, preferring operation: Int?) -> Match? {
        guard let (found, target) = locate(address, from: upstream), var segments = target.segments else { return nil }
        let endsInSlash = segments.last == ""
        if endsInSlash { segments.removeLast() }
        for base in found {
            guard segments.starts(with: base.prefix) else { continue }
            let rest = segments.dropFirst(base.prefix.count)
            var best: (template: LinkTemplate, parameters: [String: String])?
            for template in templates[base.upstream] {
                guard let parameters = template.path.match(rest) else { continue }
                let isPreferred = template.operation == operation
                if !isPreferred, let best, best.parameters.count <= parameters.count { continue }
                best = (template, parameters)
                if isPreferred { break }
            }
            guard let best else { continue }
            return Match(
                operation: best.template.operation, names: best.template.names,
                values: best.template.names.compactMap { best.parameters[$0] }, query: target.query,
                endsInSlash: endsInSlash)
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

// MARK: The short way

extension LinkMatcher {
    /// A link in which nothing has to be decoded, as places in its address.
    public struct Plain: Sendable {
        /// Index into `Plan.operations`.
        public var operation: Int
        /// What stands behind the base: a slash before each segment, perhaps one at the end.
        public var path: Range<Int>
    }

    /// The short way alone, for an address without a query: nothing is made of it. Nil where there is no match, and where something
    /// needs a closer look.
    public func plainMatch(
        _ address: UnsafeBufferPointer<UInt8>, from upstream: Int, preferring operation: Int? = nil
    ) -> Plain? {
        guard let (template, path) = find(address, from: upstream, preferring: operation),
            path.upperBound == address.count
        else { return nil }
        return Plain(operation: template.operation, path: path)
    }

    func matchBytes(_ address: ArraySlice<UInt8>, from upstream: Int, preferring operation: Int?) -> Match? {
        address.withUnsafeBufferPointer { bytes in
            guard let (template, path) = find(bytes, from: upstream, preferring: operation),
                let values = template.values(bytes, path)
            else { return nil }
            let end = path.upperBound
            return Match(
                operation: template.operation, names: template.names, values: values,
                query: end < bytes.count ? String(decoding: bytes[(end + 1)...], as: UTF8.self) : nil,
                endsInSlash: !path.isEmpty && bytes[end - 1] == LinkTemplate.slash)
        }
    }

    private func find(
        _ address: UnsafeBufferPointer<UInt8>, from upstream: Int, preferring operation: Int?
    ) -> (template: LinkTemplate, path: Range<Int>)? {
        guard prefixes.indices.contains(upstream) else { return nil }
        for index in prefixes[upstream].indices where prefixes[upstream][index].begins(address) {
            let start = prefixes[upstream][index].bytes.count
            guard let end = LinkTemplate.plainEnd(of: address, from: start) else { return nil }
            let target = prefixes[upstream][index].upstream
            guard let template = best(target, address, start..<end, preferring: operation) else { continue }
            return (template, start..<end)
        }
        return nil
    }

    /// The template that fits: the preferred operation's, else one with the fewest parameters.
    private func best(
        _ upstream: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ path: Range<Int>, preferring operation: Int?
    ) -> LinkTemplate? {
        if let operation, templateOfOperation.indices.contains(operation), let own = templateOfOperation[operation],
            own.upstream == upstream, own.fits(bytes, path)
        {
            return own
        }
        var best: LinkTemplate?
        for template in templates[upstream] where template.fits(bytes, path) {
            if best.map({ template.names.count < $0.names.count }) ?? true { best = template }
        }
        return best
    }
}
