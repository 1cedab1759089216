/// The fields of one head that decide about framing, authority and connection, noted while the lines go by.
struct ConnectionFields: Sendable {
    private var hosts = 0
    private var host: Range<Int>?
    private var lengths = 0
    private var length: Range<Int>?
    private var codings = 0
    private var coding: Range<Int>?
    private(set) var saysClose = false
    private(set) var saysKeepAlive = false
    private var expectsContinue = false
    private var expectsOther = false
    /// Further names in `Connection`: these fields end here too.
    private(set) var nominated: [Range<Int>] = []

    mutating func note(_ bytes: Span<UInt8>, _ field: FieldLine, _ role: FieldLine.Role) {
        switch role {
        case .content, .hop: break
        case .host:
            hosts += 1
            host = field.value
        case .contentLength:
            lengths += 1
            length = field.value
        case .transferEncoding:
            codings += 1
            coding = field.value
        case .connection: noteConnection(bytes, field.value)
        case .expect: noteExpect(bytes, field.value)
        }
    }

    private mutating func noteConnection(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var start = value.lowerBound
        while let element = bytes.element(&start, value.upperBound) {
            let option = bytes.extracting(element)
            if option.folds(to: "close") {
                saysClose = true
            } else if option.folds(to: "keep-alive") {
                saysKeepAlive = true
            } else {
                nominated.append(element)
            }
        }
    }

    private mutating func noteExpect(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var start = value.lowerBound
        while let element = bytes.element(&start, value.upperBound) {
            if bytes.extracting(element).folds(to: "100-continue") {
                expectsContinue = true
            } else {
                expectsOther = true
            }
        }
    }

    /// How the content is delimited (RFC 9112, section 6.3). Whatever two readers could see differently is refused.
    func framing(_ bytes: Span<UInt8>, isVersion10: Bool, limit: Int) throws(GatewayError) -> RequestHead.Framing {
        if let coding {
            guard lengths == 0 else {
                throw .malformed("ambiguous-framing", "Both Content-Length and Transfer-Encoding are there.")
            }
            guard !isVersion10 else { throw .malformed("bad-framing", "HTTP/1.0 has no Transfer-Encoding.") }
            guard codings == 1 else { throw .malformed("bad-framing", "Transfer-Encoding is there more than once.") }
            if bytes.extracting(coding).folds(to: "chunked") { return .chunked }
            throw try Self.isUnknownCoding(bytes, coding)
                ? .refused(.notImplemented, "coding-not-implemented", "The only transfer coding here is chunked.")
                : .malformed("bad-framing", "Transfer-Encoding is not chunked.")
        }
        guard let length else { return .none }
        guard lengths == 1 else { throw .malformed("bad-framing", "Content-Length is there more than once.") }
        guard let count = bytes.decimal(length) else {
            throw .malformed("bad-framing", "Content-Length is not one number of at most 19 digits.")
        }
        guard count <= limit else { throw .contentTooLarge(limit: limit) }
        return count == 0 ? .none : .length(count)
    }

    /// Whether the codings are sound, end in one `chunked`, and hold others before it.
    private static func isUnknownCoding(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(GatewayError) -> Bool {
        var start = value.lowerBound
        var count = 0
        var endsInChunked = false
        while let element = bytes.element(&start, value.upperBound) {
            let name = bytes.extracting(element)
            for index in name.indices where !Token.contains(name[index]) { return false }
            guard !endsInChunked else { return false }
            endsInChunked = name.folds(to: "chunked")
            count += 1
        }
        return endsInChunked && count > 1
    }

    /// Whether the client waits for `100 Continue`; an expectation of HTTP/1.0 is ignored (RFC 9110, section 10.1.1).
    func expectsContinue(isVersion10: Bool, framing: RequestHead.Framing) throws(GatewayError) -> Bool {
        if isVersion10 { return false }
        guard !expectsOther else {
            throw .refused(
                .expectationFailed, "expectation-failed", "The only expectation that is met here is 100-continue.")
        }
        return expectsContinue && framing != .none
    }

    func keepsAlive(isVersion10: Bool) -> Bool { !saysClose && (!isVersion10 || saysKeepAlive) }

    /// Host and port that the request is for (RFC 9112, sections 3.2 and 3.3).
    /// - Parameter names: further authorities that are this server's, lower case.
    func authority(_ bytes: Span<UInt8>, _ line: RequestLine, names: [String]) throws(GatewayError) -> String? {
        guard hosts <= 1 else { throw .malformed("bad-host", "Host is there more than once.") }
        guard hosts == 1 || line.isVersion10 else { throw .malformed("bad-host", "Host is missing.") }
        var own: Authority?
        if let host {
            own = Authority(bytes, host)
            guard own != nil else { throw .malformed("bad-host", "Host is not a host name with an optional port.") }
        }
        guard let absolute = line.absolute else { return host.map { bytes.extracting($0).ascii } }
        guard let named = Authority(bytes, absolute.authority) else {
            throw .malformed("bad-target", "The target's authority is not a host name with an optional port.")
        }
        let text = bytes.extracting(absolute.authority).ascii
        if let own, named.isSame(as: own, bytes, standard: absolute.isSecure ? 443 : 80) { return text }
        guard names.contains(text.lowercased()) else {
            throw .refused(.misdirectedRequest, "misdirected-request", "The target names another server.")
        }
        return text
    }
}
