internal import HTTP
internal import Plan

extension Gateway {
    /// Where a redirect leads, if that is below the same upstream's base with the same scheme, host and port.
    func redirectTarget(_ response: Response, _ address: Address) -> Target? {
        guard let location = response.fields[.location] else { return nil }
        let base = plan.upstreams[address.upstream].base
        // What stands behind a `#` isn't sent.
        let reference = location.prefix { $0 != "#" }
        guard reference.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }),
            let path = Gateway.path(of: reference, on: base, from: base.path + address.target.path),
            let resolved = Gateway.withoutDots(path), resolved.hasPrefix(base.path + "/"), !resolved.hasPrefix("//")
        else { return nil }
        // A credential in a path would get into keys and log lines; the parameters that sign a query are left to the signer.
        let text = String(resolved.dropFirst(base.path.count))
        let search = index.secrets[address.upstream]?.with(digests: response.fields.digests)
        guard let clean = search.map({ $0.withoutSecrets(text) }) ?? text else { return nil }
        let target = Target(clean)
        return target.segments == nil ? nil : target
    }

    /// The path and query of a reference (RFC 3986, section 5.2.2) without its dot segments taken out; nil where it names another host.
    private static func path(of reference: Substring, on base: BaseURL, from current: String) -> String? {
        if reference.isEmpty { return nil }
        let first = reference.prefix { $0 != "/" && $0 != "?" }
        if first.contains(":") || reference.hasPrefix("//") {
            let whole = reference.hasPrefix("//") ? base.scheme + ":" + reference : String(reference)
            // The port may be written out where it is the scheme's own.
            let origins = ["\(base.scheme)://\(base.authority)", "\(base.scheme)://\(base.host):\(base.port)"]
            guard let origin = origins.first(where: { whole.lowercased().hasPrefix($0 + "/") }) else { return nil }
            return String(whole.dropFirst(origin.count))
        }
        if reference.hasPrefix("/") { return String(reference) }
        if reference.hasPrefix("?") { return current + String(reference) }
        guard let slash = current.lastIndex(of: "/") else { return nil }
        return String(current[...slash]) + reference
    }

    /// The path without `.` and `..` (RFC 3986, section 5.2.4); nil where it would go above the root.
    private static func withoutDots(_ text: String) -> String? {
        let path = text.prefix { $0 != "?" }
        var segments: [Substring] = []
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (position, part) in parts.enumerated() {
            if part != "." && part != ".." {
                segments.append(part)
                continue
            }
            if part == ".." {
                if segments.isEmpty { return nil }
                segments.removeLast()
            }
            if position == parts.count - 1 { segments.append("") }
        }
        return "/" + segments.joined(separator: "/") + text[path.endIndex...]
    }
}
