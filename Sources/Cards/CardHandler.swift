internal import Drawing
public import HTTP
internal import JSON

/// Answers `/comics/{id}/card`: GET draws the card of a comic, POST draws it and uploads it. One for all workers.
///
/// What a card shows comes from the gateway's own route of the comic, and its cover from whichever upstream of the contracts the
/// cover's address belongs to.
public final class CardHandler: RouteHandler {
    /// What a contract calls it.
    public static let name = "card"

    private let renderer: CardRenderer
    private let coverLimit: Int
    private let uploads: (any RouteHandler)?

    /// - Parameters:
    ///   - coverLimit: the most bytes of a cover; one that is larger is left out.
    ///   - uploads: answers a POST of a picture as an upload does; nil where there is nothing to upload to.
    public init(_ renderer: CardRenderer, coverLimit: Int, uploads: (any RouteHandler)? = nil) {
        self.renderer = renderer
        self.coverLimit = coverLimit
        self.uploads = uploads
    }

    public func respond(to call: HandlerCall) async throws(GatewayError) -> Response {
        switch call.request.method {
        case .get:
            let format = try CardHandler.format(accept: call.request.fields.list(.accept))
            let card = try await draw(call, format)
            let fields = Fields([
                (.contentType, format.mediaType), (.cacheControl, card.freshness.directives), (.vary, "Accept"),
            ])
            return Response(fields: fields, body: .bytes(card.picture.bytes))
        case .post: return try await upload(call)
        default:
            throw GatewayError(
                source: .gateway, code: "internal-error", status: .internalServerError,
                detail: "The contract has a route for cards that does nothing known.")
        }
    }

    // MARK: Drawing

    private struct Drawn {
        var picture: Picture
        var freshness: CardFreshness
        var facts: ComicFacts
        /// Nothing that the comic has is missing from it.
        var isWhole: Bool { facts.cover == nil || picture.hasCover }
    }

    private func draw(_ call: HandlerCall, _ format: PictureFormat) async throws(GatewayError) -> Drawn {
        let (facts, fields) = try await comic(call)
        var freshness = CardFreshness(fields)
        var cover: [UInt8] = []
        if let address = facts.cover {
            do throws(GatewayError) {
                let found = try await self.cover(at: address, call)
                cover = found.bytes
                freshness.combine(CardFreshness(found.fields))
            } catch {
                if call.deadline <= .now { throw error }
                // The next one who asks may be luckier.
                freshness.forbid()
                tell(call, error.detail)
            }
        }
        let width = call.arguments["width"].flatMap { Int($0) } ?? Card(title: "").width
        let picture = try await renderer.picture(
            of: facts.card(cover: cover, width: width, format: format), until: call.deadline)
        var drawn = Drawn(picture: picture, freshness: freshness, facts: facts)
        if !drawn.isWhole { drawn.freshness.forbid() }
        if !cover.isEmpty, !picture.hasCover {
            tell(call, "The cover is broken, or has too many pixels, or is a dot or a strip.")
        }
        return drawn
    }

    /// Why a card has no cover.
    private func tell(_ call: HandlerCall, _ reason: String) {
        let comic = call.arguments["id"].flatMap { ASCII.decimal($0.utf8) }.map { "comic \($0)" } ?? "a comic"
        renderer.report("the card of \(comic) is drawn without its cover: \(reason)")
    }

    private func comic(_ call: HandlerCall) async throws(GatewayError) -> (ComicFacts, Fields) {
        let path = "/comics/" + Percent.encoded(call.arguments["id"] ?? "")
        let request = Request(target: Target(path), fields: Fields([(.accept, "application/json")]))
        let response = try await call.gateway.respond(to: request)
        let content = try await response.body.collected(limit: 8 << 20)
        guard response.status == .ok else { throw GatewayError(problem: response, content) }
        guard let facts = ComicFacts(content) else {
            throw GatewayError(
                source: .gateway, code: "no-comic", status: .badGateway,
                detail: "The comic's own route gave no comic to draw.")
        }
        return (facts, response.fields)
    }

    /// - Throws: where the address belongs to no upstream, or there is no picture behind it.
    private func cover(at address: String, _ call: HandlerCall) async throws(GatewayError) -> (
        bytes: [UInt8], fields: Fields
    ) {
        guard let (upstream, target) = call.locate(address) else {
            throw .noCover("Its address belongs to no upstream.")
        }
        let fields = Fields([(.accept, "image/jpeg, image/png, image/gif;q=0.5")])
        let response = try await upstream.respond(to: Request(target: target, fields: fields))
        guard response.status == .ok else { throw .noCover("Its upstream answered \(response.status.code).") }
        let bytes = try await response.body.collected(limit: coverLimit)
        guard bytes.count <= coverLimit else { throw .noCover("It is larger than \(coverLimit) bytes.") }
        guard PictureHead(bytes) != nil else { throw .noCover("It is neither a JPEG nor a PNG, GIF or WebP.") }
        return (bytes, response.fields)
    }

    // MARK: Accept

    /// JPEG, unless the client likes PNG better or alone.
    /// - Throws: 406 where it takes neither.
    static func format(accept: String?) throws(GatewayError) -> PictureFormat {
        let ranges = MediaRanges(accept)
        let liked = PictureFormat.allCases.map { (format: $0, quality: ranges.quality(of: $0.mediaType)) }
        // The first of those that are liked as much.
        let best = liked.reduce(nil as (format: PictureFormat, quality: Double)?) { best, next in
            next.quality > (best?.quality ?? 0) ? next : best
        }
        if let best { return best.format }
        var error = GatewayError(
            source: .client, code: "not-acceptable", status: .notAcceptable,
            detail: "A card is image/jpeg or image/png, and the request accepts neither.")
        error.lists = [("allowed", PictureFormat.allCases.map(\.mediaType))]
        throw error
    }

    // MARK: Uploading

    /// Hands the picture to the handler of uploads, as if the client had sent it. What is uploaded is there for everybody and can't be
    /// drawn again, so a card without the comic's cover is not.
    private func upload(_ call: HandlerCall) async throws(GatewayError) -> Response {
        guard let uploads, let imgur = call.upstreamNamed("imgur") else {
            throw GatewayError(
                source: .gateway, code: "uploads-unavailable", status: .serviceUnavailable,
                detail:
                    "Cards can be shown but not uploaded: the gateway was started without the contract openapi/imgur.yaml."
            )
        }
        var toUpload = call
        toUpload.upstream = imgur
        try await uploads.check(toUpload)
        let card = try await draw(call, .jpeg)
        guard card.isWhole else { throw .incomplete }
        var call = toUpload
        call.arguments = ["title": CleanText.line(card.facts.title, limit: 120)].filter { !$0.value.isEmpty }
        call.request.fields.set(.contentType, PictureFormat.jpeg.mediaType)
        call.request.body = .bytes(card.picture.bytes)
        return try await uploads.respond(to: call)
    }
}

extension GatewayError {
    /// The error that a problem document of the gateway's own tells of.
    fileprivate init(problem response: Response, _ content: [UInt8]) {
        let document = try? JSONDocument(content)
        func text(_ name: String) -> String? {
            document.flatMap { document in
                document.member(name, of: document.root).flatMap { document.string(of: $0) }
            }
        }
        self.init(
            source: text("upstream").map { .upstream($0) } ?? .gateway, code: text("code") ?? "no-comic",
            status: response.status.code >= 400 ? response.status : .badGateway,
            detail: text("detail") ?? "The comic's own route gave no comic to draw.")
        retryAfter = response.fields[.retryAfter].flatMap { ASCII.decimal($0.utf8) }
    }

    fileprivate static let incomplete = GatewayError(
        source: .gateway, code: "card-incomplete", status: .badGateway,
        detail: "The comic's cover can't be had, or not be shown, so its card was not uploaded.")

    /// Told to the log alone: the card is drawn without.
    fileprivate static func noCover(_ reason: String) -> GatewayError {
        GatewayError(source: .gateway, code: "no-cover", status: .badGateway, detail: reason)
    }
}
