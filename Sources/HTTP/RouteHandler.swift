/// Answers a route that is more than upstream requests: `x-sluice: {handler: NAME}` in a contract names it.
///
/// A handler is made once and answers for all workers, so it holds no state of one loop.
public protocol RouteHandler: Sendable {
    /// Called on a worker's loop with a request that has passed every check: key, parameters, content type, size. Work that takes long
    /// or blocks belongs on a thread of the handler's own.
    ///
    /// - Returns: the answer. Where its body is in memory the gateway puts `ETag` on a good answer to GET, encodes it, and answers
    ///   `HEAD` and `If-None-Match`; a stream is passed on piece by piece as it comes.
    /// - Throws: `GatewayError`, which becomes a problem document. Cancelling the task means that the client has gone.
    func respond(to call: HandlerCall) async throws(GatewayError) -> Response

    /// Looks whether a request could be answered at all now, before somebody goes to expense for it.
    /// - Throws: what ``respond(to:)`` would throw.
    func check(_ call: HandlerCall) async throws(GatewayError)

    /// What keeps it from its work now, as far as that is known without trying: its upstream's wish (`retryAfter` tells for how long), or
    /// something of our own. Nil where nothing does. From any thread.
    var obstacle: GatewayError? { get }
}

extension RouteHandler {
    public func check(_ call: HandlerCall) async throws(GatewayError) {}
    public var obstacle: GatewayError? { nil }
}

/// What a handler gets: the request, and what it may be answered with.
public struct HandlerCall: Sendable {
    /// The client's request, without its client key. HEAD comes as GET. The body ends with an error where the client sends more than the
    /// route takes (413); its id is the exchange's.
    public var request: Request
    /// The `operationId` of the route.
    public var operation: String
    /// Path and query parameters by their names, checked, in canonical form, with defaults filled in.
    public var arguments: [String: String]
    /// Whose key came with the request: a digest that tells owners apart and says nothing of the key. Nil where no key was given.
    public var owner: String?
    /// Whether the gateway has client keys, so that what has no owner was made before there were any.
    public var hasKeys: Bool
    /// The operation's upstream. Requests to it are signed, counted and paused like all others, and never answered from a cache; the
    /// target is below the upstream's base. A request that changes something drops what is kept of its URL. Throws where the
    /// operation names no upstream.
    public var upstream: any Responder
    /// Any upstream of the contracts by its name; nil where there is none of that name.
    public var upstreamNamed: @Sendable (String) -> (any Responder)?
    /// The upstream whose base or alias an absolute address is below, and the target there; nil for every other address. This is how a
    /// link from an answer is followed: no other host is ever asked. What is kept of the upstream may answer.
    public var locate: @Sendable (String) -> (upstream: any Responder, target: Target)?
    /// The gateway's own GET routes, such as `/comics/1?expand=characters`, at the cost of this request's deadline and budget. Answers are
    /// not encoded.
    public var gateway: any Responder
    /// What addresses at this gateway begin with, without a slash at the end, for `Location` and links.
    public var base: String
    /// When the client's answer is due.
    public var deadline: Budget.Instant

    public init(
        request: Request, operation: String, arguments: [String: String], owner: String?, hasKeys: Bool = false,
        upstream: any Responder, upstreamNamed: @escaping @Sendable (String) -> (any Responder)? = { _ in nil },
        locate: @escaping @Sendable (String) -> (upstream: any Responder, target: Target)? = { _ in nil },
        gateway: any Responder, base: String, deadline: Budget.Instant
    ) {
        self.request = request
        self.operation = operation
        self.arguments = arguments
        self.owner = owner
        self.hasKeys = hasKeys
        self.upstream = upstream
        self.upstreamNamed = upstreamNamed
        self.locate = locate
        self.gateway = gateway
        self.base = base
        self.deadline = deadline
    }
}
