internal import HTTP

/// Checks what links lead to, now that all operations are known.
struct LinkCheck {
    let graph: SchemaGraph
    let schemas: SchemaLoader
    /// The operations whose own mistakes are reported, which say nothing for sure.
    let broken: Set<Int>
    let mistakes: MistakeList

    func run() {
        let owners = owners()
        for (node, place) in schemas.links {
            guard let link = graph.schemas[node].link else { continue }
            checkTarget(link, place)
            checkSlot(node, link, place)
            if link.parameters.isEmpty {
                checkAddress(link, place)
            } else {
                checkParameters(link, place, owners[node] ?? [])
            }
        }
    }

    /// For each node the objects of which it is a property, arrays looked through.
    private func owners() -> [Int: [Int]] {
        var owners: [Int: [Int]] = [:]
        for (index, node) in graph.schemas.enumerated() {
            for (_, property) in node.properties {
                owners[graph.schemas.element(of: property), default: []].append(index)
            }
        }
        return owners
    }

    private func checkTarget(_ link: SchemaNode.Link, _ place: Place) {
        let target = graph.operations[link.operation]
        guard let to = place["to"] else { return }
        if target.method != .get {
            mistakes.add(at: to, found: "\(to.found), which is \(target.method.rawValue)", expected: "a GET operation")
        } else if target.mirror != nil {
            mistakes.add(at: to, found: "\(to.found), which is a mirror", expected: "an operation with one answer")
        } else if target.handler != nil, link.isExpandable {
            mistakes.add(
                at: to, found: "\(to.found), which has a handler",
                expected: "\"expand: false\" too: what a handler answers can't be put into an answer")
        }
    }

    /// The value that holds the link must be able to hold it.
    private func checkSlot(_ index: Int, _ link: SchemaNode.Link, _ place: Place) {
        let node = graph.schemas[index]
        if node.types.contains(.array) || node.items != nil {
            mistakes.add(at: place, found: "a link of an array", expected: "the link at the array's items")
        } else if let href = link.href, let entry = place["href"] {
            if !link.parameters.isEmpty {
                mistakes.add(at: entry, atKey: true, found: "\"href\" beside \"params\"", expected: "one of the two")
            }
            if !node.isOpen, node.property(href) == nil {
                let known = node.properties.map(\.name).joined(separator: ", ")
                mistakes.add(
                    at: entry, found: entry.found,
                    expected: known.isEmpty ? "a field of an object, which this isn't" : "one of: \(known)")
            }
        } else if link.parameters.isEmpty, !node.types.isEmpty, !node.types.contains(.string) {
            let types = node.types.map(\.rawValue).joined(separator: " or ")
            mistakes.add(
                at: place, found: "a link without \"href\" and \"params\" of type \(types)",
                expected: "a text that holds the address")
        }
    }

    /// A link that is an address can give its target what the upstream path names, and nothing else for sure.
    private func checkAddress(_ link: SchemaNode.Link, _ place: Place) {
        let target = graph.operations[link.operation]
        guard let to = place["to"], !broken.contains(link.operation) else { return }
        guard target.upstream != nil else {
            mistakes.add(
                at: to, found: "\(to.found), which has no upstream", expected: "\"params\", for no address leads there")
            return
        }
        let given = target.upstreamPath.parameterNames
        let needed = LinkCheck.needs(of: target).filter { !given.contains($0) }
        if needed.isEmpty, let groups = LinkCheck.groups(of: target) {
            mistakes.add(at: to, found: to.found, expected: "\"params\" with \(groups)")
        }
        guard !needed.isEmpty else { return }
        mistakes.add(
            at: to, found: "\(to.found), which needs " + needed.map(shown).joined(separator: ", "),
            expected: "an operation whose upstream path \(target.upstreamPath.text) gives it, or \"params\"")
    }

    /// The groups of parameters of which an operation needs one, for messages; nil where it needs none.
    private static func groups(of operation: Operation) -> String? {
        guard !operation.alternatives.isEmpty else { return nil }
        return operation.alternatives.map { $0.map(shown).joined(separator: " and ") }.joined(separator: ", or ")
    }

    /// The parameters without which an operation can't be asked.
    private static func needs(of operation: Operation) -> [String] {
        let required = operation.parameters.filter { $0.role == .upstream && $0.isRequired && $0.default == nil }
        return required.map(\.name)
    }

    private func checkParameters(_ link: SchemaNode.Link, _ place: Place, _ owners: [Int]) {
        let target = graph.operations[link.operation]
        let known = target.parameters.filter { $0.role == .upstream }.map(\.name)
        let names = link.parameters.map(\.name)
        if let params = place["params"] {
            for name in LinkCheck.needs(of: target) where !names.contains(name) {
                mistakes.add(at: params, found: "no \(shown(name))", expected: "one: \(target.id) needs it")
            }
            if let groups = LinkCheck.groups(of: target),
                !target.alternatives.contains(where: { $0.allSatisfy(names.contains) })
            {
                mistakes.add(at: params, found: names.map(shown).joined(separator: ", "), expected: groups)
            }
        }
        for (name, template) in link.parameters {
            guard let entry = place["params"]?[name] else { continue }
            if !known.contains(name) {
                mistakes.add(
                    at: entry, atKey: true, found: "\(shown(name)), which \(target.id) doesn't have",
                    expected: known.isEmpty ? "no parameter" : "one of: " + known.joined(separator: ", "))
            }
            checkTemplate(template, entry, owners)
        }
    }

    /// A template names the value itself (`.`), a field beside it (`_id`), or fields in braces.
    private func checkTemplate(_ template: String, _ entry: Place, _ owners: [Int]) {
        guard let names = LinkCheck.names(in: template) else {
            mistakes.add(at: entry, found: entry.found, expected: "\".\", a field's name, or text with {names} in it")
            return
        }
        if owners.isEmpty || owners.contains(where: { graph.schemas[$0].isOpen }) { return }
        let fields = owners.flatMap { owner in
            graph.schemas[owner].properties.map(\.name) + parametersOfMerges(at: owner)
        }
        for name in names where !fields.contains(name) {
            mistakes.add(
                at: entry, found: "\(shown(name)), which stands nowhere beside the link",
                expected: "one of: " + fields.joined(separator: ", "))
        }
    }

    /// An operation without an upstream answers with links alone, which its own parameters fill.
    private func parametersOfMerges(at node: Int) -> [String] {
        graph.operations.filter { $0.upstream == nil && $0.resource == node }.flatMap { $0.parameters.map(\.name) }
    }

    /// The fields that a template names; nil where its braces are wrong.
    static func names(in template: String) -> [String]? {
        if template == "." { return [] }
        guard template.contains("{") || template.contains("}") else { return template.isEmpty ? nil : [template] }
        return Braces.split(template).map { pieces in
            pieces.compactMap { if case .name(let name) = $0 { name } else { nil } }
        }
    }
}

/// Checks what an operation says about expanding links.
struct ExpandCheck {
    let graph: SchemaGraph
    let draft: OperationDraft
    let operation: Operation
    let mistakes: MistakeList

    func run() {
        guard let resource = operation.resource else { return }
        for place in draft.setting("expand")?.items ?? [] {
            guard let path = place.text else { continue }
            switch graph.check(path, from: resource, depth: operation.limits.depth) {
            case nil: break
            case .tooDeep:
                mistakes.add(
                    at: place, found: place.found, expected: "a path of at most \(operation.limits.depth) links")
            case .unknown(let segment, let allowed):
                mistakes.add(
                    at: place, found: "\(place.found), in which \(shown(segment)) is no link",
                    expected: allowed.isEmpty
                        ? "no path: there is no link" : "one of: " + allowed.joined(separator: ", "))
            }
        }
        guard let parameter = draft.parameters.first(where: { $0.plan.role == .expand }) else { return }
        if graph.links(from: resource).isEmpty {
            mistakes.add(
                at: parameter.entry, found: "the parameter \"expand\"",
                expected: "it only where the answer's schema has a link to follow")
        }
    }
}
