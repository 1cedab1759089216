internal import HTTP
internal import JSON

/// Operations in the merged document.
extension OpenAPIDocument {
    mutating func writeOperation(_ index: Int, _ writer: inout JSONWriter) {
        let draft = drafts[index]
        writer.object { writer in
            let own = ["parameters", "responses", "security", "servers"]
            writeMembers(draft.place, .operation, &writer, except: own)
            if !draft.parameters.isEmpty {
                writer.array("parameters") { writer in
                    for parameter in draft.parameters { writeParameter(parameter, index, &writer) }
                }
            }
            writeSecurity(draft, &writer)
            writer.object("responses") { writeResponses(index, &$0) }
        }
    }

    private mutating func writeParameter(_ parameter: LoadedParameter, _ index: Int, _ writer: inout JSONWriter) {
        let operation = graph.operations[index]
        guard parameter.plan.role == .expand, let resource = operation.resource else {
            return write(parameter.entry, .object(.parameter), &writer)
        }
        let named = schemas.origins[resource]
        let name = OpenAPIDocument.isNamed(named) ? named.pointer.tokens.last ?? operation.id : operation.id
        let paths = components.reference(toPathsFrom: resource, depth: operation.limits.depth, name: name + "Expand")
        writer.object { writer in
            writeMembers(parameter.place, .parameter, &writer, except: ["schema", "style", "explode"])
            writer.member("style", "form")
            writer.member("explode", false)
            writer.object("schema") { writer in
                writer.member("type", "array")
                writer.object("items") { $0.member("$ref", paths) }
                guard !operation.expandByDefault.isEmpty else { return }
                writer.array("default") { for path in operation.expandByDefault { $0.value(path) } }
            }
        }
    }

    func writeExpandPaths(from node: Int, depth: Int, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", "string")
            if let paths = graph.paths(from: node, depth: depth, limit: 1000) {
                writer.member("description", "A link to follow, or links that lead on from one to the next.")
                writer.array("enum") { for path in paths { $0.value(path) } }
            } else {
                let first = graph.links(from: node).map { String($0.name.flatMap { $0 == "." ? ["\\", "."] : [$0] }) }
                writer.member(
                    "description",
                    "A link to follow, or up to \(depth) links that lead on from one to the next, with dots between them."
                )
                writer.member("pattern", "^(\(first.joined(separator: "|")))(\\.[^.,]+)*$")
            }
        }
    }

    /// The operation's own security, else its document's; each scheme under the name that it has in the merged document. Where this
    /// gateway wants a client's key, that comes to each of them.
    private mutating func writeSecurity(_ draft: OperationDraft, _ writer: inout JSONWriter) {
        let own = (draft.place["security"] ?? draft.root["security"])?.items
        let needsKey = keyNeed == .everything || keyNeed == .changes && draft.method != .get
        guard own != nil || needsKey else { return }
        let keys =
            needsKey ? [true, false].map { components.clientKeyScheme(isBearer: $0) as String? } : [String?.none]
        let requirements = (own ?? []).map { $0.entries }
        writer.array("security") { writer in
            for requirement in requirements.isEmpty && needsKey ? [[]] : requirements {
                for key in keys {
                    writer.object { writer in
                        writeRequirement(requirement, draft, &writer)
                        if let key { writer.array(key) { _ in } }
                    }
                }
            }
        }
    }

    private mutating func writeRequirement(
        _ requirement: [(key: String, place: Place)], _ draft: OperationDraft, _ writer: inout JSONWriter
    ) {
        let schemes = draft.root["components"]?["securitySchemes"]
        for (name, scopes) in requirement {
            let reference = schemes?[name].flatMap { contract.resolve($0) }
                .map { components.reference(to: $0, .securityScheme, name: name) }
            writer.key(reference.flatMap { $0.split(separator: "/").last.map(String.init) } ?? name)
            write(scopes, .list(.text), &writer)
        }
    }

    static func writeClientKey(isBearer: Bool, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("description", "A key that whoever runs this gateway gives to its clients.")
            writer.member("type", isBearer ? "http" : "apiKey")
            if isBearer {
                writer.member("scheme", "bearer")
            } else {
                writer.member("in", "header")
                writer.member("name", "X-API-Key")
            }
        }
    }

    private mutating func writeResponses(_ index: Int, _ writer: inout JSONWriter) {
        let draft = drafts[index]
        let wrapped = graph.operations[index].wrapsList ? draft.answerEntry?.key : nil
        var hasDefault = false
        for (key, place) in draft.place["responses"]?.entries ?? [] where !key.hasPrefix("x-") {
            hasDefault = hasDefault || key == "default"
            writer.key(key)
            if key == wrapped, let response = contract.resolve(place) {
                writeWrapped(response, index, &writer)
            } else {
                write(place, .object(.response), &writer)
            }
        }
        if !hasDefault {
            let problem = components.referenceToProblem()
            writer.object("default") { $0.member("$ref", problem) }
        }
    }

    /// The answer of a list whose envelope is ours, whatever the upstream's looks like.
    private mutating func writeWrapped(_ response: Place, _ index: Int, _ writer: inout JSONWriter) {
        let reference = answerReference(index)
        writer.object { writer in
            writeMembers(response, .response, &writer, except: ["content"])
            writer.object("content") { writer in
                writer.object("application/json") { writer in
                    writer.object("schema") { if let reference { $0.member("$ref", reference) } }
                }
            }
        }
    }

    mutating func writeEnvelope(_ index: Int, _ writer: inout JSONWriter) {
        let operation = graph.operations[index]
        let item = operation.resource.map { reference(toNode: $0, name: operation.id + "Item") }
        writer.object { writer in
            writer.member("type", "object")
            writer.array("required") { for name in ["count", "next", "previous", "results"] { $0.value(name) } }
            writer.object("properties") { writer in
                writer.object("count") { $0.array("type") { for type in ["integer", "null"] { $0.value(type) } } }
                for name in ["next", "previous"] {
                    writer.object(name) { writer in
                        writer.array("type") { for type in ["string", "null"] { $0.value(type) } }
                        writer.member("format", "uri")
                    }
                }
                writer.object("results") { writer in
                    writer.member("type", "array")
                    writer.object("items") { if let item { $0.member("$ref", item) } }
                }
                guard operation.collection?.attribution != nil else { return }
                writer.object("attribution") { writer in
                    writer.array("type") { for type in ["string", "null"] { $0.value(type) } }
                    writer.member("description", "What the upstream's terms ask to be shown with its data.")
                }
            }
        }
    }

    /// The form of `Response.init(problem:)`.
    static func writeProblem(_ writer: inout JSONWriter) {
        let members = [
            ("type", "string"), ("title", "string"), ("status", "integer"), ("detail", "string"), ("code", "string"),
        ]
        writer.object { writer in
            writer.member("description", "The request failed, or was refused (RFC 9457).")
            writer.object("content") { writer in
                writer.object("application/problem+json") { writer in
                    writer.object("schema") { writer in
                        writer.member("type", "object")
                        writer.array("required") { for (name, _) in members { $0.value(name) } }
                        writer.object("properties") { writer in
                            for (name, type) in members + [("upstream", "string")] {
                                writer.object(name) { $0.member("type", type) }
                            }
                        }
                    }
                }
            }
        }
    }
}
