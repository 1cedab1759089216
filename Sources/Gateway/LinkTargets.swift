internal import HTTP
internal import JSON
internal import Plan

extension Survey {
    /// Where a link leads: its address at this gateway and the upstream request behind it. Nil where it names no declared operation.
    ///
    /// - Parameters:
    ///   - node: the link's value; nil for a property that the upstream's object doesn't have.
    ///   - object: the object that the link's parameters are taken from.
    func target(of link: SchemaNode.Link, _ node: JSONNode?, in object: JSONNode?) -> (href: String, address: Address?)?
    {
        if !link.parameters.isEmpty { return parameterTarget(of: link, node, in: object) }
        var address = node
        if let href = link.href { address = object.flatMap { document.member(href, of: $0) } }
        guard let address, let text = document.string(of: address) else { return nil }
        guard let match = plan.links.match(text, from: upstream, preferring: link.operation) else { return nil }
        let operation = plan.operations[match.operation]
        guard let path = operation.path.filled(match.parameters, endsInSlash: match.endsInSlash) else { return nil }
        var values = match.parameters
        for (name, value) in Target(path: path, query: match.query).pairs ?? [] {
            guard operation.parameters.contains(where: { $0.name == name && $0.role == .upstream }) else { continue }
            values[name] = value
        }
        let href = linkBase + Target(path: path, query: match.query).text
        return (href, plan.address(match.operation, values))
    }

    private func parameterTarget(
        of link: SchemaNode.Link, _ node: JSONNode?, in object: JSONNode?
    ) -> (href: String, address: Address?)? {
        let operation = plan.operations[link.operation]
        var values: [String: String] = [:]
        for (name, template) in link.parameters {
            guard let value = fill(template, node, in: object), !value.isEmpty else { return nil }
            values[name] = value
        }
        guard let path = operation.path.filled(values) else { return nil }
        let inPath = operation.path.parameterNames
        let pairs = link.parameters.map(\.name).filter { !inPath.contains($0) }
            .compactMap { name in values[name].map { (name: name, value: $0) } }
        for parameter in operation.parameters where values[parameter.name] == nil {
            if let value = parameter.default { values[parameter.name] = value }
        }
        let href = linkBase + Target(path: path, query: Target.query(pairs)).text
        return (href, plan.address(link.operation, values))
    }

    /// A template's text: `.` is the value itself, `{name}` a scalar member of the object, a bare name such a member as a whole.
    private func fill(_ template: String, _ node: JSONNode?, in object: JSONNode?) -> String? {
        if template == "." { return node.flatMap(scalar) }
        guard template.contains("{") else { return member(template, of: object) }
        var result = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = member(name, of: object) else { return nil }
            result += value
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    private func member(_ name: String, of object: JSONNode?) -> String? {
        object.flatMap { document.member(name, of: $0) }.flatMap(scalar) ?? context[name]
    }

    private func scalar(_ node: JSONNode) -> String? {
        switch document.kind(of: node) {
        case .string: document.string(of: node)
        case .number, .true, .false: String(decoding: document.bytes(of: node), as: UTF8.self)
        case .object, .array, .null: nil
        }
    }
}
