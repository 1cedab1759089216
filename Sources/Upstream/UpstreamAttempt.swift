public import HTTP

/// One attempt of a request to an upstream, when it has ended: for metrics and the debug log. Nothing in it is signed.
public struct UpstreamAttempt: Sendable {
    /// The name in the contract.
    public let upstream: String
    public let method: Method
    /// Without what signs it, without the contract's fixed parameters, and with `…` for a secret path.
    public let url: String
    /// The name of the exchange that it is for.
    public let id: String
    /// From 1.
    public let number: Int
    /// Nil where no usable answer came.
    public let status: Status?
    /// The code of the error, where no usable answer came.
    public let failure: String?
    /// Of the answer's content, decoded.
    public let bytes: Int
    public let duration: Duration
}
