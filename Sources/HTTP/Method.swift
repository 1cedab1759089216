/// A request method (RFC 9110, section 9): the ones the gateway implements, and others that a mirror passes on.
public enum Method: Sendable, Hashable, CaseIterable {
    case get, head, post, put, patch, delete, options
    /// Another token, as it is spelled; never `CONNECT` or `TRACE`, which end at a server that doesn't know them.
    case other(String)

    /// The implemented ones. Any other is answered with 501, unless ``RequestLimits/takesOtherMethods``.
    public static let allCases: [Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    /// As it stands in a request line.
    public var rawValue: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let token): token
        }
    }

    /// One of the implemented methods, by its name in upper case; nil for any other text.
    public init?(rawValue: String) {
        guard let method = Method.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = method
    }

    /// Whether a request with this method may be sent again without harm (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options: true
        case .post, .patch, .other: false
        }
    }

    /// Whether the method only reads (RFC 9110, section 9.2.1), as far as is known.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options: true
        case .post, .put, .patch, .delete, .other: false
        }
    }
}
