/// A request: what a client sent to the gateway, or what the gateway sends to an upstream.
public struct Request: Sendable {
    public var method: Method
    public var target: Target
    /// Without the framing fields (`Content-Length`, `Transfer-Encoding`, `Connection`), which belong to a connection.
    public var fields: Fields
    public var body: Body
    /// Host and port that the request was sent to, from `Host` or the absolute form; nil in HTTP/1.0 without `Host`.
    public var authority: String?
    /// What this request may still cost; nil where nobody counts.
    public var budget: Budget?
    /// The name of the exchange in logs and in `X-Request-Id`.
    public var id: String
    /// Called on the request's loop with each interim answer (RFC 9110, section 15.2) that came before the final one, but for 100 and 101. It
    /// takes notes and calls nobody back. Nil where nobody wants them.
    public var onInterim: (@Sendable (Response) -> Void)?
    /// Whether the last segment of the path is a secret: what tells of the request shows `…` in its place.
    public var hasSecretPath = false

    public init(
        method: Method = .get, target: Target, fields: Fields = Fields(), body: Body = .none, authority: String? = nil,
        budget: Budget? = nil, id: String = ""
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.authority = authority
        self.budget = budget
        self.id = id
    }
}

/// An answer: what an upstream sent to the gateway, or what the gateway sends to a client.
public struct Response: Sendable {
    public var status: Status
    /// Without the framing fields, which belong to a connection.
    public var fields: Fields
    public var body: Body
    /// Whether the answer is sent while the request's content is still being read, such as a stream that tells how far an upload
    /// is; it then reads that content itself. Other answers wait for the content's end.
    public var readsContent = false

    public init(status: Status = .ok, fields: Fields = Fields(), body: Body = .none) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Answers requests. Server, gateway and upstream meet in this one method: the server hands a client's request to the gateway,
/// the gateway hands its own requests to an upstream.
public protocol Responder: Sendable {
    /// Called on a worker's loop, in a task whose preferred executor is that loop; an implementation stays on it.
    ///
    /// - Throws: `GatewayError` where there is no answer to pass on. Cancelling the task cancels the work.
    func respond(to request: Request) async throws(GatewayError) -> Response

    /// Begins to answer, without waiting for anything: what is known already is there at once and needs no task.
    ///
    /// Called once for a request, on a worker's loop, instead of ``respond(to:)``. Where it isn't implemented, all takes time.
    func begin(_ request: Request) -> Answering

    /// Why no request at all would be sent now, where that is known without one: a credential that nobody has set, a pause that was asked for.
    var obstacle: GatewayError? { get }
}

/// How an answer begins.
public enum Answering: Sendable {
    /// It is there.
    case ready(Response)
    /// It takes time. To be called once, in a task like that of ``Responder/respond(to:)``, and throws the same.
    case later(@Sendable () async throws(GatewayError) -> Response)
}

extension Responder {
    public var obstacle: GatewayError? { nil }

    public func begin(_ request: Request) -> Answering {
        .later { () async throws(GatewayError) in try await respond(to: request) }
    }
}
