internal import HTTP
internal import Hashing
internal import Plan

/// What goes on the wire for the requests to one upstream: the address with the fixed and signed parameters, and the field lines
/// as libcurl takes them. The only place where credentials are read; what it returns is never logged or shown.
struct Outgoing: Sendable {
    private let plan: UpstreamPlan
    private let base: String
    private let fixedLines: [FieldLine]
    private let fixedNames: Set<FieldName>
    /// The lines of a request that brings no fields of its own.
    private let plainLines: [FieldLine]
    /// Names that only the signer may set.
    private let signedNames: Set<String>
    /// The encoded name of each fixed parameter, with the pair.
    private let fixedQuery: [(name: String, pair: String)]
    /// Why no request can be made, where a credential is missing or can't stand in a field.
    let obstacle: GatewayError?

    private static let gzip: FieldLine = "Accept-Encoding: gzip"

    /// Fields that belong to a connection or to us; a request can't bring them.
    private static let ours: Set<FieldName> = [
        .host, .connection, .contentLength, .transferEncoding, .te, .trailer, .upgrade, .expect, .acceptEncoding,
        "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "HTTP2-Settings",
    ]

    init(_ plan: UpstreamPlan) {
        self.plan = plan
        base = plan.base.text
        fixedQuery = plan.query.map { name, value in
            (Percent.encoded(name), Percent.encoded(name) + "=" + Percent.encoded(value))
        }
        var names: Set<FieldName> = []
        var lines: [FieldLine] = []
        var fixed = plan.headers
        if case .header(let name, let value) = plan.auth {
            fixed.removeAll { $0.name == name }
            fixed.append((name, value))
        }
        var unusable: [String] = []
        for (name, value) in fixed where !Self.ours.contains(name) {
            names.insert(name)
            guard let line = FieldLine(name, value.reveal().utf8) else {
                unusable.append(name.text)
                continue
            }
            lines.append(line)
        }
        fixedLines = lines
        fixedNames = names
        signedNames = Set(plan.auth?.parameters ?? [])
        plainLines = [Outgoing.gzip] + lines + Self.defaults(without: names)
        obstacle = Self.obstacle(plan, unusable: unusable)
    }

    /// Where a request goes.
    struct Signed {
        var address: String
        /// That the address is signed with, as it stands there.
        var digest: String?
    }

    /// The address of a request: base, path, the request's query, the fixed parameters it doesn't name itself, the signature.
    /// Nil where the target holds a byte that may not stand in an address.
    /// - Parameter timestamp: what the signature of this attempt is made with; another one for each attempt.
    func signed(_ target: Target, timestamp: String) -> Signed? {
        guard target.path.utf8.first == UInt8(ascii: "/"), Self.isClean(target.path), Self.isClean(target.query ?? "")
        else { return nil }
        var pairs: [Substring] = target.query.map { $0.isEmpty ? [] : [$0[...]] } ?? []
        if !signedNames.isEmpty || !fixedQuery.isEmpty {
            let own = (target.query(without: signedNames) ?? "").split(separator: "&")
            let ownNames = Set(own.map(Self.name))
            pairs = own + fixedQuery.filter { !ownNames.contains($0.name) }.map { $0.pair[...] }
        }
        let signature = signature(timestamp)
        pairs += signature.pairs.map { $0[...] }
        let address = base + target.path
        let query = pairs.isEmpty ? target.query == "" ? "?" : "" : "?" + pairs.joined(separator: "&")
        return Signed(address: address + query, digest: signature.digest)
    }

    /// The address of a request as it may be shown: what signs it is left out, also where the request itself brings it, and a secret path.
    func shown(_ request: Request) -> String {
        let target = request.target
        if request.hasSecretPath {
            return base + (target.path.lastIndex(of: "/").map { target.path[...$0] } ?? "") + "…"
        }
        return base + Target(path: target.path, query: target.query(without: signedNames)).text
    }

    /// The field lines of a request with `fields`. Fixed and signing fields win over the request's.
    func lines(_ fields: Fields, _ form: AnswerForm = .decoded) -> [FieldLine] {
        if fields.isEmpty, form == .decoded { return plainLines }
        var lines = form == .decoded ? [Outgoing.gzip] + fixedLines : fixedLines
        var names = fixedNames
        func add(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
            guard let name = FieldName(String(decoding: name, as: UTF8.self)),
                !Self.ours.contains(name) || form.isVerbatim && name == .acceptEncoding, !fixedNames.contains(name),
                let line = FieldLine(name, value)
            else { return }
            names.insert(name)
            lines.append(line)
        }
        fields.forEachRaw(add)
        // libcurl sends an `Accept` of its own unless it is told that there is none.
        if form.isVerbatim { return names.contains(.accept) ? lines : lines + ["Accept:"] }
        return lines + Self.defaults(without: names)
    }

    private func signature(_ timestamp: String) -> (pairs: [String], digest: String?) {
        switch plan.auth {
        case .header, nil: return ([], nil)
        case .query(let name, let value): return ([Percent.encoded(name) + "=" + Percent.encoded(value.reveal())], nil)
        case .md5Query(let timestampName, let keyName, let digestName, let publicKey, let privateKey):
            let digest = Digest.md5.hex(Array((timestamp + privateKey.reveal() + publicKey.reveal()).utf8))
            // A system that forbids MD5 can't sign; the upstream refuses the empty digest, and no other request is harmed.
            let pairs = [
                Percent.encoded(timestampName) + "=" + Percent.encoded(timestamp),
                Percent.encoded(keyName) + "=" + Percent.encoded(publicKey.reveal()),
                Percent.encoded(digestName) + "=" + (digest ?? ""),
            ]
            return (pairs, digest)
        }
    }

    private static func defaults(without names: Set<FieldName>) -> [FieldLine] {
        var lines: [FieldLine] = []
        if !names.contains(.accept) { lines.append("Accept: application/json") }
        if !names.contains(.userAgent) { lines.append("User-Agent: sluice") }
        return lines
    }

    private static func name(of pair: Substring) -> String { String(pair.prefix { $0 != "=" }) }

    private static func isClean(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    }

    private static func obstacle(_ plan: UpstreamPlan, unusable: [String]) -> GatewayError? {
        if !plan.missingVariables.isEmpty {
            let names = plan.missingVariables.joined(separator: ", ")
            var error = GatewayError(
                source: .upstream(plan.name), code: "credential-missing", status: .serviceUnavailable,
                detail: "The upstream needs what nobody has set: the environment variable \(names).")
            error.lists = [("variables", plan.missingVariables)]
            error.wasAsked = false
            return error
        }
        guard !unusable.isEmpty else { return nil }
        var error = GatewayError(
            source: .upstream(plan.name), code: "credential-missing", status: .serviceUnavailable,
            detail: "What is set for the field \(unusable.joined(separator: ", ")) can't stand in a field.")
        error.wasAsked = false
        return error
    }
}
