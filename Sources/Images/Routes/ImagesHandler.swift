public import HTTP
internal import Threads

/// Answers `/images`: uploads to Imgur, what was uploaded, and its deletion. One for all workers.
///
/// The contract names it as the handler `images`; which of its operations a request is for is told by method and arguments.
public final class ImagesHandler: RouteHandler {
    /// What a contract calls it.
    public static let name = "images"

    let settings: ImagesSettings
    private let images: ImageRecords?
    private let shared: Locked<Shared>

    /// What all workers know of Imgur, and what was done so far.
    private struct Shared {
        var limits = ImgurLimits()
        var counts = ImageCounts()
        /// When the record of an upload last failed to be written although the disk had seemed to have room.
        var recordsFailed: Int?
    }

    /// How long no upload is tried after that, in seconds.
    private static let recordsPause = 30

    public init(_ settings: ImagesSettings) {
        self.settings = settings
        images = settings.store.map { ImageRecords($0, shared: settings.sharing, clock: settings.clock) }
        shared = Locked(Shared())
    }

    public func respond(to call: HandlerCall) async throws(GatewayError) -> Response {
        switch (call.request.method, call.arguments["id"]) {
        case (.get, nil): return try await list(call)
        case (.get, let id?): return try await show(id, call)
        case (.post, nil): return try await upload(call)
        case (.delete, let id?): return try await delete(id, call)
        default:
            throw GatewayError(
                source: .gateway, code: "internal-error", status: .internalServerError,
                detail: "The contract has a route for images that does nothing known.")
        }
    }

    /// What was done since the start, and what is left of Imgur's limits. From any thread.
    public var counts: ImageCounts {
        shared.withLock { shared in
            var counts = shared.counts
            counts.limits = ImgurLimit.Kind.allCases.compactMap { shared.limits.all[$0] }
            counts.unshared = images?.isUpToDate == false
            counts.unreadable = images?.unreadable ?? 0
            return counts
        }
    }

    func count(_ change: (inout ImageCounts) -> Void) { shared.withLock { change(&$0.counts) } }

    /// - Throws: 503 where there is no place for records.
    func records() throws(GatewayError) -> ImageRecords {
        guard let images else {
            throw .recordsUnavailable("there is no folder for it; name one with --state")
        }
        return images
    }

    /// Tells other machines what they don't know of images yet. To be called each second.
    /// - Parameters:
    ///   - sharing: in place of the one that requests use, with more patience.
    ///   - connection: another number after each loss of the connection.
    public func synchronize(_ sharing: any RecordSharing, connection: Int) async {
        await images?.synchronize(sharing, connection: connection)
    }

    /// - Throws: 503 where records can't be written, as far as that is known without writing one.
    func writableRecords() throws(GatewayError) -> ImageRecords {
        let records = try records()
        try checkLastRecord()
        if !records.local.isInPlace {
            noteRecordFailure()
            settings.report(
                "the file of records (--state) was moved or deleted: no upload is taken until the next start")
        }
        try records.local.checkPlace()
        return records
    }

    private func checkLastRecord() throws(GatewayError) {
        let now = settings.clock()
        if let failed = shared.withLock({ $0.recordsFailed }), (0..<ImagesHandler.recordsPause).contains(now - failed) {
            throw .recordsUnavailable("the last record could not be written")
        }
    }

    /// Why an upload would come to nothing now: a limit of Imgur's, or the records.
    public var obstacle: GatewayError? {
        do throws(GatewayError) {
            try checkLimits(isUpload: true)
            let records = try records()
            try records.local.checkPlace()
            try checkLastRecord()
            return nil
        } catch {
            return error
        }
    }

    func noteRecordFailure() {
        let now = settings.clock()
        shared.withLock { $0.recordsFailed = now }
    }

    // MARK: Imgur

    /// Asks Imgur once, unless one of its limits is used up.
    /// - Throws: 503 without asking where nothing is left; what the upstream throws.
    func ask(_ request: Request, _ call: HandlerCall, isUpload: Bool) async throws(GatewayError) -> ImgurAnswer {
        try checkLimits(isUpload: isUpload)
        return await understood(try await call.upstream.respond(to: request), isUpload: isUpload)
    }

    /// Not inlined, so that nothing of it is held while the answer is waited for.
    @inline(never)
    private func understood(_ response: Response, isUpload: Bool) async -> ImgurAnswer {
        // Imgur's answers are small; one that isn't is no answer of the API.
        let content = (try? await response.body.collected(limit: 1 << 20)) ?? []
        let now = settings.clock()
        var answer = ImgurAnswer(response.status, content)
        if case .failed(let failure, let isRefusal) = answer {
            let seconds = response.fields[.retryAfter].flatMap { RetryAfter.seconds($0, clock: now) }
            answer = .failed(failure.waiting(seconds, response.status), isRefusal: isRefusal)
        }
        shared.withLock { shared in
            shared.limits.read(response.fields, at: now)
            if case .failed(let failure, _) = answer { shared.limits.refused(failure, isUpload: isUpload, at: now) }
        }
        return answer
    }

    func checkLimits(isUpload: Bool) throws(GatewayError) {
        let now = settings.clock()
        guard let seconds = shared.withLock({ $0.limits.refusal(isUpload: isUpload, at: now) }) else { return }
        var error = ImgurFailure.limited(seconds: seconds).error()
        error.wasAsked = false
        throw noted(error)
    }

    /// The error for a failure of Imgur's, with the time to wait where a limit is known.
    func error(_ failure: ImgurFailure, isUpload: Bool, hasAddress: Bool = false) -> GatewayError {
        var error = failure.error(hasAddress: hasAddress)
        let now = settings.clock()
        let known = shared.withLock { $0.limits.refusal(isUpload: isUpload, at: now) }
        // A refusal with nothing left is one for the limit, whatever its status.
        if failure == .misconfigured, let known { error = ImgurFailure.limited(seconds: known).error() }
        if error.status == .serviceUnavailable, error.code == "imgur-limited", error.retryAfter == nil {
            error.retryAfter = known
        }
        return noted(error)
    }

    /// `error` with what is left of Imgur's limits in its fields.
    private func noted(_ error: GatewayError) -> GatewayError {
        var error = error
        writeLimits(to: &error.fields)
        return error
    }

    func writeLimits(to fields: inout Fields) {
        let now = settings.clock()
        shared.withLock { $0.limits.write(to: &fields, at: now) }
    }
}

extension HandlerCall {
    /// Whose images this request is about.
    var scope: RecordScope {
        if let owner { return .owner(owner) }
        return hasKeys ? .nobody : .unowned
    }
}
