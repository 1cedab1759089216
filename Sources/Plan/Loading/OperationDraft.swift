internal import HTTP

/// An operation as it stands in its document, before its parts are read.
struct OperationDraft {
    var id: String
    var method: Method
    /// The document's root.
    var root: Place
    /// The entry of `paths`, for its key.
    var pathEntry: Place
    var pathItem: Place
    var place: Place
    var template: PathTemplate
    var parameters: [LoadedParameter]

    /// The value of a key of `x-sluice`: the operation's own, else the path item's, else the document's.
    func setting(_ key: String) -> Place? {
        for owner in [place, pathItem, root] {
            if let value = owner["x-sluice"]?[key] { return value }
        }
        return nil
    }

    /// The schema of the JSON in the answer with status 200, else in another good one.
    func answerSchema(_ contract: Contract) -> Place? {
        guard let entry = answerEntry, let response = contract.resolve(entry.place) else { return nil }
        let content = response["content"]?.entries ?? []
        let json =
            content.first { $0.key == "application/json" }
            ?? content.first { $0.key.hasPrefix("application/json;") || $0.key.hasSuffix("+json") }
        return json?.place["schema"]
    }

    /// The entry of `responses` that describes a good answer.
    var answerEntry: (key: String, place: Place)? {
        let entries = place["responses"]?.entries ?? []
        return entries.first { $0.key == "200" } ?? entries.first { $0.key.hasPrefix("2") }
    }
}

/// Collects the operations of all documents.
struct OperationCollector {
    private let contract: Contract
    private(set) var drafts: [OperationDraft] = []

    private static let methods: [String: Method] = [
        "get": .get, "put": .put, "post": .post, "delete": .delete, "patch": .patch,
    ]
    /// Answered by the gateway for every route.
    private static let ownMethods = ["head", "options", "trace"]
    /// Routes of the gateway's own.
    private static let ownPaths = ["/", "/openapi.json", "/healthz", "/readyz"]

    init(_ contract: Contract) { self.contract = contract }

    mutating func collect(_ root: Place) {
        for (path, entry) in root["paths"]?.entries ?? [] where !path.hasPrefix("x-") {
            guard let template = template(path, entry), let item = contract.resolve(entry), item.isMap else { continue }
            for (key, place) in item.entries where place.isMap {
                if let method = OperationCollector.methods[key] {
                    collect(method, place, item, entry, root, template)
                } else if OperationCollector.ownMethods.contains(key) {
                    contract.mistakes.add(
                        at: place, atKey: true, found: "the method \(shown(key))",
                        expected: "one of: get, put, post, delete, patch")
                }
            }
        }
    }

    private mutating func collect(
        _ method: Method, _ place: Place, _ item: Place, _ entry: Place, _ root: Place, _ template: PathTemplate
    ) {
        let parameters = ParameterLoader(contract: contract).load(pathItem: item, operation: place)
        drafts.append(
            OperationDraft(
                id: place["operationId"]?.text ?? "", method: method, root: root, pathEntry: entry, pathItem: item,
                place: place, template: template, parameters: parameters))
        checkPathParameters(parameters, template, entry)
        for (key, response) in place["responses"]?.entries ?? [] where !key.hasPrefix("x-") && !isStatus(key) {
            contract.mistakes.add(
                at: response, atKey: true, found: shown(key), expected: "a status such as 200 or 4XX, or default")
        }
    }

    private func isStatus(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 3, (0x31...0x35).contains(bytes[0]) else { return key == "default" }
        return bytes[1...] == [0x58, 0x58] || bytes[1...].allSatisfy(ASCII.isDigit)
    }

    private func template(_ path: String, _ entry: Place) -> PathTemplate? {
        guard let template = PathTemplate(path) else {
            contract.mistakes.add(at: entry, atKey: true, found: shown(path), expected: PathTemplate.form)
            return nil
        }
        guard Set(template.parameterNames).count == template.parameterNames.count else {
            contract.mistakes.add(
                at: entry, atKey: true, found: shown(path), expected: "a path that names each parameter once")
            return nil
        }
        guard !OperationCollector.ownPaths.contains(template.text) else {
            contract.mistakes.add(
                at: entry, atKey: true, found: shown(path), expected: "a path that isn't the gateway's own")
            return nil
        }
        return template
    }

    /// What stands in braces must be declared, and what is declared must stand in braces.
    private func checkPathParameters(_ parameters: [LoadedParameter], _ template: PathTemplate, _ entry: Place) {
        let declared = parameters.filter { $0.plan.location == .path }
        for name in template.parameterNames where !declared.contains(where: { $0.plan.name == name }) {
            contract.mistakes.add(
                at: entry, atKey: true, found: "{\(name)} without a declaration",
                expected: "a parameter \(shown(name)) with in: path")
        }
        for parameter in declared where !template.parameterNames.contains(parameter.plan.name) {
            let names = template.parameterNames.map { "{\($0)}" }
            contract.mistakes.add(
                at: parameter.entry, found: "the path parameter \(shown(parameter.plan.name))",
                expected: names.isEmpty ? "none: the path has no braces" : "one of: " + names.joined(separator: ", "))
        }
    }
}

extension PathTemplate {
    /// What a path looks like, for messages.
    static let form = "a path such as /films/{id}, with braces around whole segments"
}
