internal import HTTP

/// Reads what an operation says of requests that bring something: `requestBody`, `body`, and the `handler` that answers them.
struct ContentLoader {
    let contract: Contract
    let draft: OperationDraft
    /// The names that handlers may have.
    let handlers: Set<String>

    private var mistakes: MistakeList { contract.mistakes }

    func load(_ operation: inout Operation) {
        readHandler(&operation)
        readContent(&operation)
        if operation.method != .get, operation.handler == nil { checkWrite(operation) }
    }

    // MARK: handler

    private func readHandler(_ operation: inout Operation) {
        guard let place = draft.setting("handler"), let name = place.text else { return }
        guard handlers.contains(name) else {
            let known = handlers.sorted().joined(separator: ", ")
            return mistakes.add(
                at: place, found: place.found,
                expected: known.isEmpty ? "no handler: this program has none" : "one of: \(known)")
        }
        operation.handler = name
        // A handler makes its answer itself: there is nothing that these could be used on.
        for parameter in draft.parameters where [.expand, .fields, .all].contains(parameter.plan.role) {
            mistakes.add(
                at: parameter.entry, found: "the parameter \(shown(parameter.plan.name)) beside a handler",
                expected: "it only where the gateway makes the answer")
        }
        for key in ["collection", "unwrap", "shape", "expand", "query", "errors", "expects", "path"] {
            guard let place = draft.place["x-sluice"]?[key] else { continue }
            mistakes.add(
                at: place, atKey: true, found: "\(shown(key)) beside a handler",
                expected: "one of the two: a handler makes its requests and its answer itself")
        }
    }

    /// A request that changes something is one request: it has an upstream, and its answer is that upstream's.
    private func checkWrite(_ operation: Operation) {
        let method = operation.method.rawValue
        if operation.upstream == nil, draft.setting("upstream").map(\.isNull) ?? true, draft.setting("handler") == nil {
            mistakes.add(
                at: draft.place, atKey: true, found: "\(method) without an upstream",
                expected: "the key \"upstream\" or \"handler\" of x-sluice")
        }
        for parameter in draft.parameters where [.expand, .all].contains(parameter.plan.role) {
            mistakes.add(
                at: parameter.entry, found: "the parameter \(shown(parameter.plan.name)) of \(method)",
                expected: "it only with GET")
        }
        for key in ["collection", "expand", "cache"] {
            guard let place = draft.place["x-sluice"]?[key] else { continue }
            mistakes.add(at: place, atKey: true, found: "\(shown(key)) of \(method)", expected: "it only with GET")
        }
    }

    // MARK: requestBody

    private func readContent(_ operation: inout Operation) {
        let isStreamed = readStreaming(operation)
        guard let entry = draft.place["requestBody"], let body = contract.resolve(entry) else { return }
        guard operation.method != .get else {
            return mistakes.add(
                at: entry, atKey: true, found: "a requestBody of GET", expected: "none: GET brings no content")
        }
        var types: [String] = []
        for (name, place) in body["content"]?.entries ?? [] {
            let type = name.lowercased()
            guard ContentLoader.isMediaRange(type) else {
                mistakes.add(
                    at: place, atKey: true, found: shown(name),
                    expected: "a media type without parameters, such as application/json or image/*")
                continue
            }
            types.append(type)
        }
        operation.content = ContentPlan(
            types: types, isRequired: body["required"]?.flag ?? false, isStreamed: isStreamed)
    }

    /// `body: stream`.
    private func readStreaming(_ operation: Operation) -> Bool {
        guard let place = draft.setting("body"), let word = place.text else { return false }
        if word != "stream" {
            mistakes.add(at: place, found: place.found, expected: "stream")
        } else if draft.place["requestBody"] == nil, let own = draft.place["x-sluice"]?["body"] {
            mistakes.add(at: own, atKey: true, found: "\"body\" without content", expected: "a requestBody too")
        } else if operation.handler != nil, let own = draft.place["x-sluice"]?["body"] {
            mistakes.add(
                at: own, atKey: true, found: "\"body\" beside a handler",
                expected: "one of the two: a handler reads the content itself")
        }
        return word == "stream"
    }

    private static func isMediaRange(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        if text == "*/*" { return true }
        let isSubtype = parts[1] == "*" || isToken(parts[1])
        return isToken(parts[0]) && isSubtype
    }

    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty && !text.contains("*") && text.utf8.allSatisfy(Token.contains)
    }
}
