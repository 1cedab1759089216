internal import Compression
public import HTTP
internal import Hashing
internal import Threads

/// A stand-in for Marvel's comics API (gateway.marvel.com, retired in 2025) that answers from memory as the original did: its signed
/// queries, parameters, paging, envelope, unquoted entity tags, gzip, and its errors in two shapes. The base path is `/v1/public`; the books
/// and people are invented. The same comics go on sale around the day of the clock, whenever that is: more than 60 in last week.
///
/// It is put behind a server; it opens no sockets. One object serves all workers. GET only, as the original: HEAD is answered with 405.
public final class SampleMarvel: Responder {
    /// Called before each answer; it waits, and may throw in the upstream's stead.
    public typealias Delay = @Sendable (Request) async throws(GatewayError) -> Void

    /// The key pair of an account.
    public struct Keys: Sendable {
        /// Sent as `apikey`; also in the addresses of pages.
        public var publicKey: String
        /// Never sent.
        public var privateKey: String

        public init(publicKey: String, privateKey: String) {
            self.publicKey = publicKey
            self.privateKey = privateKey
        }

        /// The pair that the sample takes where no other is given.
        public static let sample = Keys(publicKey: "sample-public-key", privateKey: "sample-private-key")
    }

    /// What the whole service may do in place of answering.
    public enum Fault: String, Sendable, CaseIterable {
        /// 500 to everything, as since the API was retired.
        case retired
        /// 429, whatever the limit.
        case throttled
    }

    private let keys: MarvelKeys
    private let referers: [String]
    private let throttle: Throttle?
    private let fault: (@Sendable (Request) -> Fault?)?
    private let delay: Delay?
    private let now: @Sendable () -> Int
    private let catalogue: Locked<MarvelCatalogue>
    /// Coded contents by entity tag: a page of comics takes longer to compress than all the rest.
    private let coded = Locked<[String: [UInt8]]>([:])

    /// - Parameters:
    ///   - keys: the one pair that is let in.
    ///   - limit: how many signed requests are answered before the rest gets 429, refused ones counted too; nil for no limit.
    ///   - referers: hosts that may stand in `Referer`; a request that names another is refused with 401, one without `Referer` is not.
    ///   - fault: asked before each answer; nil for an answer as usual.
    ///   - now: seconds since 1970, by which weeks and months are told (UTC); nil for the system's clock.
    ///   - delay: what happens before each answer; nil for none.
    public init(
        keys: Keys = .sample, limit: RequestLimit? = nil, referers: [String] = [],
        fault: (@Sendable (Request) -> Fault?)? = nil, now: (@Sendable () -> Int)? = nil, delay: Delay? = nil
    ) {
        self.keys = MarvelKeys(publicKey: keys.publicKey, privateKey: keys.privateKey)
        self.referers = referers
        throttle = limit.map { Throttle($0, countsRefused: true) }
        self.fault = fault
        self.now = now ?? systemSeconds
        self.delay = delay
        let week = CivilDay(seconds: self.now()).weekStart
        catalogue = Locked(MarvelCatalogue(week: week, publicKey: keys.publicKey))
    }

    public func respond(to request: Request) async throws(GatewayError) -> Response {
        if let delay { try await delay(request) }
        return answer(to: request)
    }

    /// The answer, at once.
    func answer(to request: Request) -> Response {
        do {
            let today = CivilDay(seconds: now())
            return response(to: request, try page(for: request, today: today), today: today)
        } catch {
            var fields = Self.fields(error.contentType)
            if error.status == .methodNotAllowed { fields.append(.allow, "GET") }
            return Response(status: error.status, fields: fields, body: .bytes(error.body))
        }
    }

    private func page(for request: Request, today: CivilDay) throws(MarvelRefusal) -> MarvelPage {
        let fault = fault?(request)
        if fault == .retired { throw .retired }
        guard let route = MarvelRoute(path: request.target.path) else { throw .noRoute(request.target) }
        guard request.method == .get else { throw .noMethod(request.method) }
        let query = FormQuery(request.target.query)
        try keys.check(query)
        if let referer = request.fields[Self.referer], !isKnown(referer) { throw .wrongReferer }
        if throttle?.wait() != nil || fault == .throttled { throw .throttled }
        return try page(route, query, of: catalogue(today), today: today)
    }

    private func page(
        _ route: MarvelRoute, _ query: FormQuery, of catalogue: MarvelCatalogue, today: CivilDay
    ) throws(MarvelRefusal) -> MarvelPage {
        func place(_ kind: MarvelKind, _ id: String) throws(MarvelRefusal) -> Int {
            guard let id = ASCII.decimal(id.utf8), let place = catalogue.place(kind, id: id) else {
                throw .noResource(kind)
            }
            return place
        }
        switch route {
        case .list(let kind):
            let query = try MarvelQuery(query, kind, of: nil, catalogue, today: today)
            return MarvelPage(kind, query.found(nil), offset: query.offset, limit: query.limit, catalogue)
        case .related(let owner, let id, let kind):
            let owned = catalogue[owner][try place(owner, id)]
            // Somebody who did two things is one all the same.
            var seen: Set<Int> = []
            let places = owned[kind].filter { seen.insert($0).inserted }
            let query = try MarvelQuery(query, kind, of: owner, catalogue, today: today)
            return MarvelPage(kind, query.found(places), offset: query.offset, limit: query.limit, catalogue)
        case .resource(let kind, let id):
            if let other = query.pairs.first(where: { !MarvelKeys.names.contains($0.name) }) {
                throw .unknownParameter(other.name)
            }
            return MarvelPage(kind, [try place(kind, id)], offset: 0, limit: 20, catalogue)
        }
    }

    private func response(to request: Request, _ page: MarvelPage, today: CivilDay) -> Response {
        let year = today.date.year
        let tag = page.tag(year: year, publicKey: keys.publicKey)
        var fields = Self.fields("application/json; charset=utf-8")
        fields.append(Self.etag, tag)
        // No quotes, neither in the answer's field nor in the request's.
        if request.fields[.ifNoneMatch] == tag { return Response(status: .notModified, fields: fields) }
        guard wantsGzip(request.fields.list(.acceptEncoding)) else {
            return Response(fields: fields, body: .bytes(page.json(year: year, tag: tag)))
        }
        let known = coded.withLock { $0[tag] }
        guard let content = known ?? ContentCoding.gzip.encode(page.json(year: year, tag: tag)) else {
            return Response(fields: fields, body: .bytes(page.json(year: year, tag: tag)))
        }
        if known == nil {
            coded.withLock { coded in
                if coded.count >= 64 { coded.removeAll() }
                coded[tag] = content
            }
        }
        fields.append(.contentEncoding, "gzip")
        return Response(fields: fields, body: .bytes(content))
    }

    /// The catalogue of the day's week; a new week brings a new one.
    private func catalogue(_ today: CivilDay) -> MarvelCatalogue {
        let week = today.weekStart
        return catalogue.withLock { catalogue in
            if catalogue.week != week { catalogue = MarvelCatalogue(week: week, publicKey: keys.publicKey) }
            return catalogue
        }
    }

    private func isKnown(_ referer: String) -> Bool {
        referers.contains { host in
            ["http://", "https://"].contains { referer == $0 + host || referer.hasPrefix($0 + host + "/") }
        }
    }

    private static let etag: FieldName = "Etag"
    private static let referer: FieldName = "Referer"
    private static let anyOrigin: FieldName = "Access-Control-Allow-Origin"

    private static func fields(_ contentType: String) -> Fields {
        Fields([(.contentType, contentType), (anyOrigin, "*")])
    }
}

/// Whether a value of `Accept-Encoding` asks for gzip; a weight only matters where it is 0.
func wantsGzip(_ value: String?) -> Bool {
    for member in (value ?? "").lowercased().split(separator: ",") {
        let parts = member.split(separator: ";").map { ASCII.trimmed($0) }
        guard let name = parts.first, name == "gzip" || name == "x-gzip" || name == "*" else { continue }
        return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
    }
    return false
}
