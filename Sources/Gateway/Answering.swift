internal import Compression
internal import HTTP
internal import Hashing
internal import JSON
internal import Plan

extension Gateway {
    private static let jsonFields = Fields([
        (.contentType, "application/json"), ("X-Content-Type-Options", "nosniff"),
    ])

    /// The answer to the client: validators, freshness, marks of completeness, encoding.
    func answer(_ composed: Composed, _ request: Request, _ exchange: Exchange) throws(GatewayError) -> Response {
        let isComplete = composed.failures.isEmpty
        exchange.record.missingParts = composed.failures.count
        var fields = Gateway.jsonFields
        if Preferences(request.fields).isStrict {
            if !isComplete { throw strictError(composed.failures) }
            fields.append(.preferenceApplied, "handling=strict")
        }
        fields.append(.sluiceComplete, isComplete ? "?1" : "?0")
        fields.append(.cacheControl, isComplete ? composed.freshness.directives : "no-store")
        fields.append(.age, isComplete ? String(composed.freshness.age) : "0")
        var origin = composed.freshness.origin
        if !isComplete { origin?.combine(.failed) }
        fields.append(.cacheStatus, origin?.text ?? "sluice; fwd=bypass")
        // What an upstream is handed of the client's fields may change its answer.
        let passed = Set(exchange.upstreams.flatMap { plan.upstreams[$0].pass.map(\.text) })
        fields.append(.vary, (["Accept-Encoding", "Prefer"] + passed.sorted()).joined(separator: ", "))
        return encoded(composed.bytes, fields, request, isValid: isComplete)
    }

    /// 502, or 504 where it was only time that ran out, naming the parts that are missing.
    private func strictError(_ failures: PartFailures) -> GatewayError {
        let isTimeout = failures.named.allSatisfy { $0.error.status == .gatewayTimeout }
        var error = GatewayError(
            source: .gateway, code: "incomplete", status: isTimeout ? .gatewayTimeout : .badGateway,
            detail:
                "\(failures.count) of the answer's parts could not be fetched, and the request asks for all of them.")
        error.lists = [
            ("parts", failures.named.prefix(100).map(\.pointer.description)),
            ("codes", Set(failures.named.map(\.error.code)).sorted()),
        ]
        error.fields = Fields([(.preferenceApplied, "handling=strict")])
        return error
    }

    /// Content in the coding that the client likes best, with its `ETag`; 304 where the client has it already.
    /// - Parameter isValid: false for an answer that the client shouldn't keep, which then has no tag.
    func encoded(_ content: [UInt8], _ fields: Fields, _ request: Request, isValid: Bool = true) -> Response {
        var fields = fields
        let type = fields[.contentType] ?? ""
        let coding = CodingRules().coding(
            acceptEncoding: request.fields.list(.acceptEncoding), contentType: type, length: content.count)
        // Each coding is a representation of its own, so it has its own tag.
        if isValid, let digest = Digest.sha256.hex(content) {
            let tag = EntityTag(digest.prefix(32) + (coding.map { "-" + $0.token } ?? ""))
            fields.append(.etag, tag.text)
            if tag.isNamed(by: request.fields.list(.ifNoneMatch)) {
                fields.remove(.contentType)
                return Response(status: .notModified, fields: fields)
            }
        }
        guard let coding, let coded = coding.encode(content) else {
            return Response(fields: fields, body: .bytes(content))
        }
        fields.append(.contentEncoding, coding.token)
        return Response(fields: fields, body: .bytes(coded))
    }
}

/// What the client prefers (RFC 7240).
struct Preferences {
    /// `handling=strict`: rather no answer than one with parts missing.
    private(set) var isStrict = false

    init(_ fields: Fields) {
        guard let list = fields.list(.prefer) else { return }
        for preference in Preferences.split(list, at: ",") {
            let parts = (Preferences.split(preference, at: ";").first ?? "").split(separator: "=", maxSplits: 1)
            guard parts.count == 2, ASCII.trimmed(parts[0]).lowercased() == "handling" else { continue }
            // The first of several counts (RFC 7240, section 2).
            isStrict = ASCII.trimmed(parts[1]).lowercased().filter { $0 != "\"" } == "strict"
            return
        }
    }

    /// The pieces of `text` between separators that don't stand in quotes.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var isQuoted = false
        return text.split(omittingEmptySubsequences: false) { character in
            if character == "\"" { isQuoted.toggle() }
            return character == separator && !isQuoted
        }.map(String.init)
    }
}
