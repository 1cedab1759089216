internal import CCurl
internal import HTTP
internal import Plan

/// One libcurl easy handle, set up for one upstream and used for one attempt after another. Confined to its loop.
///
/// libcurl calls back into it while an attempt runs; a callback takes what it is given and notes what is wrong, nothing else.
final class Transfer: @unchecked Sendable {
    enum Outcome: Sendable {
        case answer(Response)
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
    }

    let easy: UnsafeMutableRawPointer
    let upstream: Int
    private let multi: Multi
    private let filter: AddressFilter
    private let isSecure: Bool
    private let limit: Int

    /// Which attempt this is: a late cancellation names the one that it means.
    private(set) var generation: UInt64 = 0
    /// The connection held bytes that nobody asked for, or announced some that may not be.
    private(set) var hasFoundOddity = false
    /// The connection that the last attempt was made on.
    private(set) var socket: UInt64?

    private var continuation: CheckedContinuation<Outcome, Never>?
    private var fault: Fault?
    private var head = AnswerHead(mayBeNotModified: false)
    private var content: AnswerContent?
    private var inflater: Inflater?
    private var upload: Upload?
    private var budget: Budget?
    private var method = Method.get
    private var form = AnswerForm.decoded
    /// The request has content, or a method that says what its length is even without.
    private(set) var isUploading = false
    private var isFresh = false
    private var isFullTime = false
    private var isReuseForbidden = false
    private var connection = Trust.Connection.pooled
    private var starts = 0
    /// How long the connection had been idle; zero for a new one.
    private var rest = Duration.zero
    private var lines: [FieldLine] = []
    private var lineList: UnsafeMutablePointer<curl_slist>?

    /// - Parameter limit: decoded content bytes that are taken from one answer.
    /// - Throws: `Fault.failed` where libcurl has no memory.
    init(upstream: Int, plan: UpstreamPlan, filter: AddressFilter, multi: Multi, limit: Int) throws(Fault) {
        guard let easy = curl_easy_init() else { throw .failed }
        self.easy = easy
        self.upstream = upstream
        self.multi = multi
        self.filter = filter
        self.limit = limit
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
        socket = nil
        connection = attempt.connection
        fault = nil
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
        self.continuation = continuation
        self.upload = upload
        if !multi.add(easy) { finish(.fault(.failed)) }
    }

    /// Ends the attempt now and closes its connection.
    func abort(_ reason: Fault) {
        guard continuation != nil else { return }
        multi.remove(easy)
        finish(.fault(reason))
    }

    /// Goes on after ``read(into:)`` has said that there is nothing yet.
    func resume() {
        if continuation != nil { multi.resume(easy) }
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
        if case .closed = fault { return form == .verbatim && rest >= Self.longRest }
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
        upload?.cancel()
        upload = nil
        content = nil
        budget = nil
        let continuation = continuation
        self.continuation = nil
        continuation?.resume(returning: outcome)
    }

    private func answer(_ result: CURLcode) throws(Fault) -> Response {
        if let fault { throw fault }
        guard result == CURLE_OK else {
            throw Fault(result, isConnected: starts > 0, hasContent: content != nil, isFullTime: isFullTime)
        }
        guard head.isComplete, let status = head.status else { throw .closed }
        guard mayHaveContent else { return Response(status: status, fields: fieldsWithoutContent) }
        if content == nil { content = try makeContent() }
        try content?.finish()
        return Response(status: status, fields: head.fields, body: .bytes(content?.bytes ?? []))
    }

    /// An answer to HEAD says how long the content of GET would be (RFC 9110, section 8.6).
    private var fieldsWithoutContent: Fields {
        guard form == .verbatim, method == .head, let length = head.length else { return head.fields }
        var fields = head.fields
        fields.append(.contentLength, String(length))
        return fields
    }

    private var mayHaveContent: Bool { method != .head && head.status.map { !$0.forbidsContent } ?? false }

    private func makeContent() throws(Fault) -> AnswerContent {
        guard head.isComplete, mayHaveContent else { throw .framing("it has content where there can be none") }
        guard head.coding == .gzip else {
            return AnswerContent(head: head, limit: limit, budget: budget, inflater: nil)
        }
        if inflater == nil { inflater = Inflater() }
        guard let inflater else { throw .failed }
        inflater.reset()
        return AnswerContent(head: head, limit: limit, budget: budget, inflater: inflater)
    }

    // MARK: Called by libcurl

    /// False: the attempt is over.
    func takeLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        do throws(HeadFault) {
            try head.take(line)
        } catch {
            return note(.framing(error.text))
        }
        if head.mustClose {
            hasFoundOddity = true
            forbidReuse(true)
        }
        return true
    }

    func takeContent(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        do throws(Fault) {
            if content == nil { content = try makeContent() }
            try content?.take(piece)
            return true
        } catch {
            return note(error)
        }
    }

    /// The next bytes of our content; see ``Upload/read(into:)``.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Upload.Read {
        guard let upload else { return .bytes(0) }
        let read = upload.read(into: buffer)
        if case .mismatch = read { _ = note(.content(Upload.mismatch)) }
        return read
    }

    /// A connection is there and the request is about to go out on it.
    func mayStart(localPort: Int) -> Bool {
        starts += 1
        // A pooled connection failed under the request, and libcurl would send it again: that is ours to decide.
        guard starts == 1 else { return note(.closed) }
        // Another address than the last may have been the good one.
        fault = nil
        switch multi.begin(localPort: localPort, isSecure: isSecure) {
        case .clean(let serial, let requests):
            socket = serial
            rest = multi.rest(before: serial)
            if connection.isLast(requests: requests, isSecure: isSecure) {
                forbidReuse(true)
                if !isSecure { multi.keep(serial) }
            }
            return true
        case .noisy:
            guard !isFresh else { return note(.framing("it came before the request")) }
            hasFoundOddity = true
            return note(.stale)
        case .ended: return note(isFresh ? .closed : .stale)
        case .unknown: return isFresh || note(.stale)
        }
    }

    /// A descriptor, or less than zero: the address isn't allowed, or none is left.
    func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
        let start = UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
        guard let bytes = AddressFilter.bytes(of: start, length: Int(address.pointee.addrlen)), filter.allows(bytes)
        else {
            _ = note(.addressRefused)
            return -1
        }
        return multi.openSocket(address, upstream: upstream)
    }

    /// Notes the first fault; always false.
    private func note(_ fault: Fault) -> Bool {
        if self.fault == nil { self.fault = fault }
        return false
    }

    // MARK: Settings

    /// Whether the connection is closed after this attempt.
    private func forbidReuse(_ isForbidden: Bool) {
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
