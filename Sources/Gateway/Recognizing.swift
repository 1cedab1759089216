internal import HTTP
internal import JSON
internal import Plan

/// What was read of an upstream's answer, to look for the signs of an error in it.
enum ReadAnswer {
    case json(JSONDocument)
    case text([UInt8])
}

extension AnswerError {
    /// Whether the answer has this error's sign.
    func isIn(_ answer: ReadAnswer) -> Bool {
        switch (answer, place) {
        case (.text(let bytes), nil):
            return isIn(String(decoding: bytes.prefix(AnswerError.searchedBytes), as: UTF8.self))
        case (.json(let document), let place?):
            guard let node = document.node(at: place) else { return false }
            let kind = document.kind(of: node)
            guard text != nil else { return kind != .null }
            switch kind {
            case .string: return isIn(document.string(of: node) ?? "")
            // An upstream wraps its words in a list today and in an object tomorrow.
            case .number, .true, .false, .object, .array:
                return isIn(String(decoding: document.bytes(of: node).prefix(AnswerError.searchedBytes), as: UTF8.self))
            case .null: return false
            }
        case (.text, _?), (.json, nil): return false
        }
    }

    /// How much of a text is searched: what an error says stands at its beginning.
    fileprivate static let searchedBytes = 64 << 10

    private func isIn(_ found: String) -> Bool {
        guard let text else { return false }
        let start = found.utf8.prefix(AnswerError.searchedBytes)
        return String(decoding: start, as: UTF8.self).lowercased().contains(text)
    }
}

extension Gateway {
    /// Whether the contract knows a failed answer for an empty list. What else it knows is thrown.
    func isEmptyList(
        failed response: Response, _ address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Bool {
        guard !plan.operations[address.operation].errors.isEmpty,
            let bytes = try? await response.body.collected(limit: AnswerError.searchedBytes), !bytes.isEmpty
        else { return false }
        let document = try? JSONDocument(bytes, limits: exchange.json)
        return try isEmptyList(document.map(ReadAnswer.json) ?? .text(bytes), response, address)
    }

    /// Whether the contract knows an answer for an empty list, whatever its status is. What else it knows is thrown.
    func isEmptyList(
        _ answer: ReadAnswer, _ response: Response, _ address: Address
    ) throws(GatewayError) -> Bool {
        let operation = plan.operations[address.operation]
        guard let error = operation.errors.first(where: { $0.isIn(answer) }) else { return false }
        switch error.meaning {
        case .emptyList:
            return true
        case .status(let status):
            var seconds: Int?
            switch error.pause {
            case .seconds(let count): seconds = count
            case .untilMidnight: seconds = 86_400 - max(0, settings.clock()) % 86_400
            case nil: break
            }
            if let seconds { pauses.begin(address.upstream, seconds: seconds, now: settings.clock()) }
            let name = plan.upstreams[address.upstream].name
            throw Gateway.failure(
                status, retryAfter: seconds ?? retryAfter(response), upstream: name,
                isList: operation.collection != nil, isDeclared: true, isWrite: operation.method != .get)
        }
    }
}

extension Resource {
    /// A list without items, whatever the upstream wrote.
    init?(emptyListAt address: Address, _ freshness: Freshness) {
        guard let document = try? JSONDocument(Array("[]".utf8)) else { return nil }
        self.init(address: address, document: document, root: document.root, freshness: freshness)
        list = ListFacts(received: 0, total: 0)
    }
}
