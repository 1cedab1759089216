internal import HTTP
internal import Plan

extension Gateway {
    /// The content of a request that may bring some, as the contract declares it: checked for its type and coding, and cut off where it
    /// grows over the route's limit. Nothing of it has been read, but for the first piece where the client didn't say its length.
    ///
    /// - Throws: 400 where content is missing, 413 where it is too large, 415 where it has another type or is coded.
    func takeContent(of request: Request, _ operation: Operation) async throws(GatewayError) -> Body {
        let limit = operation.limits.content
        if request.body.isEmpty {
            if operation.content?.isRequired == true { throw .missingContent(operation) }
            return .none
        }
        if let plan = operation.content {
            if let coding = request.fields.list(.contentEncoding), coding.lowercased() != "identity" {
                throw .codedContent
            }
            let types = request.fields.values(.contentType)
            // Of two, another reader may believe the other one.
            guard types.count < 2, plan.takes(types.first) else {
                throw .otherType(operation, plan.types, sent: types.first)
            }
        }
        if let length = request.body.length, length > limit { throw .contentTooLarge(limit: limit) }
        guard case .stream(let stream) = request.body else {
            if operation.content == nil { throw .otherType(operation, []) }
            return request.body
        }
        let content = CheckedContent(stream, limit: limit)
        if content.length == nil, try await content.isEmpty() {
            if operation.content?.isRequired == true { throw .missingContent(operation) }
            return .none
        }
        if operation.content == nil { throw .otherType(operation, []) }
        return .stream(content)
    }
}

/// A request's content that ends with an error once it is longer than the route takes. For one loop.
final class CheckedContent: BodyStream, @unchecked Sendable {
    let length: Int?
    private let stream: any BodyStream
    private let limit: Int
    private var count = 0
    /// A piece that was read to see whether there is one.
    private var first: [UInt8]?

    init(_ stream: any BodyStream, limit: Int) {
        self.stream = stream
        self.limit = limit
        length = stream.length
    }

    /// Whether nothing comes; waits for the first piece.
    func isEmpty() async throws(GatewayError) -> Bool {
        if first == nil { first = try await read() }
        return first == nil
    }

    func next() async throws(GatewayError) -> [UInt8]? {
        if let piece = first {
            first = nil
            return piece
        }
        return try await read()
    }

    private func read() async throws(GatewayError) -> [UInt8]? {
        guard let piece = try await stream.next() else { return nil }
        guard piece.count <= limit - count else { throw .contentTooLarge(limit: limit) }
        count += piece.count
        return piece
    }
}

extension GatewayError {
    fileprivate static func missingContent(_ operation: Operation) -> GatewayError {
        GatewayError(
            source: .client, code: "missing-content", status: .badRequest,
            detail: "This needs content of the type \(GatewayError.joined(operation.content?.types ?? [])).")
    }

    /// 415 that says what is taken: in `Accept`, and in the field that the method has for it.
    /// - Parameter sent: the type that the content came with.
    fileprivate static func otherType(_ operation: Operation, _ types: [String], sent: String? = nil) -> GatewayError {
        var detail = "This takes no content."
        if !types.isEmpty {
            detail = "The content must be of the type \(GatewayError.joined(types))." + hint(sent, types)
        }
        var error = GatewayError(
            source: .client, code: "unsupported-media-type", status: .unsupportedMediaType, detail: detail)
        guard !types.isEmpty else { return error }
        error.lists = [("allowed", types)]
        let list = types.joined(separator: ", ")
        error.fields = Fields([(.accept, list)])
        switch operation.method {
        case .post: error.fields.append(.acceptPost, list)
        case .patch: error.fields.append(.acceptPatch, list)
        default: break
        }
        return error
    }

    /// What to do about the type that curl sends by itself.
    private static func hint(_ sent: String?, _ types: [String]) -> String {
        guard let sent, sent.lowercased().hasPrefix("application/x-www-form-urlencoded"),
            let example = types.first(where: { !$0.hasPrefix("multipart/") && $0 != "*/*" })
        else { return "" }
        let type = example == "image/*" ? "image/png" : example
        return " curl sends another by itself; -H 'Content-Type: \(type)' says what it is."
    }

    fileprivate static var codedContent: GatewayError {
        var error = GatewayError(
            source: .client, code: "coded-content", status: .unsupportedMediaType,
            detail: "The content must come as it is, without a Content-Encoding.")
        error.fields = Fields([(.acceptEncoding, "identity")])
        return error
    }

    private static func joined(_ types: [String]) -> String {
        guard let last = types.last, types.count > 1 else { return types.first ?? "" }
        return types.dropLast().joined(separator: ", ") + " or " + last
    }
}
