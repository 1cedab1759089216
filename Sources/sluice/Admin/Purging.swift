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
    /// - Throws: 400 for an address that is none, or whose parameters its route doesn't take.
    func drop(_ purge: Purge, localAddresses: [String]) throws(GatewayError) -> Int {
        switch purge {
        case .everything: return cache?.invalidateAll() ?? 0
        case .tag(let tag): return cache?.invalidate(tag: tag) ?? 0
        case .route(let template): return drop(route: template)
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
        if let local = localTarget(text, localAddresses) {
            return try drop(local)
        }
        guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
            throw Purge.mistake("\"url\" begins with /, http:// or https://.", "url")
        }
        var dropped = 0
        for (position, upstream) in plan.upstreams.enumerated() {
            for base in [upstream.base] + upstream.aliases {
                guard let rest = Gateways.rest(of: text, below: base) else { continue }
                dropped += invalidate(position, rest)
                break
            }
        }
        return dropped
    }

    private func drop(_ local: Target) throws(GatewayError) -> Int {
        do throws(GatewayError) {
            guard let found = try locator.upstreamTarget(of: local) else { return 0 }
            return invalidate(found.upstream, found.target)
        } catch {
            // A typo in a parameter is told; where nothing answers, nothing is kept.
            guard error.status == .badRequest else { return 0 }
            throw error
        }
    }

    private func invalidate(_ upstream: Int, _ target: Target) -> Int {
        let base = plan.upstreams[upstream].base
        let url = CacheURL(scheme: base.scheme, authority: base.authority, target: base.path + target.text)
        return cache?.invalidate(tag: url.text) ?? 0
    }

    /// The path and query of an address of this gateway's; nil for others.
    private func localTarget(_ text: String, _ addresses: [String]) -> Target? {
        if text.hasPrefix("/") { return Target(text) }
        for address in [settings.publicURL].compactMap({ $0 }) + addresses {
            guard let base = BaseURL(address), let target = Gateways.rest(of: text, below: base) else { continue }
            return target
        }
        return nil
    }

    /// What follows a base address in `text`; nil where it isn't below it.
    private static func rest(of text: String, below base: BaseURL) -> Target? {
        for origin in ["\(base.scheme)://\(base.authority)", "\(base.scheme)://\(base.host):\(base.port)"] {
            let authority = text.prefix(origin.count)
            guard authority.lowercased() == origin else { continue }
            let rest = text.dropFirst(authority.count)
            guard rest.hasPrefix(base.path) else { continue }
            let target = rest.dropFirst(base.path.count)
            if target.isEmpty { return Target(path: "/") }
            if target.hasPrefix("/") || target.hasPrefix("?") { return Target(String(target)) }
        }
        return nil
    }

    private func drop(route template: String) -> Int {
        // Other words are tags too.
        guard plan.operations.contains(where: { $0.path.text == template }) else { return 0 }
        return cache?.invalidate(tag: template) ?? 0
    }
}
