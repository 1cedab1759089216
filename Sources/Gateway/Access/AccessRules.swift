internal import HTTP
public import Parameters

/// Who may read and who may change things. Reading is open unless ``readsNeedKey``; changes depend on ``writes``.
public struct AccessRules: Sendable {
    public enum Writes: Sendable, Equatable {
        /// Everybody.
        case open
        /// Who shows a key.
        case keyed
        /// Nobody: other machines can reach the gateway, and nobody said who may.
        case closed
    }

    /// Nil: there are none, and what looks like a key in a request is none of ours.
    public let keys: ClientKeys?
    public let writes: Writes
    public let readsNeedKey: Bool
    /// Whether only this machine can reach the gateway.
    let isLoopback: Bool

    /// Everything is open, as for a gateway that no client can reach.
    public init() {
        keys = nil
        writes = .open
        readsNeedKey = false
        isLoopback = true
    }

    /// - Parameters:
    ///   - isLoopback: whether only this machine can reach the gateway.
    ///   - opensWrites: `--open-writes`.
    ///   - requiresKey: `--require-key`.
    /// - Throws: where they contradict each other.
    public init(keys: ClientKeys?, isLoopback: Bool, opensWrites: Bool, requiresKey: Bool) throws(ParameterMistake) {
        if requiresKey, keys == nil {
            throw ParameterMistake(
                source: "--require-key", found: "no client keys",
                expected: "some in SLUICE_CLIENT_KEYS, or in the file that --client-keys-file names")
        }
        if opensWrites, keys != nil {
            throw ParameterMistake(
                source: "--open-writes", found: "client keys beside it",
                expected: "one of the two: with keys, changes need one")
        }
        self.keys = keys
        self.isLoopback = isLoopback
        readsNeedKey = requiresKey
        writes = keys != nil ? .keyed : isLoopback || opensWrites ? .open : .closed
    }

    // MARK: Requests

    /// Takes the client's key out of a request, so that nothing behind this sees it.
    ///
    /// `X-API-Key` is the key where there is one, and `Authorization` then belongs to the upstream; else a bearer token is the key.
    /// - Returns: whose key it was; nil where there was none.
    /// - Throws: 401 for a key that isn't known, also where none is needed.
    func takeKey(from request: inout Request) throws(GatewayError) -> String? {
        guard let keys else { return nil }
        let shown = request.fields.values(.apiKey)
        if !shown.isEmpty {
            request.fields.remove(.apiKey)
            guard shown.count == 1, let owner = shown.first.flatMap({ keys.owner(of: $0) }) else { throw .wrongKey }
            return owner
        }
        let tokens = request.fields.values(.authorization).compactMap(AccessRules.bearerToken)
        guard !tokens.isEmpty else { return nil }
        request.fields.remove(.authorization)
        guard tokens.count == 1, let owner = tokens.first.flatMap({ keys.owner(of: $0) }) else { throw .wrongKey }
        return owner
    }

    /// The token of `Bearer TOKEN` (RFC 6750, section 2.1); nil for another scheme.
    private static func bearerToken(_ value: String) -> Substring? {
        let scheme = value.prefix { $0 != " " }
        return scheme.lowercased() == "bearer" ? ASCII.trimmed(value.dropFirst(scheme.count)) : nil
    }

    /// - Throws: 401 where reading needs a key and there is none.
    func checkRead(_ owner: String?) throws(GatewayError) {
        if readsNeedKey, owner == nil { throw .keyRequired }
    }

    /// - Parameter origins: the pages that may ask, besides the gateway's own.
    /// - Throws: 401 where a key is needed, 403 where nobody may change anything or a page of somebody else's asks.
    func checkWrite(_ request: Request, _ owner: String?, origins: Origins, publicURL: String?) throws(GatewayError) {
        switch writes {
        case .closed: throw .writesClosed
        case .keyed: if owner == nil { throw .keyRequired }
        case .open:
            // A browser sends what any page makes it send. A key can't be sent like that; without one the page itself counts.
            guard let origin = request.fields[.origin], !origins.contains(origin) else { return }
            guard isOwn(origin, request, publicURL) else { throw .foreignPage }
        }
    }

    /// Whether `origin` is this gateway. A name that somebody lets resolve to this machine is not.
    private func isOwn(_ origin: String, _ request: Request, _ publicURL: String?) -> Bool {
        if let publicURL, publicURL == origin || publicURL.hasPrefix(origin + "/") { return true }
        guard let authority = request.authority, ["http://" + authority, "https://" + authority].contains(origin) else {
            return false
        }
        return !isLoopback || AccessRules.isLoopback(host: authority)
    }

    /// Whether `host`, perhaps with a port, stands for this machine alone by its text.
    public static func isLoopback(host: String) -> Bool {
        var name = host.lowercased()
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
            name = String(name[..<end].dropFirst())
        } else if name.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1 {
            name = String(name.prefix { $0 != ":" })
        }
        if name == "localhost" || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { ASCII.decimal($0.utf8).map { $0 <= 255 } ?? false }
    }

    // MARK: Answers

    /// Keeps an answer that only its client may see out of others' caches (RFC 9111, sections 3.5 and 5.2.2.7).
    func keepPrivate(_ response: inout Response) {
        response.fields.append(.vary, "Authorization, X-API-Key")
        let directives = response.fields.list(.cacheControl) ?? "no-cache"
        let names = directives.lowercased().split(separator: ",").map { ASCII.trimmed($0) }
        if names.contains("no-store") || names.contains("private") { return }
        let kept = directives.split(separator: ",").map { ASCII.trimmed($0) }.filter {
            $0.lowercased() != "public" && !$0.lowercased().hasPrefix("s-maxage")
        }
        response.fields.set(.cacheControl, (["private"] + kept).joined(separator: ", "))
    }
}

extension FieldName {
    static let apiKey: FieldName = "X-API-Key"
    static let origin: FieldName = "Origin"
}

extension GatewayError {
    private static func unauthorized(_ code: String, _ challenge: String, _ detail: String) -> GatewayError {
        var error = GatewayError(source: .client, code: code, status: .unauthorized, detail: detail)
        error.fields = Fields([("WWW-Authenticate", challenge)])
        return error
    }

    static var keyRequired: GatewayError {
        unauthorized(
            "key-required", "Bearer realm=\"sluice\"",
            "This needs a client key, in Authorization: Bearer or in X-API-Key.")
    }

    fileprivate static var wrongKey: GatewayError {
        unauthorized(
            "wrong-key", "Bearer realm=\"sluice\", error=\"invalid_token\"",
            "The client key isn't one that is known here.")
    }

    fileprivate static let writesClosed = GatewayError(
        source: .gateway, code: "writes-closed", status: .forbidden,
        detail:
            "Other machines can reach this gateway and no client keys are set, so nothing can be changed: whoever runs it "
            + "sets SLUICE_CLIENT_KEYS (or --client-keys-file), or starts it with --open-writes to let everybody.")

    fileprivate static let foreignPage = GatewayError(
        source: .client, code: "foreign-page", status: .forbidden,
        detail:
            "A page of another origin may not change anything here without a client key; --cors-origin lists those that may."
    )
}
