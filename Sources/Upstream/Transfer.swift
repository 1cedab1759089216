internal import CCurl
internal import HTTP
internal import Loop
internal import Plan

/// One libcurl easy handle, set up for one upstream and used for one attempt after another. Confined to its loop.
///
/// libcurl calls back into it while an attempt runs; a callback takes what it is given and notes what is wrong, nothing else.
final class Transfer: @unchecked Sendable {
    enum Outcome: Sendable {
        case answer(Response)
        /// The head is there, and the content is a stream; `onEnd` of the attempt is called when it has ended.
        case stream(Response)
        case fault(Fault)
    }

    struct Attempt {
        var request: Request
        var form: AnswerForm
        var address: String
        var lines: [FieldLine]
        var timeout: Duration
        /// The time is what the plan gives, not what is left of the client's.
        var isFullTime: Bool
        /// On a new connection, wherever it goes afterwards.
        var isFresh: Bool
        var connection: Trust.Connection
        /// Called on the loop when a content that is passed on while it comes has ended.
        var onEnd: ((Ending) -> Void)?
    }

    /// How a content ended that was passed on while it came.
    struct Ending {
        var status: Status?
        /// Why it isn't complete; nil where it is.
        var fault: Fault?
        var bytes: Int
    }

    let easy: UnsafeMutableRawPointer
    let upstream: Int
    let multi: Multi
    let filter: AddressFilter
    let isSecure: Bool
    private let limit: Int

    /// Which attempt this is: a late cancellation names the one that it means.
    private(set) var generation: UInt64 = 0
    /// The connection held bytes that nobody asked for, or announced some that may not be.
    var hasFoundOddity = false
    /// The connection that the last attempt was made on.
    var socket: UInt64?
    /// Whether something of the request may have been sent.
    var mayHaveSent = false

    private var isRunning = false
    /// Nil once the outcome is told.
    private var continuation: CheckedContinuation<Outcome, Never>?
    /// Takes the content while it comes.
    weak var stream: AnswerStream?
    /// The stream is there, or was let go of.
    var isStreaming = false
    var isPaused = false
    /// Bytes of the content that were given to the stream.
    private var streamed = 0
    private var onEnd: ((Ending) -> Void)?
    var onInterim: (@Sendable (Response) -> Void)?
    /// Called when a streamed content has ended, before `onEnd`.
    var onSettled: ((Transfer, Outcome) -> Void)?
    let silence: Silence
    private let name: String
    var fault: Fault?
    var head = AnswerHead(mayBeNotModified: false)
    var content: AnswerContent?
    private var inflater: Inflater?
    var upload: Upload?
    var budget: Budget?
    private var method = Method.get
    var form = AnswerForm.decoded
    /// The request has content, or a method that says what its length is even without.
    private(set) var isUploading = false
    var isFresh = false
    private var isFullTime = false
    private var isReuseForbidden = false
    var connection = Trust.Connection.pooled
    var starts = 0
    /// How long the connection had been idle; zero for a new one.
    var rest = Duration.zero
    private var lines: [FieldLine] = []
    private var lineList: UnsafeMutablePointer<curl_slist>?

    /// - Parameters:
    ///   - limit: decoded content bytes that are taken from one answer that isn't streamed.
    ///   - silence: how long a streamed one may pause.
    /// - Throws: `Fault.failed` where libcurl has no memory.
    init(
        upstream: Int, plan: UpstreamPlan, filter: AddressFilter, multi: Multi, limit: Int, silence: Silence
    ) throws(Fault) {
        guard let easy = curl_easy_init() else { throw .failed }
        self.easy = easy
        self.upstream = upstream
        self.multi = multi
        self.filter = filter
        self.limit = limit
        self.silence = silence
        name = plan.name
        isSecure = plan.base.scheme == "https"
        setUp(plan)
        setUpCallbacks(multi)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(lineList)
    }

    /// Whether the handle's settings suit the next request: those of an upload would have to be taken back.
    var isReusable: Bool { !isUploading && (method == .get || method == .head) }

    // MARK: One attempt

    /// Sets the handle to `attempt`; `start` then sends it.
    func prepare(_ attempt: Attempt) {
        generation &+= 1
        hasFoundOddity = false
        mayHaveSent = false
        socket = nil
        connection = attempt.connection
        fault = nil
        stream = nil
        (isStreaming, isPaused, streamed) = (false, false, 0)
        onEnd = attempt.onEnd
        onInterim = attempt.request.onInterim
        starts = 0
        rest = .zero
        method = attempt.request.method
        form = attempt.form
        isUploading = attempt.request.sendsContent
        budget = attempt.request.budget
        isFullTime = attempt.isFullTime
        // libcurl would send a request again by itself where a pooled connection fails under it: only what may be sent
        // twice goes there.
        isFresh = attempt.isFresh || attempt.connection.isFresh || !method.isSafe || isUploading
        let fields = attempt.request.fields
        head = AnswerHead(
            mayBeNotModified: fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince), form: form)
        set(CURLOPT_URL, attempt.address)
        set(CURLOPT_TIMEOUT_MS, max(1, attempt.timeout.milliseconds))
        set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        forbidReuse(attempt.connection == .alone)
        install(attempt.lines)
        // Many uploads may be waiting at once, each with a buffer for an answer that is short.
        if case .stream = attempt.request.body { set(CURLOPT_BUFFERSIZE, 4 * 1024) }
        setMethod(attempt.request.body)
    }

    /// Sends the request. `continuation` is resumed once.
    func start(_ continuation: CheckedContinuation<Outcome, Never>, upload: Upload?) {
        isRunning = true
        self.continuation = continuation
        self.upload = upload
        if !multi.add(easy) { finish(.fault(.failed)) }
    }

    /// Ends the attempt now and closes its connection.
    func abort(_ reason: Fault) {
        guard isRunning else { return }
        multi.remove(easy)
        finish(.fault(reason))
    }

    /// The same, if that attempt is still under way.
    func abort(_ reason: Fault, _ generation: UInt64) {
        if generation == self.generation { abort(reason) }
    }

    /// Goes on after ``read(into:)`` has said that there is nothing yet.
    func resume() {
        if isRunning { multi.resume(easy) }
    }

    /// Goes on after the reader of the content has taken what was there.
    func goOn(_ generation: UInt64) {
        guard isRunning, isPaused, generation == self.generation else { return }
        isPaused = false
        silence.heard(self)
        multi.resume(easy)
    }

    /// libcurl has ended the attempt.
    func ended(_ result: CURLcode) {
        do throws(Fault) {
            finish(.answer(try answer(result)))
        } catch {
            finish(.fault(isPassed(error) ? .stale : error))
        }
    }

    /// A mirror's request may be sent again where its connection had rested and ended just then (RFC 9112, section 9.3.1). Any other that was
    /// closed on without an answer may not be: the client is to learn of it.
    private func isPassed(_ fault: Fault) -> Bool {
        if case .closed = fault { return form.isVerbatim && rest >= Self.longRest }
        return false
    }

    /// Servers that end a connection for its idleness wait longer than this.
    private static let longRest = Duration.seconds(1)

    private func finish(_ outcome: Outcome) {
        if let socket {
            var isAnswered = false
            if !isSecure, case .answer = outcome { isAnswered = true }
            if multi.end(socket, isAnswered: isAnswered) { hasFoundOddity = true }
        }
        isRunning = false
        onInterim = nil
        upload?.cancel()
        upload = nil
        budget = nil
        if isStreaming { return endStream(outcome) }
        content = nil
        onEnd = nil
        let continuation = continuation
        self.continuation = nil
        continuation?.resume(returning: outcome)
    }

    /// Hands the head over, in a turn after the one that it came in: what is small has come whole by then.
    func beginStream(_ generation: UInt64) {
        guard isRunning, generation == self.generation, !isStreaming, fault == nil, let status = head.status else {
            return
        }
        isStreaming = true
        let stream = AnswerStream(self, length: head.isChunked ? nil : head.length, loop: multi.loop, name: name)
        self.stream = stream
        feed(stream)
        silence.begin(self)
        var response = Response(status: status, fields: head.fields, body: .stream(stream))
        response.readsContent = upload.map { !$0.isFinished } ?? false
        continuation?.resume(returning: .stream(response))
        continuation = nil
    }

    func feed(_ stream: AnswerStream?) {
        guard let bytes = content?.takeAll(), !bytes.isEmpty else { return }
        streamed += bytes.count
        stream?.put(bytes)
    }

    private func endStream(_ outcome: Outcome) {
        silence.end(self)
        feed(stream)
        content = nil
        var fault: Fault?
        if case .fault(let reason) = outcome { fault = reason }
        stream?.end(fault)
        let onEnd = onEnd
        self.onEnd = nil
        onSettled?(self, outcome)
        onEnd?(Ending(status: head.status, fault: fault, bytes: streamed))
    }

    /// Whether the upstream is waited for, and not the reader of what it sends.
    var isAwaited: Bool { isRunning && isStreaming && !isPaused }

    private func answer(_ result: CURLcode) throws(Fault) -> Response {
        if let fault { throw fault }
        guard result == CURLE_OK else {
            throw Fault(result, isConnected: starts > 0, hasContent: content != nil, isFullTime: isFullTime)
        }
        guard head.isComplete, let status = head.status else { throw .closed }
        guard mayHaveContent else { return Response(status: status, fields: fieldsWithoutContent) }
        if content == nil { content = try makeContent() }
        try content?.finish()
        if isStreaming { return Response(status: status) }
        return Response(status: status, fields: head.fields, body: .bytes(content?.bytes ?? []))
    }

    /// An answer to HEAD says how long the content of GET would be (RFC 9110, section 8.6).
    private var fieldsWithoutContent: Fields {
        guard form.isVerbatim, method == .head, let length = head.length else { return head.fields }
        var fields = head.fields
        fields.append(.contentLength, String(length))
        return fields
    }

    var mayHaveContent: Bool { method != .head && head.status.map { !$0.forbidsContent } ?? false }

    func makeContent() throws(Fault) -> AnswerContent {
        guard head.isComplete, mayHaveContent else { throw .framing("it has content where there can be none") }
        guard head.coding == .gzip else {
            let isStreamed = form == .streamed
            return AnswerContent(
                head: head, limit: isStreamed ? .max : limit, budget: budget, inflater: nil,
                room: isStreamed ? AnswerStream.window : .max)
        }
        if inflater == nil { inflater = Inflater() }
        guard let inflater else { throw .failed }
        inflater.reset()
        return AnswerContent(head: head, limit: limit, budget: budget, inflater: inflater)
    }

    // MARK: Settings

    /// Whether the connection is closed after this attempt.
    func forbidReuse(_ isForbidden: Bool) {
        guard isForbidden != isReuseForbidden else { return }
        isReuseForbidden = isForbidden
        set(CURLOPT_FORBID_REUSE, isForbidden ? 1 : 0)
    }

    private func install(_ lines: [FieldLine]) {
        guard lines != self.lines else { return }
        let list = FieldLine.list(lines)
        ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, list)
        curl_slist_free_all(lineList)
        lineList = list
        self.lines = lines
    }

    private func setMethod(_ body: Body) {
        if isUploading {
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_CUSTOMREQUEST, method.rawValue)
            // -1: unknown, and libcurl sends chunks.
            ccurl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.length ?? -1))
            return
        }
        switch method {
        case .get: set(CURLOPT_HTTPGET, 1)
        case .head: set(CURLOPT_NOBODY, 1)
        case .post, .put, .patch, .delete, .options, .other: set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
    }
}

extension Request {
    /// Whether content goes to the upstream, if only a length of zero (RFC 9110, section 8.6). HEAD never has any.
    var sendsContent: Bool {
        switch method {
        case .head: false
        case .post, .put, .patch: true
        case .get, .delete, .options, .other: !body.isEmpty
        }
    }
}
