internal import HTTP

extension GatewayError {
    /// The same, where nobody knows what Imgur did; see ``GatewayError/ofChange``.
    var withUnknownOutcome: GatewayError {
        var error = self
        error.mayHaveChanged = true
        return error
    }

    /// The same, where Imgur surely did nothing.
    var withoutEffect: GatewayError {
        var error = self
        error.mayHaveChanged = false
        return error
    }
}
