/// A final or interim status code (RFC 9110, section 15) with the reason phrase that the RFC gives it.
public struct Status: Sendable, Hashable {
    /// Three digits, 100–599.
    public let code: UInt16

    /// Nil where `code` is outside 100–599.
    public init?(code: Int) {
        guard (100...599).contains(code) else { return nil }
        self.code = UInt16(code)
    }

    private init(_ code: UInt16) { self.code = code }

    public static let `continue` = Status(100)
    public static let ok = Status(200)
    public static let created = Status(201)
    public static let accepted = Status(202)
    public static let noContent = Status(204)
    public static let movedPermanently = Status(301)
    public static let notModified = Status(304)
    public static let badRequest = Status(400)
    public static let unauthorized = Status(401)
    public static let forbidden = Status(403)
    public static let notFound = Status(404)
    public static let methodNotAllowed = Status(405)
    public static let notAcceptable = Status(406)
    public static let requestTimeout = Status(408)
    public static let gone = Status(410)
    public static let lengthRequired = Status(411)
    public static let preconditionFailed = Status(412)
    public static let contentTooLarge = Status(413)
    public static let uriTooLong = Status(414)
    public static let unsupportedMediaType = Status(415)
    public static let expectationFailed = Status(417)
    public static let misdirectedRequest = Status(421)
    public static let tooManyRequests = Status(429)
    public static let fieldsTooLarge = Status(431)
    public static let internalServerError = Status(500)
    public static let notImplemented = Status(501)
    public static let badGateway = Status(502)
    public static let serviceUnavailable = Status(503)
    public static let gatewayTimeout = Status(504)
    public static let versionNotSupported = Status(505)

    public var isSuccess: Bool { (200...299).contains(code) }
    /// The server says that it didn't do what it was asked, for a reason of the request's.
    public var isRefusal: Bool { (400...499).contains(code) }
    public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(code) }

    /// Whether an answer with this status never has content (RFC 9110, section 6.4.1): 1xx, 204, 304.
    public var forbidsContent: Bool { code < 200 || code == 204 || code == 304 }

    /// The reason phrase of RFC 9110; empty for a code it doesn't name.
    public var reason: String {
        switch code {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
