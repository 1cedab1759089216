extension GatewayError {
    /// A request that can't be taken as a message. After such an answer the connection has to be closed, for what follows is not
    /// known to begin a request.
    static func refused(_ status: Status, _ code: String, _ detail: String) -> GatewayError {
        GatewayError(source: .client, code: code, status: status, detail: detail)
    }

    static func malformed(_ code: String, _ detail: String) -> GatewayError { refused(.badRequest, code, detail) }

    /// A method that nothing here implements (RFC 9110, section 15.6.2).
    static func unknownMethod() -> GatewayError {
        var error = refused(.notImplemented, "method-not-implemented", "No resource here knows this method.")
        error.fields.append(.allow, Method.list)
        return error
    }
}

extension Method {
    /// Every method, as `Allow` names them.
    public static let list = allCases.map(\.rawValue).joined(separator: ", ")

    /// The longest name of another method.
    private static let longestOther = 32

    /// A method that only a mirror can pass on; nil for what is meant for a server on the way (RFC 9110, sections 9.3.6 and 9.3.8).
    init?(other bytes: Span<UInt8>) {
        guard bytes.count <= Self.longestOther, !bytes.spells("CONNECT"), !bytes.spells("TRACE") else { return nil }
        self = .other(bytes.ascii)
    }

    /// The method that these bytes spell, in upper case as methods are; nil for any other token.
    init?(_ bytes: Span<UInt8>) {
        switch bytes.count {
        case 3: if bytes.spells("GET") { self = .get } else if bytes.spells("PUT") { self = .put } else { return nil }
        case 4:
            if bytes.spells("POST") { self = .post } else if bytes.spells("HEAD") { self = .head } else { return nil }
        case 5: if bytes.spells("PATCH") { self = .patch } else { return nil }
        case 6: if bytes.spells("DELETE") { self = .delete } else { return nil }
        case 7: if bytes.spells("OPTIONS") { self = .options } else { return nil }
        default: return nil
        }
    }
}
