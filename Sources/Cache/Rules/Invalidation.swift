public import HTTP

/// What a request that changes something makes outdated (RFC 9111, section 4.4).
public enum Invalidation {
    /// The URLs whose kept answers have to go: the request's own, and those that the answer names in `Location` and `Content-Location`
    /// if they are of the same origin, so that nobody can throw out another site's answers.
    /// - Parameter asked: the authority that the client knows this resource by, where all paths there are the same: the origin may use it in
    ///   its answers, as it should where it knows of us.
    /// - Returns: nothing for a safe method, and nothing where the request failed.
    public static func targets(
        of method: Method, _ url: CacheURL, asked: String? = nil, answeredWith response: Response
    ) -> [CacheURL] {
        guard !isSafe(method), (200...399).contains(response.status.code) else { return [] }
        var targets = [url]
        for name: FieldName in [.location, .contentLocation] {
            if let text = response.fields[name], let other = url.resolving(text, asked: asked), !targets.contains(other)
            {
                targets.append(other)
            }
        }
        return targets
    }

    /// By the registry of methods (RFC 9110, section 16.1); whatever isn't known there may change something.
    private static func isSafe(_ method: Method) -> Bool {
        switch method {
        case .other(let token): ["PROPFIND", "REPORT", "SEARCH"].contains(token)
        default: method.isSafe
        }
    }
}

/// The URL of something that is kept (RFC 9111, section 2): before it was signed, so that no secret is in it.
public struct CacheURL: Sendable, Hashable {
    /// Scheme and authority in lower case, without the scheme's own port: `https://swapi.dev`.
    public let origin: String
    /// Path and query, beginning with a slash, as they are sent.
    public let target: String

    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - authority: host and perhaps port, without user information.
    ///   - target: path and query; one that doesn't begin with a slash gets one.
    public init(scheme: String, authority: String, target: String) {
        let scheme = scheme.lowercased()
        var authority = authority.lowercased()
        let port = scheme == "https" ? ":443" : ":80"
        if authority.hasSuffix(port) { authority.removeLast(port.count) }
        if authority.hasSuffix(":") { authority.removeLast() }
        origin = scheme + "://" + authority
        self.target = target.hasPrefix("/") ? target : "/" + target
    }

    init(origin: String, target: String) {
        self.origin = origin
        self.target = target.hasPrefix("/") ? target : "/" + target
    }

    public var text: String { origin + target }

    /// Where a reference leads from here (RFC 3986, section 5.2), without its fragment; nil for another origin and for what is no
    /// reference.
    public func resolving(_ reference: String) -> CacheURL? {
        guard reference.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else { return nil }
        let reference = reference.prefix { $0 != "#" }
        if reference.hasPrefix("//") { return absolute(String(origin.prefix { $0 != ":" }) + ":" + reference) }
        let head = reference.prefix { $0 != "/" && $0 != "?" }
        if head.contains(":") { return absolute(String(reference)) }
        let path = target.prefix { $0 != "?" }
        if reference.isEmpty { return self }
        if reference.hasPrefix("?") { return CacheURL(origin: origin, target: String(path) + String(reference)) }
        if reference.hasPrefix("/") { return CacheURL(origin: origin, target: CacheURL.withoutDots(reference)) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
        return CacheURL(origin: origin, target: CacheURL.withoutDots(folder + reference))
    }

    /// The same, also for references to the authority that a client knows this resource by.
    func resolving(_ reference: String, asked: String?) -> CacheURL? {
        if let url = resolving(reference) { return url }
        guard let asked, let scheme = origin.firstIndex(of: ":").map({ String(origin[..<$0]) }) else { return nil }
        let known = CacheURL(scheme: scheme, authority: asked, target: target)
        return known.resolving(reference).map { CacheURL(origin: origin, target: $0.target) }
    }

    private func absolute(_ text: String) -> CacheURL? {
        guard let colon = text.firstIndex(of: ":"), text[text.index(after: colon)...].hasPrefix("//") else {
            return nil
        }
        let rest = text[colon...].dropFirst(3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return nil }
        let url = CacheURL(
            scheme: String(text[..<colon]), authority: String(authority),
            target: CacheURL.withoutDots(rest.dropFirst(authority.count)))
        return url.origin == origin ? url : nil
    }

    /// RFC 3986, section 5.2.4, on the path; the query stays.
    private static func withoutDots(_ target: some StringProtocol) -> String {
        let path = target.prefix { $0 != "?" }
        let query = target.dropFirst(path.count)
        var segments: [Substring] = []
        let all = Substring(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst(
            path.hasPrefix("/") ? 1 : 0)
        for (index, segment) in all.enumerated() {
            let isLast = index == all.count - 1
            switch segment {
            case ".": if isLast { segments.append("") }
            case "..":
                if !segments.isEmpty { segments.removeLast() }
                if isLast { segments.append("") }
            default: segments.append(segment)
            }
        }
        return "/" + segments.joined(separator: "/") + query
    }
}
