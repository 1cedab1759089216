internal import HTTP
internal import JSON

extension ImagesHandler {
    /// The answer is a stream of events, which begins at once: `progress` while the upload goes on, then `done` or `error`.
    func follow(_ content: UploadContent, _ call: HandlerCall, _ records: ImageRecords) -> Response {
        let events = EventStream()
        let client = Presence()
        events.onClose = { client.leave() }
        let pace = Pace()
        events.send("progress", content.progress)
        content.onProgress = { [unowned content] in
            if pace.isDue() { pace.send(content.progress, events) }
        }
        _ = detached {
            do throws(GatewayError) {
                let record = try await self.result(content, call, records, client).get()
                pace.send(content.progress, events)
                events.send("done", record.json)
                events.end(nil)
            } catch {
                events.send("error", error.ofChange.document)
                events.end(error)
            }
        }
        var response = Response(body: .stream(events))
        response.fields.append(.contentType, "text/event-stream")
        response.fields.append(.cacheControl, "no-store")
        response.readsContent = true
        return response
    }
}

/// At most ten a second, and none twice.
private final class Pace: @unchecked Sendable {
    /// Confined to the loop of its upload.
    private var last: ContinuousClock.Instant?
    private var told: [UInt8] = []

    func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        if let last, last.duration(to: now) < .milliseconds(100) { return false }
        last = now
        return true
    }

    func send(_ progress: [UInt8], _ events: EventStream) {
        guard progress != told else { return }
        told = progress
        events.send("progress", progress)
    }
}

extension UploadContent {
    /// How much of the client's content has been passed on, in bytes.
    fileprivate var progress: [UInt8] {
        JSONWriter.object { object in
            object.member("sent", received)
            if let total { object.member("total", total) } else { object.null("total") }
        }
    }
}

extension GatewayError {
    /// The problem document, on one line.
    fileprivate var document: [UInt8] {
        guard case .bytes(let bytes) = Response(problem: self).body else { return [] }
        return bytes.filter { $0 != 0x0A }
    }
}
