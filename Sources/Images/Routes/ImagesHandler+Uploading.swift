public import HTTP

extension ImagesHandler {
    /// `POST /images`: the plain answer, or the stream of events that tells how far it is.
    func upload(_ call: HandlerCall) async throws(GatewayError) -> Response {
        let (content, records) = try prepare(call)
        let accepted = MediaRanges(call.request.fields.list(.accept))
        if accepted.prefers("text/event-stream", to: "application/json") {
            return follow(content, call, records)
        }
        let client = Presence()
        // Not a child: a client that goes away must not take Imgur's answer with it. Once the client's content has ended, so does its say.
        let work = detached { () async -> Result<ImageRecord, GatewayError> in
            await self.result(content, call, records, client)
        }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            client.leave()
        }
        return created(try result.get(), call)
    }

    /// Whether an upload could be made at all now.
    public func check(_ call: HandlerCall) async throws(GatewayError) {
        do throws(GatewayError) {
            try await readiness(call).checkWriting()
        } catch {
            countFailure(error)
            throw error
        }
    }

    /// The content, and where its record goes. An upload that comes to nothing here is counted as one that fails on its way.
    private func prepare(_ call: HandlerCall) throws(GatewayError) -> (UploadContent, ImageRecords) {
        do throws(GatewayError) {
            return (try content(of: call), try readiness(call))
        } catch {
            countFailure(error)
            throw error
        }
    }

    private func countFailure(_ error: GatewayError) { count { $0.failedUploads[error.code, default: 0] += 1 } }

    /// - Throws: 503 where an upload would come to nothing, as far as that is known without one.
    private func readiness(_ call: HandlerCall) throws(GatewayError) -> ImageRecords {
        if let obstacle = call.upstream.obstacle { throw obstacle }
        try checkLimits(isUpload: true)
        return try writableRecords()
    }

    func created(_ record: ImageRecord, _ call: HandlerCall) -> Response {
        var response = Response.json(record.json, status: .created)
        response.fields.append(.location, "\(call.base)/images/\(record.id)")
        writeLimits(to: &response.fields)
        return response
    }

    /// Runs an upload to its end and counts it.
    func result(
        _ content: UploadContent, _ call: HandlerCall, _ records: ImageRecords, _ client: Presence
    ) async -> Result<ImageRecord, GatewayError> {
        do throws(GatewayError) {
            let record = try await Upload(handler: self, content: content, call: call, records: records, client: client)
                .run()
            count {
                $0.uploads += 1
                $0.uploadedBytes &+= record.size
            }
            return .success(record)
        } catch {
            countFailure(error)
            return .failure(error)
        }
    }

    /// The content as it is sent on, checked as far as its head tells.
    /// - Throws: 400 where there is none, 413, 415.
    private func content(of call: HandlerCall) throws(GatewayError) -> UploadContent {
        let reader = try UploadForm.reader(for: call.request.fields[.contentType])
        if reader is RawImageReader, let length = call.request.body.length, length > settings.imageLimit {
            throw .imageTooLarge(limit: settings.imageLimit)
        }
        var texts: [UploadText: String] = [:]
        for name in [UploadText.title, .description] {
            if let text = call.arguments[name.rawValue] { texts[name] = try name.read(Array(text.utf8)) }
        }
        let source: any BodyStream
        switch call.request.body {
        case .none: throw .missingImage
        case .bytes(let bytes): source = WholeContent(bytes)
        case .stream(let stream): source = stream
        }
        return UploadContent(source, reader, texts: texts, imageLimit: settings.imageLimit)
    }

    /// Starts work on the caller's loop that goes on when the caller is cancelled.
    func detached<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        return Task(executorPreference: executor) { await body() }
    }
}
