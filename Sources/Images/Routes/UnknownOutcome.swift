internal import HTTP

extension GatewayError {
    /// Whether the request that failed so may have reached the upstream all the same.
    var mayHaveArrived: Bool {
        let early = ["upstream-refused", "upstream-unresolved", "upstream-tls", "address-refused", "upstream-failed"]
        return wasAsked && source != .client && !early.contains(code)
    }

    /// The same, where nobody knows what Imgur did.
    var withUnknownOutcome: GatewayError {
        var error = self
        error.isRetryable = false
        error.texts.append(("outcome", "unknown"))
        return error
    }
}
