public import HTTP
internal import Threads

/// A stand-in for Imgur's API that keeps pictures in memory and answers as the original does: its `Client-ID`, uploads in two form
/// encodings, delete hashes, limits that count down in the fields of every answer, and its errors in all their shapes. The base path is `/3`;
/// the routes are `/3/image`, which is `/3/upload` too, and `/3/image/{id or hash}`. Under `/ID.png` the picture itself is had, as on the
/// original's other host.
///
/// It is put behind a server; it opens no sockets, so a picture that is named by an address is one of its own: the one that it keeps
/// there, else always the same small landscape. One object serves all workers. Only the newest pictures are kept.
public final class SampleImgur: Responder {
    /// Called before each answer; it waits, and may throw in the upstream's stead.
    public typealias Delay = @Sendable (Request) async throws(GatewayError) -> Void

    /// The client that the sample takes where no other is given.
    public static let sampleClient = "sample-client-id"
    /// The largest picture, in bytes.
    public static let largestImage = 10 << 20
    /// The longest content of a request: such a picture as base64 with its percent-encoding, and texts. The server in front has to let more
    /// through.
    public static let longestContent = largestImage / 3 * 4 + (2 << 20)

    private let client: String
    private let memory: Int
    private let fault: (@Sendable (Request) -> Fault?)?
    private let delay: Delay?
    private let now: @Sendable () -> Int
    private let counts: Locked<ImgurCounts>
    private let shelf: Locked<ImgurShelf>
    /// Bytes of uploads that are being read.
    private let arriving = Locked(0)

    /// - Parameters:
    ///   - client: the one id that is let in.
    ///   - mostImages: pictures that are kept at the most; the oldest one goes first.
    ///   - memory: bytes of pictures that are kept, and as many of uploads on their way; an upload that has no room is answered with 500.
    ///   - fault: asked before each answer; nil for an answer as usual. See ``Fault`` for how a client asks for one.
    ///   - now: seconds since 1970, for dates and limits; nil for the system's clock.
    ///   - delay: what happens before each answer; nil for none.
    public init(
        client: String = SampleImgur.sampleClient, limits: Limits = Limits(), mostImages: Int = 500,
        memory: Int = 64 << 20, fault: (@Sendable (Request) -> Fault?)? = nil, now: (@Sendable () -> Int)? = nil,
        delay: Delay? = nil
    ) {
        self.client = client
        self.memory = memory
        self.fault = fault
        self.now = now ?? systemSeconds
        self.delay = delay
        counts = Locked(ImgurCounts(limits))
        shelf = Locked(ImgurShelf(most: mostImages, memory: memory))
    }

    /// Whether `path` may be a picture's, which is outside the base path.
    public static func isPicture(path: String) -> Bool { ImgurPicture.id(path: path) != nil }

    /// - Throws: what the delay throws, and what the content's sender did wrong.
    public func respond(to request: Request) async throws(GatewayError) -> Response {
        if let delay { try await delay(request) }
        if let id = ImgurPicture.id(path: request.target.path) { return picture(id, request.method) }
        let moment = min(max(now(), 86_400), 250_000_000_000)
        let call = ImgurCall(request, fault: fault?(request))
        if let refusal = refusal(of: call, at: moment) { return response(refusal, to: call, at: moment) }
        guard case .image(let id) = call.route else {
            // Counted until the answer is there, for the picture is taken out of the content.
            var held = 0
            defer { arriving.withLock { $0 -= held } }
            let answer =
                switch try await read(request.body, &held) {
                case .whole(let content): upload(content, call, at: moment)
                case .tooLong: call.answer(.size413)
                case .noRoom: call.answer(.capacity500)
                }
            return response(answer, to: call, at: moment)
        }
        let answer = call.request.method == .delete ? deletion(id, call) : information(id, call)
        return response(answer, to: call, at: moment)
    }

    /// What is said before anything is read or looked up; nil where the call may go on.
    private func refusal(of call: ImgurCall, at moment: Int) -> ImgurAnswer? {
        if let fault = call.fault, !fault.isBend { return call.answer(fault) }
        guard let route = call.route else { return call.answer(.missing) }
        if call.isFromLocalPage { return call.answer(.forbidden) }
        if let refusal = call.refusal(of: client) { return call.answer(refusal) }
        let isPost = call.request.method == .post
        guard route.methods.contains(call.request.method) else { return call.answer(.method405) }
        return counts.withLock { counts in
            counts.call(at: moment, isPost: isPost, isUpload: route == .upload).map { fault in
                call.answer(fault, minutes: counts.minutes(at: moment))
            }
        }
    }

    // MARK: Uploads

    private enum Reading {
        case whole([UInt8])
        case tooLong
        case noRoom
    }

    /// - Parameter held: counts what is read, for as long as the caller keeps it.
    private func read(_ body: Body, _ held: inout Int) async throws(GatewayError) -> Reading {
        if let length = body.length, length > Self.longestContent { return .tooLong }
        func hold(_ count: Int) -> Bool {
            arriving.withLock { arriving in
                guard count <= memory - arriving else { return false }
                arriving += count
                return true
            }
        }
        switch body {
        case .none: return .whole([])
        case .bytes(let bytes): return .whole(bytes)
        case .stream(let stream):
            var content: [UInt8] = []
            while let piece = try await stream.next() {
                if piece.count > Self.longestContent - content.count { return .tooLong }
                guard hold(piece.count) else { return .noRoom }
                held += piece.count
                content.append(contentsOf: piece)
            }
            return .whole(content)
        }
    }

    private func upload(_ content: [UInt8], _ call: ImgurCall, at moment: Int) -> ImgurAnswer {
        let form = UploadForm(content, contentType: call.request.fields[.contentType])
        let words = form["title"] ?? form["name"] ?? ""
        let bend = call.fault ?? Fault(asking: words, "fault:")
        if let bend, !bend.isBend { return call.answer(bend) }
        do throws(Fault) {
            let content = try ImgurPicture.content(form) { id in shelf.withLock { $0[id]?.content } }
            guard content.count <= Self.largestImage else { throw .size400 }
            guard let facts = PictureFacts(content[...]) else { throw .type400 }
            let image = ImgurImage(
                id: ImgurShelf.word(7), hash: ImgurShelf.word(15), facts: facts, content: content,
                title: form["title"], description: form["description"], name: form["name"] ?? "", uploaded: moment,
                fault: Fault(asking: words, "later:"))
            shelf.withLock { $0.insert(image) }
            counts.withLock { $0.uploaded(at: moment) }
            return .success(image.data(link: call.link(to: image, bend), showsHash: bend != .noHash), bend)
        } catch {
            return call.answer(error)
        }
    }

    // MARK: What is kept

    private func information(_ id: String, _ call: ImgurCall) -> ImgurAnswer {
        guard let image = shelf.withLock({ $0[id] }) else { return call.answer(.missing) }
        let bend = call.fault ?? image.fault
        if let bend, !bend.isBend { return call.answer(bend) }
        return .success(image.data(link: call.link(to: image, bend), showsHash: false), bend)
    }

    /// A hash can be used once. An image's id is no hash, but known.
    private func deletion(_ hash: String, _ call: ImgurCall) -> ImgurAnswer {
        shelf.withLock { shelf in
            guard let image = shelf.image(hash: hash) else {
                return call.answer(shelf[hash] == nil ? .missing : .unauthorized)
            }
            let bend = call.fault ?? image.fault
            if let bend, !bend.isBend { return call.answer(bend) }
            shelf.remove(id: image.id)
            return .success(bend == .nullData ? .null : .flag(true), bend)
        }
    }

    private func picture(_ id: String, _ method: Method) -> Response {
        guard method == .get || method == .head else {
            return ImgurAnswer.page(405, "405 Not Allowed").response(isXML: false, takesGzip: false)
        }
        let image = shelf.withLock { method == .get ? $0.view(id: id) : $0[id] }
        guard let image else {
            return ImgurAnswer.page(404, "imgur: the simple 404 page").response(isXML: false, takesGzip: false)
        }
        let fields = Fields([
            (.contentType, image.facts.kind.mediaType), (.cacheControl, "public, max-age=31536000"),
            (.etag, "\"\(image.id)\""), ("X-Content-Type-Options", "nosniff"),
        ])
        return Response(fields: fields, body: .bytes(image.content))
    }

    // MARK: Answers

    private func response(_ answer: ImgurAnswer, to call: ImgurCall, at moment: Int) -> Response {
        let fault = answer.fault
        var answer = answer
        if answer.hasLimits, fault != .noLimits {
            let isPost = call.request.method == .post
            answer.fields += counts.withLock {
                $0.fields(at: moment, isPost: isPost, spent: fault?.spent, isTime: fault == .resetTime)
            }
        }
        switch fault {
        case .slashes: answer.escapesSlashes = true
        case .htmlType: answer.contentType = "text/html; charset=utf-8"
        case .vendorType: answer.contentType = ImgurAnswer.vendorType
        default: break
        }
        if call.wantsFakeStatus, case .envelope = answer.content { answer.status = .ok }
        return answer.response(
            isXML: call.isXML, takesGzip: wantsGzip(call.request.fields.list(.acceptEncoding)))
    }
}
