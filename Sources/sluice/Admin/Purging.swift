internal import Admin
internal import Cache
internal import Gateway
internal import HTTP
internal import JSON
internal import Plan

extension Gateways {
    /// Drops what is meant from the cache.
    /// - Parameter localAddresses: where clients reach this gateway.
    /// - Returns: how many things were dropped.
    /// - Throws: 400 for a tag or a route that isn't there, for an address that is none or that nothing is kept for, and where its route
    ///   doesn't take its parameters.
    func drop(_ purge: Purge, localAddresses: [String]) throws(GatewayError) -> Int {
        switch purge {
        case .everything: return cache?.invalidateAll() ?? 0
        case .tag(let tag):
            // Routes and addresses are tags too, and have parameters of their own.
            let names = plan.upstreams.map(\.name)
            guard names.contains(tag) else {
                throw Purge.mistake("\"\(tag.prefix(60))\" is no upstream's name.", "tag", allowed: names)
            }
            return cache?.invalidate(tag: tag) ?? 0
        case .route(let template):
            let templates = plan.operations.map(\.path.text)
            guard templates.contains(template) else {
                throw Purge.mistake(
                    "\"\(template.prefix(60))\" is no route's path template"
                        + (templates.isEmpty ? ": a plain mirror has no routes." : "."),
                    "route", allowed: templates.isEmpty ? ["tag", "url"] : Array(Set(templates)).sorted())
            }
            return cache?.invalidate(tag: template) ?? 0
        case .url(let text): return try drop(url: text, localAddresses)
        }
    }

    /// Another machine has dropped what has this tag, or everything.
    func dropped(tag: String?) {
        if let tag { cache?.invalidate(tag: tag, isTold: true) } else { cache?.invalidateAll(isTold: true) }
    }

    private func drop(url text: String, _ localAddresses: [String]) throws(GatewayError) -> Int {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }) else {
            throw Purge.mistake(
                "\"url\" holds what can't stand in an address; it is percent-encoded once for itself.", "url")
        }
        if text.hasPrefix("/") { return try drop(Target(text)) }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard ["http", "https"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://") else {
            throw Purge.mistake("\"url\" begins with /, http:// or https://.", "url")
        }
        let own = [settings.publicURL].compactMap { $0.flatMap(BaseURL.init) } + localAddresses.flatMap(Gateways.bases)
        if let local = own.lazy.compactMap({ $0.target(of: text) }).first { return try drop(local) }
        var dropped: Int?
        for (position, upstream) in plan.upstreams.enumerated() {
            let bases = [upstream.base] + upstream.aliases
            guard let target = bases.lazy.compactMap({ $0.target(of: text) }).first else { continue }
            dropped = (dropped ?? 0) + invalidate(position, target)
        }
        guard let dropped else {
            throw Purge.mistake(
                "\"url\" is neither an address of this gateway's nor one below an upstream's base.", "url",
                allowed: (own + plan.upstreams.flatMap { [$0.base] + $0.aliases }.filter { $0 != .unset }).map(\.origin)
            )
        }
        return dropped
    }

    /// The addresses by which somebody on this machine may know one of the gateway's.
    private static func bases(of address: String) -> [BaseURL] {
        guard let base = BaseURL(address) else { return [] }
        let names = ["127.0.0.1", "localhost", "[::1]"]
        guard (names + ["0.0.0.0", "[::]"]).contains(base.host) else { return [base] }
        return [base] + names.filter { $0 != base.host }.compactMap { BaseURL("http://\($0):\(base.port)") }
    }

    private func drop(_ local: Target) throws(GatewayError) -> Int {
        // A plain mirror answers at every path, and has no operations.
        if plan.operations.isEmpty, !plan.upstreams.isEmpty { return invalidate(0, local) }
        do throws(GatewayError) {
            if let found = try locator.upstreamTarget(of: local) { return invalidate(found.upstream, found.target) }
        } catch {
            // It says which parameter is wrong.
            if error.status == .badRequest { throw error }
            throw Purge.mistake("No GET of the path of \"url\" is answered, so nothing is kept for it.", "url")
        }
        throw Purge.mistake(
            "What is answered at the path of \"url\" is made here and asks no upstream of its own, so nothing is kept for it: "
                + "what it is made of has addresses of its own.", "url")
    }

    private func invalidate(_ upstream: Int, _ target: Target) -> Int {
        let base = plan.upstreams[upstream].base
        let url = CacheURL(scheme: base.scheme, authority: base.authority, target: base.path + target.text)
        return cache?.invalidate(tag: url.text) ?? 0
    }
}
