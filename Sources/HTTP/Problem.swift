extension Response {
    /// The answer to a request that failed: problem details as JSON (RFC 9457). The only place where an error becomes an answer.
    ///
    /// Members: `type` (`about:blank`), `title` (the status' reason), `status`, `detail`, `code`, `upstream` where one is to blame, and
    /// what the error brings (`allowed`: a list of texts). Cached by nobody.
    public init(problem error: GatewayError) {
        var json = "{\"type\":\"about:blank\",\"title\":"
        json += quoted(error.status.reason)
        json += ",\"status\":\(error.status.code),\"detail\":"
        json += quoted(error.detail)
        json += ",\"code\":" + quoted(error.code)
        if case .upstream(let name) = error.source { json += ",\"upstream\":" + quoted(name) }
        for (name, value) in error.texts { json += "," + quoted(name) + ":" + quoted(value) }
        for (name, values) in error.lists {
            json += "," + quoted(name) + ":[" + values.map(quoted).joined(separator: ",") + "]"
        }
        json += "}\n"
        var fields = error.fields
        fields.set(.contentType, "application/problem+json")
        fields.set(.cacheControl, "no-store")
        fields.set("X-Content-Type-Options", "nosniff")
        if let seconds = error.retryAfter { fields.set(.retryAfter, String(max(0, seconds))) }
        self.init(status: error.status, fields: fields, body: .bytes(Array(json.utf8)))
    }
}

/// `text` as a JSON string (RFC 8259, section 7). `<` is escaped too, so that no browser ever finds a tag in a problem document.
private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "<": result += "\\u003C"
        case "\u{0}"..<"\u{20}", "\u{7F}":
            let hex = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
