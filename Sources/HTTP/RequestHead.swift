/// The head of a request that passed every check of the parser.
public struct RequestHead: Sendable {
    /// How the content is delimited (RFC 9112, section 6.3).
    public enum Framing: Sendable, Equatable {
        /// No content follows.
        case none
        /// This many bytes, at least one, at most `RequestLimits.content`.
        case length(Int)
        case chunked
    }

    public var method: Method
    public var target: Target
    /// Without the fields that belong to the connection: see ``FieldLine``.
    public var fields: Fields
    /// From the absolute form, else from `Host`; nil in HTTP/1.0 without `Host`.
    public var authority: String?
    public var framing: Framing
    /// An HTTP/1.0 client: no chunked answer, no interim answer. Every other 1.x is served as 1.1.
    public var isVersion10: Bool
    /// Whether the client wants to send further requests on this connection (RFC 9112, section 9.3).
    public var keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the content (RFC 9110, section 10.1.1).
    public var expectsContinue: Bool

    /// The head as a request with `body`.
    public func request(body: Body) -> Request {
        Request(method: method, target: target, fields: fields, body: body, authority: authority)
    }
}
