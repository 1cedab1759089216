/// A field name (RFC 9110, section 5.1): a token, compared without regard to case.
public struct FieldName: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The spelling that is written on the wire.
    public let text: String
    /// Its bytes in lower case, for comparison.
    let folded: [UInt8]

    /// Nil where `text` is no token.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy(Token.contains) else { return nil }
        self.text = text
        folded = text.utf8.map(ASCII.lowercased)
    }

    /// For names written in our own source: the text is taken as it stands.
    public init(stringLiteral text: String) {
        self.text = text
        folded = text.utf8.map(ASCII.lowercased)
    }

    public static func == (left: FieldName, right: FieldName) -> Bool { left.folded == right.folded }
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    public static let accept: FieldName = "Accept"
    public static let acceptEncoding: FieldName = "Accept-Encoding"
    public static let acceptPatch: FieldName = "Accept-Patch"
    public static let acceptPost: FieldName = "Accept-Post"
    public static let age: FieldName = "Age"
    public static let allow: FieldName = "Allow"
    public static let authorization: FieldName = "Authorization"
    public static let cacheControl: FieldName = "Cache-Control"
    public static let cacheStatus: FieldName = "Cache-Status"
    public static let connection: FieldName = "Connection"
    public static let contentEncoding: FieldName = "Content-Encoding"
    public static let contentLength: FieldName = "Content-Length"
    public static let contentType: FieldName = "Content-Type"
    public static let date: FieldName = "Date"
    public static let etag: FieldName = "ETag"
    public static let expect: FieldName = "Expect"
    public static let expires: FieldName = "Expires"
    public static let host: FieldName = "Host"
    public static let ifModifiedSince: FieldName = "If-Modified-Since"
    public static let ifNoneMatch: FieldName = "If-None-Match"
    public static let lastModified: FieldName = "Last-Modified"
    public static let link: FieldName = "Link"
    public static let location: FieldName = "Location"
    public static let prefer: FieldName = "Prefer"
    public static let preferenceApplied: FieldName = "Preference-Applied"
    public static let requestID: FieldName = "X-Request-Id"
    public static let retryAfter: FieldName = "Retry-After"
    public static let serverTiming: FieldName = "Server-Timing"
    public static let sluiceComplete: FieldName = "Sluice-Complete"
    /// Inside the gateway only: the digests that the answer's request was signed with, which may be shown to nobody.
    public static let signedWith: FieldName = "Sluice-Signed-With"
    public static let te: FieldName = "TE"
    public static let trailer: FieldName = "Trailer"
    public static let transferEncoding: FieldName = "Transfer-Encoding"
    public static let upgrade: FieldName = "Upgrade"
    public static let userAgent: FieldName = "User-Agent"
    public static let vary: FieldName = "Vary"
}

/// The `token` rule of RFC 9110, section 5.6.2.
public enum Token {
    /// Whether `byte` may stand in a token.
    public static func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    // One bit for each byte from 0 to 63: !#$%&'*+-. and the digits.
    private static let low: UInt64 = 0x03FF_6CFA_0000_0000
    // One bit for each byte from 64 to 127: the letters and ^_`|~.
    private static let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
}
