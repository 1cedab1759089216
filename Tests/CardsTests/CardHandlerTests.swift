import Drawing
import Glibc
import HTTP
import Testing

@testable import Cards

@Suite("The route of cards")
struct CardHandlerTests {
    /// Answers by the path; what isn't listed is 404.
    private struct Pages: Responder {
        var pages: [String: Response] = [:]

        func respond(to request: Request) async throws(GatewayError) -> Response {
            guard let page = pages[request.target.path] else {
                throw GatewayError(source: .upstream("marvel"), code: "not-found", status: .notFound, detail: "No.")
            }
            return page
        }
    }

    /// Shows what it was asked with.
    private struct Uploads: RouteHandler {
        func respond(to call: HandlerCall) async throws(GatewayError) -> Response {
            let type = call.request.fields[.contentType] ?? ""
            let size = call.request.body.length ?? 0
            return Response(
                status: .created, body: .bytes(Array("\(type) \(size > 1000) \(call.arguments)".utf8)))
        }
    }

    private static let json = #"""
        {"title":"Harbour Watch","thumbnail":"https://pictures.example/a.jpg","attribution":"Data provided by Marvel."}
        """#
    private static let comic = Response(
        fields: Fields([(.cacheControl, "max-age=100"), (.age, "40")]), body: .bytes(Array(json.utf8)))

    private static func cover() throws -> Response {
        let picture = try CardPainter.picture(of: Card(title: "cover"), pixelLimit: 1)
        return Response(fields: Fields([(.contentType, "image/jpeg")]), body: .bytes(picture.bytes))
    }

    /// Draws in a process of its own by `cat`: the reply is a picture that says whether a cover came.
    private func answer(
        _ method: Method = .get, accept: String? = nil, comic: Response? = comic, cover: Response? = nil,
        isElsewhere: Bool = false,
        hasUploads: Bool = true, coverLimit: Int = 1 << 20, report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> Response {
        var template = Array("/tmp/cards-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer {
            for name in ["bare", "full"] { unlink(folder + "/" + name) }
            rmdir(folder)
        }
        let picture = try CardPainter.picture(of: Card(title: "x"), pixelLimit: 1)
        for (name, hasCover) in [("bare", false), ("full", true)] {
            let reply = DrawingProcess.reply(Picture(bytes: picture.bytes, hasCover: hasCover))
            let file = try #require(fopen(folder + "/" + name, "wb"))
            fwrite(reply, 1, reply.count, file)
            fclose(file)
        }
        let script = "cd \(folder); if [ $(wc -c) -gt 1000 ]; then cat full; else cat bare; fi"
        let renderer = CardRenderer(CardRenderer.Limits(), program: "/bin/sh", command: ["-c", script], report: report)
        let handler = CardHandler(renderer, coverLimit: coverLimit, uploads: hasUploads ? Uploads() : nil)
        let pictures = Pages(pages: cover.map { ["/a.jpg": $0] } ?? [:])
        let call = HandlerCall(
            request: Request(
                method: method, target: Target("/comics/7/card"), fields: Fields(accept.map { [(.accept, $0)] } ?? [])),
            operation: "getComicCard", arguments: ["id": "7", "width": "320"], owner: nil, upstream: Pages(),
            upstreamNamed: { $0 == "imgur" ? Pages() : nil },
            locate: { address in
                !isElsewhere && address == "https://pictures.example/a.jpg" ? (pictures, Target("/a.jpg")) : nil
            },
            gateway: Pages(pages: comic.map { ["/comics/7": $0] } ?? [:]), base: "https://gateway.example",
            deadline: .now + .seconds(30))
        return try await handler.respond(to: call)
    }

    @Test("a card with its cover lives as long as its comic")
    func whole() async throws {
        let response = try await answer(cover: Self.cover())
        #expect(response.status == .ok)
        #expect(response.fields[.contentType] == "image/jpeg")
        #expect(response.fields[.cacheControl] == "max-age=60")
        #expect(response.fields[.vary] == "Accept")
        #expect(try await PictureHead(response.body.collected(limit: 1 << 20))?.kind == .jpeg)
    }

    @Test("a card whose cover is missing, broken, too large or elsewhere is not kept")
    func bare() async throws {
        let failed = Response(status: .internalServerError)
        let text = Response(body: .bytes(Array("<html>".utf8)))
        for response in [
            try await answer(), try await answer(cover: failed), try await answer(cover: text),
            try await answer(cover: Self.cover(), coverLimit: 1000),
            try await answer(cover: Self.cover(), isElsewhere: true),
        ] {
            #expect(response.status == .ok)
            #expect(response.fields[.cacheControl] == "no-store")
        }
    }

    @Test("the log tells why a cover is missing")
    func reasons() async throws {
        let (lines, tell) = AsyncStream<String>.makeStream()
        let report: @Sendable (String) -> Void = { tell.yield($0) }
        let text = Response(body: .bytes(Array("<html>".utf8)))
        let cover = try Self.cover()
        _ = try await answer(cover: cover, report: report)
        _ = try await answer(cover: Response(status: .internalServerError), report: report)
        _ = try await answer(cover: text, report: report)
        _ = try await answer(cover: cover, coverLimit: 1000, report: report)
        _ = try await answer(cover: cover, isElsewhere: true, report: report)
        tell.finish()
        let told = await lines.reduce(into: []) { $0.append($1) }
        let start = "the card of comic 7 is drawn without its cover: "
        #expect(
            told == [
                start + "Its upstream answered 500.", start + "It is neither a JPEG nor a PNG, GIF or WebP.",
                start + "It is larger than 1000 bytes.", start + "Its address belongs to no upstream.",
            ])
    }

    @Test("a comic without a cover has a card that may be kept")
    func none() async throws {
        let comic = Response(
            fields: Fields([(.cacheControl, "max-age=100")]), body: .bytes(Array(#"{"title":"Harbour Watch"}"#.utf8)))
        #expect(try await answer(comic: comic).fields[.cacheControl] == "max-age=100")
    }

    @Test("what is wrong with the comic is wrong with its card")
    func missing() async throws {
        let error = await #expect(throws: GatewayError.self) { try await answer(comic: nil) }
        #expect(error?.status == .notFound)
        var problem = GatewayError(
            source: .upstream("marvel"), code: "upstream-limit", status: .serviceUnavailable, detail: "Later.")
        problem.retryAfter = 7
        let answered = Response(problem: problem)
        let limited = await #expect(throws: GatewayError.self) { try await answer(comic: answered) }
        #expect(limited?.status == .serviceUnavailable && limited?.code == "upstream-limit")
        #expect(limited?.source == .upstream("marvel") && limited?.retryAfter == 7 && limited?.detail == "Later.")
        let broken = await #expect(throws: GatewayError.self) { try await answer(comic: Response(body: .bytes([1]))) }
        #expect(broken?.status == .badGateway)
    }

    @Test("a client that takes no picture is told so")
    func accept() async throws {
        let error = await #expect(throws: GatewayError.self) { try await answer(accept: "text/html") }
        #expect(error?.status == .notAcceptable)
    }

    @Test("POST hands the picture to uploads, with the comic's title")
    func upload() async throws {
        let response = try await answer(.post, accept: "text/event-stream", cover: Self.cover())
        #expect(response.status == .created)
        let text = String(decoding: try await response.body.collected(limit: 1000), as: UTF8.self)
        #expect(text == #"image/jpeg true ["title": "Harbour Watch"]"#)
        let error = await #expect(throws: GatewayError.self) { try await answer(.post, hasUploads: false) }
        #expect(error?.status == .serviceUnavailable)
    }

    @Test("POST uploads no card whose cover is missing, and the whole card of a comic that has none")
    func incomplete() async throws {
        let text = Response(body: .bytes(Array("<html>".utf8)))
        for cover in [nil, text] {
            let error = await #expect(throws: GatewayError.self) { try await answer(.post, cover: cover) }
            #expect(error?.status == .badGateway && error?.code == "card-incomplete")
        }
        let comic = Response(body: .bytes(Array(#"{"title":"Harbour Watch"}"#.utf8)))
        #expect(try await answer(.post, comic: comic).status == .created)
    }

    @Test("the title of an uploaded card is one line that uploads take")
    func title() async throws {
        let comic = Response(body: .bytes(Array(#"{"title":"A\u0001B\n\u202EC"}"#.utf8)))
        let body = try await answer(.post, comic: comic).body.collected(limit: 1000)
        #expect(String(decoding: body, as: UTF8.self).hasSuffix(#"["title": "AB C"]"#))
    }
}
