internal import HTTP
public import Parameters
internal import Plan

/// The origins whose pages may read answers in a browser (CORS, in the Fetch standard). None: browsers keep answers from all other
/// pages, and no answer says anything about it.
public struct Origins: Sendable {
    private let allowed: Set<String>

    public init() { allowed = [] }

    /// Exact origins with commas between them: `https://films.example,http://localhost:3000`.
    /// - Throws: what is wrong with the first bad one.
    public init(list: String) throws(ParameterMistake) {
        var allowed: Set<String> = []
        if list.isEmpty {
            self.allowed = []
            return
        }
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let text = String(ASCII.trimmed(part))
            let origin = try Origins.origin(text)
            guard allowed.insert(origin).inserted else {
                throw Origins.mistake("\"\(origin)\" twice", "each origin once")
            }
        }
        self.allowed = allowed
    }

    /// An origin as browsers write it.
    private static func origin(_ text: String) throws(ParameterMistake) -> String {
        switch text {
        case "": throw mistake("an empty origin", "an origin between the commas, or no comma")
        case "*", "null":
            throw mistake("\"\(text)\"", "the origins of the pages themselves, such as https://films.example")
        default: break
        }
        let shown = "\"\(text.prefix(100))\""
        if let base = BaseURL(text) {
            let origin = "\(base.scheme)://\(base.authority)"
            guard base.path.isEmpty, !text.hasSuffix("/") else { throw mistake(shown, "the origin alone: \(origin)") }
            return origin
        }
        // The schemes of apps, such as capacitor://localhost.
        let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty, parts[0].hasSuffix(":"), parts[0].count > 1, !parts[2].isEmpty,
            !["http:", "https:"].contains(parts[0]), (parts[0].dropLast() + parts[2]).utf8.allSatisfy(isOriginByte)
        else {
            throw mistake(shown, "scheme, host and perhaps a port: https://films.example or http://localhost:3000")
        }
        return text.lowercased()
    }

    private static func isOriginByte(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (0x61...0x7A).contains(byte) || "+-.:_".utf8.contains(byte)
    }

    private static func mistake(_ found: String, _ expected: String) -> ParameterMistake {
        ParameterMistake(source: "--cors-origin", found: found, expected: expected)
    }

    var isEmpty: Bool { allowed.isEmpty }

    func contains(_ origin: String) -> Bool { allowed.contains(origin) }

    // MARK: Answers

    /// Whether a request asks what a page may do, before the page's own request.
    static func isPreflight(_ request: Request) -> Bool {
        request.method == .options && request.fields.contains(.origin) && request.fields.contains(.requestedMethod)
    }

    /// Lets a page of a listed origin read an answer. Where there are such origins, every answer depends on who asks.
    /// - Parameter origin: of the page; nil where no page asks.
    func grant(_ origin: String?, _ response: inout Response) {
        guard !isEmpty else { return }
        // A mirror's upstream may have said something of its own.
        if response.fields.contains(.allowedOrigin) { response.fields.remove(.allowedOrigin) }
        response.fields.append(.vary, "Origin")
        guard let origin, contains(origin) else { return }
        response.fields.set(.allowedOrigin, origin)
        if !response.fields.contains(.allowedMethods) { response.fields.set(.exposed, Origins.readable) }
    }

    /// What a page of a listed origin may send; nothing for the pages of others.
    /// - Parameters:
    ///   - methods: of the path, as `Allow` has them.
    ///   - passed: further fields that the contracts hand through.
    func permit(_ request: Request, methods: String, passed: [FieldName], _ response: inout Response) {
        guard Origins.isPreflight(request), let origin = request.fields[.origin], contains(origin) else { return }
        response.fields.set(.allowedMethods, methods)
        let known = Set(Origins.sendable + passed)
        let asked = (request.fields.list(.requestedFields) ?? "").split(separator: ",")
            .compactMap { FieldName(String(ASCII.trimmed($0))) }.filter(known.contains)
        if !asked.isEmpty {
            response.fields.set(.allowedFields, asked.map { $0.text.lowercased() }.joined(separator: ", "))
        }
        response.fields.set(.maximumAge, "600")
        response.fields.append(.vary, "Access-Control-Request-Method, Access-Control-Request-Headers")
    }

    /// What a page may send besides what it always may.
    private static let sendable: [FieldName] = [
        .accept, "Accept-Language", "Content-Language", .contentType, .authorization, .apiKey, .cacheControl,
        .ifNoneMatch, .prefer, .requestID,
    ]

    /// What a page may read besides what it always may.
    private static let readable = [
        "ETag", "Location", "Link", "Allow", "Age", "Retry-After", "Cache-Status", "Sluice-Complete",
        "Preference-Applied",
        "RateLimit", "RateLimit-Policy", "Server-Timing", "WWW-Authenticate", "X-Request-Id",
    ].joined(separator: ", ")
}

extension FieldName {
    fileprivate static let requestedMethod: FieldName = "Access-Control-Request-Method"
    fileprivate static let requestedFields: FieldName = "Access-Control-Request-Headers"
    fileprivate static let allowedOrigin: FieldName = "Access-Control-Allow-Origin"
    fileprivate static let allowedMethods: FieldName = "Access-Control-Allow-Methods"
    fileprivate static let allowedFields: FieldName = "Access-Control-Allow-Headers"
    fileprivate static let maximumAge: FieldName = "Access-Control-Max-Age"
    fileprivate static let exposed: FieldName = "Access-Control-Expose-Headers"
}
