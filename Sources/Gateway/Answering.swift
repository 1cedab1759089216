internal import Cache
internal import Compression
internal import HTTP
internal import Hashing
internal import JSON
internal import Plan

extension Gateway {
    private static let jsonFields = Fields([
        (.contentType, "application/json"), ("X-Content-Type-Options", "nosniff"),
    ])

    /// What was composed, as an answer: its marks of completeness, its tag, how long it may be kept here and by clients.
    func finished(_ composed: Composed, _ exchange: Exchange) throws(GatewayError) -> Made {
        let isComplete = composed.failures.isEmpty
        if let refused = composed.failures.named.first(where: { $0.error.code == "only-if-cached" }) {
            throw refused.error
        }
        var fields = Gateway.jsonFields
        if Preferences(exchange.request.fields).isStrict {
            if !isComplete { throw strictError(composed.failures) }
            fields.append(.preferenceApplied, "handling=strict")
        }
        fields.append(.sluiceComplete, isComplete ? "?1" : "?0")
        // What an upstream is handed of the client's fields may change its answer.
        let passed = exchange.upstreams.flatMap { plan.upstreams[$0].pass }
        fields.append(
            .vary, (["Accept-Encoding", "Prefer"] + Set(passed.map(\.text)).sorted()).joined(separator: ", "))
        if isComplete, let tag = Gateway.tag(of: composed.bytes) { fields.append(.etag, tag.text) }
        let form = Composition.Form(coding: nil, fields: fields, content: composed.bytes)
        let selection = Cache.Selection(passed: passed, of: exchange.request.fields)
        guard isComplete else { return incomplete(form, selection, composed) }
        return whole(form, selection, composed.freshness, exchange)
    }

    private func incomplete(_ form: Composition.Form, _ selection: Cache.Selection, _ composed: Composed) -> Made {
        var origin = composed.freshness.origin
        origin?.combine(.failed)
        let answer = StoredAnswer(
            composed: .ok, Composition(forms: [form], parts: []), selection: selection, made: now,
            age: composed.freshness.age * 1000, life: 0,
            tags: [])
        // What is about one client's time or budget isn't the others'.
        let isForAll = composed.freshness.isForAll && composed.failures.named.allSatisfy { !$0.error.isOwn }
        return Made(
            answer: answer, directives: "no-store", origin: origin, isKeepable: false, isForAll: isForAll,
            missingParts: composed.failures.count)
    }

    private func whole(
        _ form: Composition.Form, _ selection: Cache.Selection, _ freshness: Freshness, _ exchange: Exchange
    ) -> Made {
        let now = now
        var freshness = freshness
        var age = freshness.age * 1000
        var life = 0
        var directives: String?
        if !freshness.isForbidden, let said = freshness.seconds, said > 0, let kept = exchange.kept(at: now) {
            (age, life) = (kept.age, kept.life)
            freshness.age = age / 1000
            // Clients may be told a shorter life than caches near the upstream.
            if said * 1000 < life - 1000 { directives = freshness.directives }
        }
        let isKeepable = life > 0 && !RequestDirectives(exchange.request.fields).noStore
        let answer = StoredAnswer(
            composed: .ok,
            Composition(
                forms: [form], parts: isKeepable ? exchange.keptParts : [], grace: freshness.grace,
                directives: directives),
            selection: selection, made: now, age: age, life: life,
            tags: isKeepable ? exchange.tags : [])
        return Made(
            answer: answer, directives: isKeepable ? answer.directivesForClients : freshness.directives,
            origin: freshness.origin, isKeepable: isKeepable,
            isForAll: freshness.isForAll && freshness.seconds != nil)
    }

    /// The answer that there is nothing, to be kept for seconds; nil for an error that isn't.
    func absent(_ error: GatewayError, _ exchange: Exchange) -> Made? {
        guard composed != nil, case .upstream = error.source, error.status == .notFound || error.status == .gone,
            let kept = exchange.kept(at: now), kept.life > 0,
            !RequestDirectives(exchange.request.fields).noStore
        else { return nil }
        let problem = Response(problem: error)
        guard case .bytes(let bytes) = problem.body else { return nil }
        let passed = exchange.upstreams.flatMap { plan.upstreams[$0].pass }
        let form = Composition.Form(coding: nil, fields: problem.fields, content: bytes)
        let answer = StoredAnswer(
            composed: error.status, Composition(forms: [form], parts: exchange.keptParts, failure: error.code),
            selection: Cache.Selection(passed: passed, of: exchange.request.fields), made: now, age: kept.age,
            life: min(kept.life, Gateway.longestAbsence), tags: exchange.tags)
        return Made(
            answer: answer, directives: "", origin: exchange.seen.origin, isKeepable: true, isForAll: true)
    }

    /// Milliseconds that the answer that there is nothing is kept at most.
    private static let longestAbsence = 10_000

    private var now: Moment { composed?.now ?? .now }

    private static func tag(of content: [UInt8]) -> EntityTag? {
        Digest.sha256.hex(content).map { EntityTag(String($0.prefix(32))) }
    }

    /// The answer to one client: in the coding that it likes best, or 304 where it has that already.
    ///
    /// - Parameter key: under which it is kept; nil where it isn't.
    func respond(
        with answer: StoredAnswer, to request: Request, _ key: CacheKey?, at now: Moment, directives: String,
        status: String
    ) -> Response {
        let isAnswer = answer.composition?.failure == nil
        let form = isAnswer ? form(of: answer, for: request, key) : answer.form(nil)
        var fields = form?.fields ?? Fields()
        if isAnswer { fields.append(.cacheControl, directives) }
        fields.append(.age, String(answer.age(at: now)))
        fields.append(.cacheStatus, status)
        if isAnswer, let named = request.fields.list(.ifNoneMatch), let text = fields[.etag],
            EntityTag(String(text.dropFirst().dropLast())).isNamed(by: named)
        {
            fields.removeAll { $0 == .contentType || $0 == .contentEncoding }
            return Response(status: .notModified, fields: fields)
        }
        return Response(status: answer.status, fields: fields, body: .bytes(form?.content ?? []))
    }

    /// The form in the coding that the client likes best. One that nobody wanted so far is made, and kept with the answer.
    private func form(of answer: StoredAnswer, for request: Request, _ key: CacheKey?) -> Composition.Form? {
        let plain = answer.form(nil)
        guard request.fields.contains(.acceptEncoding), let plain,
            let coding = CodingRules().coding(
                acceptEncoding: request.fields.list(.acceptEncoding), contentType: plain.fields[.contentType],
                length: plain.content.count)
        else { return plain }
        if let form = answer.form(coding.token) { return form }
        if let key, let form = composed?.form(coding.token, of: answer, key) { return form }
        guard let coded = coding.encode(plain.content) else { return plain }
        var fields = plain.fields
        // Each coding is a representation of its own, so it has its own tag.
        if let tag = plain.fields[.etag] {
            fields.set(.etag, EntityTag(tag.dropFirst().dropLast() + "-" + coding.token).text)
        }
        fields.append(.contentEncoding, coding.token)
        let form = Composition.Form(coding: coding.token, fields: fields, content: coded)
        if let key, let composed { composed.add(form, to: answer, key) }
        return form
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
    func encoded(_ content: [UInt8], _ fields: Fields, _ request: Request) -> Response {
        var fields = fields
        let type = fields[.contentType] ?? ""
        let coding = CodingRules().coding(
            acceptEncoding: request.fields.list(.acceptEncoding), contentType: type, length: content.count)
        // Each coding is a representation of its own, so it has its own tag.
        if let digest = Digest.sha256.hex(content) {
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
