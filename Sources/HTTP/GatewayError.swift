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
    /// Whether the upstream may have done what it was asked all the same. It surely hasn't where the request was no change, where no connection to
    /// it came about, so that nothing of the request was sent, and where its answer was a refusal (400 to 499); after anything else nobody knows.
    public var mayHaveChanged = false
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

    /// The error as the client of a change gets it: one whose outcome nobody knows says so, with `"outcome":"unknown"`.
    public var ofChange: GatewayError {
        guard mayHaveChanged, wasAsked, !texts.contains(where: { $0.name == "outcome" }) else { return self }
        var error = self
        error.isRetryable = false
        error.texts.append(("outcome", "unknown"))
        return error
    }

    public static func contentTooLarge(limit: Int) -> GatewayError {
        GatewayError(
            source: .client, code: "content-too-large", status: .contentTooLarge,
            detail: "The request's content is larger than the \(limit) bytes that are taken here.")
    }
}
