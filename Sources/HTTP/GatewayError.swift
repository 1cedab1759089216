/// Why there is no answer to pass on. Everything that goes wrong at the edges of a part becomes this one type, and
/// `Response.init(problem:)` is the only place where it becomes an answer.
public struct GatewayError: Error, Sendable {
    /// Whose fault it is.
    public enum Source: Sendable, Equatable {
        case client
        /// An upstream, by its name in the contract.
        case upstream(String)
        case gateway
    }

    public let source: Source
    /// A short word from a bounded set, for programs and metrics: `upstream-timeout`.
    public let code: String
    public let status: Status
    /// One sentence of our own words; never an upstream's text, an address or a credential.
    public let detail: String
    /// Whether the same request may be tried again at once on a fresh connection.
    public var isRetryable = false
    /// Whether an upstream was really asked; false for a refusal of the gateway's own in its name (a breaker, a quota, a missing credential).
    public var wasAsked = true
    /// When to come back (`Retry-After`), in whole seconds.
    public var retryAfter: Int?
    /// Further members of the problem document that are a text (`parameter`, `segment`).
    public var texts: [(name: String, value: String)] = []
    /// Further members of the problem document that are a list of texts (`allowed`).
    public var lists: [(name: String, values: [String])] = []
    /// Further fields of the answer (`Allow`).
    public var fields = Fields()

    public init(source: Source, code: String, status: Status, detail: String) {
        self.source = source
        self.code = code
        self.status = status
        self.detail = detail
    }

    public static func contentTooLarge(limit: Int) -> GatewayError {
        GatewayError(
            source: .client, code: "content-too-large", status: .contentTooLarge,
            detail: "The request's content is larger than the \(limit) bytes that are taken here.")
    }
}
