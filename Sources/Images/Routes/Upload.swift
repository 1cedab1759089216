internal import HTTP
internal import Synchronization

/// Whether the client that asked is still there. From any thread.
final class Presence: Sendable {
    private let hasLeft = Atomic(false)
    var isThere: Bool { !hasLeft.load(ordering: .relaxed) }
    func leave() { hasLeft.store(true, ordering: .relaxed) }
}

/// One upload: check the first bytes, note it, send it once, write its record, and only then say so.
struct Upload {
    let handler: ImagesHandler
    let content: UploadContent
    let call: HandlerCall
    let records: RecordStore
    let client: Presence

    func run() async throws(GatewayError) -> ImageRecord {
        let subject = try await content.begin()
        let request = try await request(for: subject)
        let token = Upload.token()
        // Where this can't be written, the record couldn't be either: nothing is sent then.
        try await records.begin(token, at: handler.settings.clock())
        guard client.isThere else { throw await failed(token, .clientHasLeft) }
        let image = try await send(request, subject, token)
        let record = record(of: image, subject)
        try await keep(record, token)
        guard !record.link.isEmpty else { throw await withdraw(record) }
        return record
    }

    private func request(for subject: UploadContent.Subject) async throws(GatewayError) -> Request {
        var request = Request(method: .post, target: Target(path: "/image"), id: call.request.id)
        request.fields.append(.contentType, content.contentType)
        switch subject {
        case .image: request.body = .stream(content)
        case .url: request.body = .bytes(try await content.whole())
        }
        return request
    }

    private func send(
        _ request: Request, _ subject: UploadContent.Subject, _ token: String
    ) async throws(GatewayError) -> ImgurImage {
        let answer: ImgurAnswer
        do throws(GatewayError) {
            answer = try await handler.ask(request, call, isUpload: true)
        } catch {
            // A form that was never whole is none to Imgur; of a whole one nobody knows what became.
            guard content.failure == nil, content.isWhole, error.mayHaveArrived else {
                throw await failed(token, content.failure ?? error)
            }
            lost("Imgur's answer to an upload didn't come")
            var unknown = await failed(token, error)
            unknown.texts.append(("outcome", "unknown"))
            throw unknown
        }
        switch answer {
        case .uploaded(let image): return image
        case .failed(let failure):
            var hasAddress = false
            if case .url = subject { hasAddress = true }
            throw await failed(token, handler.error(failure, isUpload: true, hasAddress: hasAddress))
        case .done, .gone:
            lost("Imgur answered an upload without the names of the image")
            throw await failed(token, handler.error(.unreadable, isUpload: true))
        }
    }

    private func record(of image: ImgurImage, _ subject: UploadContent.Subject) -> ImageRecord {
        var type = image.type
        if type == nil, case .image(let known) = subject { type = known.mediaType }
        return ImageRecord(
            id: image.id, deleteHash: image.deleteHash, link: image.link, type: type ?? "application/octet-stream",
            width: image.width, height: image.height, size: image.size ?? content.imageSize,
            title: content.texts[.title], uploaded: handler.settings.clock())
    }

    /// Writes the record. Where that fails after all, the image is taken back at once.
    private func keep(_ record: ImageRecord, _ token: String) async throws(GatewayError) {
        do throws(GatewayError) {
            switch try await records.keep(record, of: call.scope.owner, token: token) {
            case .written: return
            case .isKnown: break
            case .isTaken:
                if await !isTakenBack(record) {
                    lost("Imgur gave the id of an image that is known to another, which could not be taken back")
                }
            }
        } catch {
            handler.noteRecordFailure()
            if await isTakenBack(record) { throw error }
            // Neither way: one more try, for this is the only place where the delete hash is.
            do throws(GatewayError) {
                // The first try may have been written after all.
                if try await records.keep(record, of: call.scope.owner, token: token) != .isTaken { return }
            } catch {
                lost("the record of an upload could not be written, nor the image be taken back")
                throw error
            }
            lost("Imgur gave the id of an image that is known to another, which could not be taken back")
        }
        // The image that the record is of is its owner's: it is told to nobody else.
        throw handler.error(.unreadable, isUpload: true)
    }

    /// An image without a usable address is no good to anybody: it is taken back, or stays to be deleted.
    private func withdraw(_ record: ImageRecord) async -> GatewayError {
        if await isTakenBack(record) { _ = try? await records.remove(record) }
        return handler.error(.unreadable, isUpload: true)
    }

    private func isTakenBack(_ record: ImageRecord) async -> Bool {
        switch try? await handler.ask(handler.deletion(of: record.deleteHash), call, isUpload: false) {
        case .done, .uploaded, .gone: true
        case .failed, nil: false
        }
    }

    private func failed(_ token: String, _ error: GatewayError) async -> GatewayError {
        // Where this can't be written, a later start of the program does it.
        try? await records.abandon(token)
        return error
    }

    private func lost(_ what: String) {
        handler.count { $0.lost += 1 }
        handler.settings.report(
            "\(what): an image may be at Imgur that can't be deleted from here (request \(call.request.id))")
    }

    private static func token() -> String {
        var random = SystemRandomNumberGenerator()
        return String(random.next(), radix: 36) + String(random.next(), radix: 36)
    }
}

extension GatewayError {
    /// Whether the request that failed so may have reached the upstream all the same.
    fileprivate var mayHaveArrived: Bool {
        let early = ["upstream-refused", "upstream-unresolved", "upstream-tls", "address-refused", "upstream-failed"]
        return wasAsked && source != .client && !early.contains(code)
    }

    static let clientHasLeft = GatewayError(
        source: .client, code: "client-gone", status: .requestTimeout, detail: "The client has gone away.")
}
