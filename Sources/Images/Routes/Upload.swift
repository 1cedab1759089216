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
    let records: ImageRecords
    let client: Presence

    func run() async throws(GatewayError) -> ImageRecord {
        let subject = try await content.begin()
        let request = try await request(for: subject)
        let token = Upload.token()
        // Where this can't be written, the record couldn't be either: nothing is sent then.
        try await records.begin(token)
        guard client.isThere else { throw await failed(token, .clientHasLeft) }
        let image = try await send(request, subject, token)
        let record = record(of: image, subject, token)
        try await keep(record, token)
        guard !image.id.isEmpty, !image.link.isEmpty else { throw await withdraw(record) }
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
            guard content.failure == nil, content.isWhole, error.mayHaveChanged else {
                throw await failed(token, content.failure ?? error).withoutEffect
            }
            lost("Imgur's answer to an upload didn't come")
            throw await failed(token, error)
        }
        switch answer {
        case .uploaded(let image): return image
        case .failed(let failure, let isRefusal):
            var hasAddress = false
            if case .url = subject { hasAddress = true }
            let error = handler.error(failure, isUpload: true, hasAddress: hasAddress)
            guard content.failure == nil, content.isWhole, !isRefusal else { throw await failed(token, error) }
            lost("Imgur failed after it had a whole upload, or its answer can't be read")
            throw await failed(token, error).withUnknownOutcome
        case .done, .gone:
            lost("Imgur answered an upload without the names of the image")
            throw await failed(token, handler.error(.unreadable, isUpload: true)).withUnknownOutcome
        }
    }

    /// An image without a usable id gets one of ours, so that it can be deleted.
    private func record(of image: ImgurImage, _ subject: UploadContent.Subject, _ token: String) -> ImageRecord {
        var type = image.type
        if type == nil, case .image(let known) = subject { type = known.mediaType }
        return ImageRecord(
            id: image.id.isEmpty ? token : image.id, deleteHash: image.deleteHash, link: image.link,
            type: type ?? "application/octet-stream",
            width: image.width, height: image.height, size: image.size ?? content.imageSize,
            title: content.texts[.title], uploaded: handler.settings.clock())
    }

    /// Writes the record.
    private func keep(_ record: ImageRecord, _ token: String) async throws(GatewayError) {
        let kept: RecordStore.Keeping
        do throws(GatewayError) {
            kept = try await records.keep(record, of: call.scope.owner, token: token)
        } catch {
            handler.noteRecordFailure()
            throw await giveUp(record, token, error)
        }
        switch kept {
        case .written: return
        // The image that the record is of is its owner's: it is told to nobody else.
        case .isKnown: throw handler.error(.unreadable, isUpload: true)
        case .isTaken:
            // Under a name of ours it can be deleted.
            var own = record
            own.id = token
            if own.id != record.id { try await keep(own, token) }
            throw await withdraw(own)
        }
    }

    /// What becomes of an image whose record could not be written after all: it is taken back at once. Where that fails too, the record is
    /// written later.
    private func giveUp(_ record: ImageRecord, _ token: String, _ error: GatewayError) async -> GatewayError {
        // First of all, for this is the only place where the delete hash is.
        let isNoted = await records.note(record, of: call.scope.owner, token: token)
        if await isTakenBack(record) { return await failed(token, error) }
        if isNoted {
            records.keepLater(token)
            handler.settings.report(
                "the record of an upload could not be written, nor the image be taken back: the record is written before the next upload, or at the next start"
                    + " (request \(call.request.id))")
        } else {
            lost("the record of an upload could not be written, nor the image be taken back")
        }
        var error = error.withUnknownOutcome
        // Whoever tries again may have two.
        error.retryAfter = nil
        return error
    }

    /// An image that is no good to anybody is taken back, or stays to be deleted.
    private func withdraw(_ record: ImageRecord) async -> GatewayError {
        let error = handler.error(.unreadable, isUpload: true)
        if await isTakenBack(record) {
            _ = try? await records.remove(record)
            return error
        }
        handler.count { $0.lost += 1 }
        handler.settings.report(
            "an image without an id or address that can be used could not be taken back: it may be at Imgur, and can be deleted as /images/\(record.id)"
                + " (request \(call.request.id))")
        return error.withUnknownOutcome
    }

    private func isTakenBack(_ record: ImageRecord) async -> Bool {
        switch try? await handler.ask(
            handler.deletion(of: record.deleteHash, id: call.request.id), call, isUpload: false)
        {
        case .done, .uploaded, .gone: true
        case .failed, nil: false
        }
    }

    private func failed(_ token: String, _ error: GatewayError) async -> GatewayError {
        await records.abandon(token)
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
    static let clientHasLeft = GatewayError(
        source: .client, code: "client-gone", status: .requestTimeout, detail: "The client has gone away.")
}
