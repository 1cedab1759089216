internal import HTTP

/// In which form an upstream's answers are wanted.
public enum AnswerForm: Sendable {
    /// For a gateway that reads them: gzip is asked for and taken off, and what nobody asked for (a part, a 304) is refused.
    case decoded
    /// For a mirror: the codings that the client takes, any status, content as it came.
    case verbatim
    /// The same, and content is passed on while it still comes, whatever its size.
    case streamed

    /// Whether the answer is handed on as it came.
    var isVerbatim: Bool { self != .decoded }
}

/// Reads the head of an answer line by line, more strictly than libcurl does: what could be understood in two ways is refused
/// (RFC 9112, sections 4–6; RFC 9110, section 5.5). Pure.
struct AnswerHead {
    enum Coding {
        case identity
        case gzip
    }

    static let maximumLines = 100
    static let maximumBytes = 32 * 1024
    static let maximumInterims = 8

    private(set) var status: Status?
    /// The fields that are meant for whoever asked: none of the connection's (RFC 9110, section 7.6.1), none of the framing and
    /// the coding, which are taken off here.
    private(set) var fields = Fields()
    private(set) var length: Int?
    private(set) var isChunked = false
    private(set) var coding = Coding.identity
    /// The head of the final answer is there; further lines are a trailer.
    private(set) var isComplete = false
    /// The answer announces content that it may not have: its connection is not to be used again.
    private(set) var mustClose = false

    private let mayBeNotModified: Bool
    private let form: AnswerForm
    private var isHTTP10 = false
    private var lines = 0
    private var bytes = 0
    private var interims = 0
    /// The interim answer that has just ended and is meant for whoever asked.
    private var interim: Response?
    private var codings = 0
    /// The last line was a field that we only pass on.
    private var mayBeFolded = false
    /// What `Connection` names.
    private var hopByHop: [FieldName] = []

    /// - Parameters:
    ///   - mayBeNotModified: the request had `If-None-Match` or `If-Modified-Since`.
    ///   - form: not decoded: a content coding stays a field, and a part, a 304 or several codings are taken as they come.
    init(mayBeNotModified: Bool, form: AnswerForm = .decoded) {
        self.mayBeNotModified = mayBeNotModified
        self.form = form
    }

    /// Takes one line with its line end. The text that is thrown says what is wrong.
    mutating func take(_ line: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        bytes += line.count
        lines += 1
        guard lines <= Self.maximumLines else { throw HeadFault("its head has too many lines") }
        guard bytes <= Self.maximumBytes else { throw HeadFault("its head is too large") }
        guard line.count >= 2, line[line.count - 2] == 0x0D, line[line.count - 1] == 0x0A else {
            throw HeadFault("a line of its head does not end in CRLF")
        }
        let text = line.extracting(0..<(line.count - 2))
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw HeadFault("its head holds a control character")
        }
        if isComplete { return }
        if status == nil { return try takeStatus(text) }
        if text.isEmpty { return try end() }
        try takeField(text)
    }

    private mutating func takeStatus(_ text: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        let (version, rest) = Self.split(text)
        switch String(decoding: version, as: UTF8.self) {
        case "HTTP/1.1": isHTTP10 = false
        case "HTTP/1.0": isHTTP10 = true
        default: throw HeadFault("its version is not HTTP/1.1 or HTTP/1.0")
        }
        guard rest.count >= 3, rest.count == 3 || rest[3] == 0x20,
            let code = ASCII.decimal(rest.prefix(3)), let status = Status(code: code)
        else { throw HeadFault("its status is not three digits") }
        self.status = status
        mayBeFolded = false
    }

    /// What stands before and after the first blank.
    private static func split(_ text: UnsafeBufferPointer<UInt8>)
        -> (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>)
    {
        let blank = text.firstIndex(of: 0x20) ?? text.count
        return (text.extracting(0..<blank), text.extracting(min(blank + 1, text.count)..<text.count))
    }

    private mutating func takeField(_ text: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        if text[0] == 0x20 || text[0] == 0x09 { return try unfold(text) }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            throw HeadFault("a line of its head is no field")
        }
        var start = colon + 1
        var end = text.count
        while start < end, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
        while end > start, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
        let name = text.extracting(0..<colon)
        let value = text.extracting(start..<end)
        mayBeFolded = false
        if try takeOwn(name, value) { return }
        mayBeFolded = true
        guard fields.append(nameBytes: name, valueBytes: value) else {
            throw HeadFault("the name of a field is no token")
        }
    }

    /// Joins a line that goes on the last field's value with one blank (RFC 9112, section 5.2). A field that we read ourselves
    /// may not be folded: libcurl has understood it without this line.
    private mutating func unfold(_ text: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        guard mayBeFolded else { throw HeadFault("a field of its framing is folded over two lines") }
        var all: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String) { all.append((name, value)) }
        fields.forEach(add)
        let more = String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
        fields = Fields()
        for (index, line) in all.enumerated() {
            let isLast = index == all.count - 1
            let value = isLast ? line.value + " " + ASCII.trimmed(more[...]) : line.value
            // Read as Latin-1, so each scalar is one byte again.
            fields.append(
                nameBytes: Array(line.name.utf8),
                valueBytes: value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }
    }

    /// Takes a field that is meant for us; false where it isn't.
    private mutating func takeOwn(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>)
        throws(HeadFault) -> Bool
    {
        switch name.count {
        case 2: return Self.isName(name, "te")
        case 7: return Self.isName(name, "trailer") || Self.isName(name, "upgrade")
        case 10 where Self.isName(name, "connection"):
            for part in String(decoding: value, as: UTF8.self).split(separator: ",") {
                if let named = FieldName(String(ASCII.trimmed(part))) { hopByHop.append(named) }
            }
        case 10: return Self.isName(name, "keep-alive")
        case 14 where Self.isName(name, "content-length"): try takeLength(value)
        case 14: return Self.isName(name, "http2-settings")
        case 16 where form == .decoded && Self.isName(name, "content-encoding"): try takeCoding(value)
        case 16: return Self.isName(name, "proxy-connection")
        case 17 where Self.isName(name, "transfer-encoding"): try takeTransferEncoding(value)
        case 18: return Self.isName(name, "proxy-authenticate")
        default: return false
        }
        return true
    }

    private mutating func takeLength(_ value: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        guard length == nil else { throw HeadFault("it has two lengths") }
        guard let number = ASCII.decimal(value) else { throw HeadFault("its length is no number") }
        length = number
    }

    private mutating func takeTransferEncoding(_ value: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        guard !isChunked, Self.isName(value, "chunked"), !isHTTP10 else {
            throw HeadFault("its transfer coding is not `chunked` alone")
        }
        isChunked = true
    }

    private mutating func takeCoding(_ value: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        codings += 1
        guard codings == 1 else { throw HeadFault("it has several content codings") }
        switch String(decoding: value, as: UTF8.self).lowercased() {
        case "", "identity": coding = .identity
        case "gzip", "x-gzip": coding = .gzip
        default: throw HeadFault("its content coding was not asked for")
        }
    }

    private mutating func end() throws(HeadFault) {
        guard let status else { return }
        if status.code < 200 { return try endInterim(status) }
        if isChunked, length != nil { throw HeadFault("it has a length and a transfer coding") }
        if form == .decoded, status == .notModified, !mayBeNotModified {
            throw HeadFault("it says 304 although nobody asked")
        }
        if form == .decoded, status.code == 206 { throw HeadFault("it is a part although nobody asked for one") }
        // A 304 may tell the length that a 200 would have (RFC 9110, section 8.6).
        if status.forbidsContent, isChunked || status == .noContent && (length ?? 0) > 0 { mustClose = true }
        for name in hopByHop { fields.remove(name) }
        isComplete = true
    }

    private mutating func endInterim(_ status: Status) throws(HeadFault) {
        guard status.code != 101 else { throw HeadFault("it switches protocols although nobody asked") }
        interims += 1
        guard interims <= Self.maximumInterims else { throw HeadFault("it sends interim answers without end") }
        guard length == nil, !isChunked else { throw HeadFault("an interim answer announces content") }
        if form.isVerbatim, status != .continue {
            for name in hopByHop { fields.remove(name) }
            interim = Response(status: status, fields: fields)
        }
        self.status = nil
        hopByHop = []
        fields = Fields()
        codings = 0
        coding = .identity
    }

    /// An interim answer, once.
    mutating func takeInterim() -> Response? {
        guard interim != nil else { return nil }
        defer { interim = nil }
        return interim
    }

    /// - Parameter lowered: in lower case.
    static func isName(_ name: UnsafeBufferPointer<UInt8>, _ lowered: StaticString) -> Bool {
        guard name.count == lowered.utf8CodeUnitCount else { return false }
        for index in 0..<name.count where ASCII.lowercased(name[index]) != lowered.utf8Start[index] { return false }
        return true
    }
}

/// What is wrong with an answer, in a few words of ours.
struct HeadFault: Error {
    let text: String
    init(_ text: String) { self.text = text }
}
