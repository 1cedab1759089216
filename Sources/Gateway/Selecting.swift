internal import HTTP
internal import JSON
internal import Plan

/// What of a resource and its links the client wants to see.
struct Selection: Sendable {
    var expansion: Expansion
    /// Nil: everything.
    var fields: JSONSelection?
}

/// The links to follow: a tree of property names in which arrays don't show.
struct Expansion: Sendable {
    /// The dot path from the resource, empty for the resource itself.
    var path = ""
    /// Whether the link at this place is followed; false for a plain object on the way to one.
    var isFollowed = false
    var children: [String: Expansion] = [:]
}

extension Gateway {
    /// Splits a comma list of dot paths; the empty text is no path.
    ///
    /// - Throws: 400 where a path or a segment is empty or there are more than 100 paths.
    func readPaths(_ text: String, parameter: String) throws(GatewayError) -> [[String]] {
        if text.isEmpty { return [] }
        let paths = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { ASCII.trimmed($0).split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
        let bad = paths.first { $0.count > 16 || $0.contains("") }
        guard paths.count <= 100, bad == nil else {
            var error = GatewayError.badParameter(
                "bad-path", "\"\(parameter)\" is a comma list of at most 100 dot paths such as starships.pilots.",
                parameter)
            if let bad {
                error.texts.append(("segment", String(bad.joined(separator: ".").prefix(64))))
            }
            throw error
        }
        return paths
    }

    /// The tree of links to follow and the tree of fields to keep.
    ///
    /// - Throws: 400 for a path that isn't declared, a link that is too deep or isn't expandable, or a field below a link that isn't
    ///   expanded; it names the segment and what is allowed there.
    func readSelection(_ arguments: Arguments, _ operation: Operation) throws(GatewayError) -> Selection {
        var expansion = Expansion()
        let defaults = operation.expandByDefault.map { $0.split(separator: ".").map(String.init) }
        for path in arguments.expand ?? defaults { try insert(path, operation, &expansion) }
        guard let paths = arguments.fields, !paths.isEmpty else { return Selection(expansion: expansion) }
        for path in paths { try check(field: path, operation, expansion) }
        return Selection(expansion: expansion, fields: JSONSelection(paths: paths))
    }

    private func insert(_ path: [String], _ operation: Operation, _ expansion: inout Expansion) throws(GatewayError) {
        var node = plan.start(operation)
        var links = 0
        var steps: [(name: String, isLink: Bool)] = []
        for (index, name) in path.enumerated() {
            guard let place = plan.place(name, of: node) else {
                throw unknown(path, index, "expand", allowed: allowedLinks(node))
            }
            let link = plan.schemas[place].link.flatMap { $0.isExpandable ? $0 : nil }
            if link != nil { links += 1 }
            steps.append((name, link != nil))
            node = link.map { plan.start(plan.operations[$0.operation]) } ?? place
        }
        guard links <= operation.limits.depth else {
            throw tooDeep(steps, links, operation.limits.depth)
        }
        guard let last = steps.last, last.isLink else {
            let parent = path.dropLast().reduce(plan.start(operation)) { plan.destination($1, of: $0) }
            throw unknown(path, path.count - 1, "expand", allowed: allowedLinks(parent))
        }
        expansion.insert(steps[...])
    }

    private func tooDeep(_ steps: [(name: String, isLink: Bool)], _ links: Int, _ depth: Int)
        -> GatewayError
    {
        let path = steps.map(\.name).joined(separator: ".")
        var error = GatewayError.badParameter(
            "expand-too-deep", "\"\(path)\" follows \(links) links; at most \(depth) are followed.",
            "expand")
        var left = depth
        let allowed = steps.prefix { step in
            if step.isLink { left -= 1 }
            return left >= 0
        }
        error.texts.append(("segment", steps.dropFirst(allowed.count).first?.name ?? ""))
        error.lists.append(("allowed", [allowed.map(\.name).joined(separator: ".")]))
        return error
    }

    /// The links that `expand` may name at a schema's node.
    private func allowedLinks(_ node: Int?) -> [String] {
        node.map { ExpandPaths.allowed(from: $0, in: plan) } ?? []
    }

    private func check(field path: [String], _ operation: Operation, _ expansion: Expansion) throws(GatewayError) {
        var node = plan.start(operation)
        var branch: Expansion? = expansion
        for (index, name) in path.enumerated() {
            if let node, plan.schemas[node].isOpen, plan.place(name, of: node) == nil { return }
            guard let place = plan.place(name, of: node) else {
                throw unknown(path, index, "fields", allowed: node.map { FieldPaths.allowed(from: $0, in: plan) } ?? [])
            }
            branch = branch?.children[name]
            node = place
            guard index < path.count - 1, let link = plan.schemas[place].link else { continue }
            if branch?.isFollowed == true {
                node = plan.start(plan.operations[link.operation])
            } else if link.href == nil {
                let prefix = path[...index].joined(separator: ".")
                throw .badParameter(
                    "field-of-unexpanded-link", "\"\(prefix)\" is a link; add it to \"expand\" to choose fields of it.",
                    "fields")
            }
        }
    }

    private func unknown(_ path: [String], _ index: Int, _ parameter: String, allowed: [String]) -> GatewayError {
        let prefix = path[..<index].map { $0 + "." }.joined()
        let segment = String(path[index].prefix(64))
        var error = GatewayError.badParameter(
            "unknown-path", "\"\(segment)\" in \"\(parameter)\" names nothing that can be chosen here.", parameter)
        error.texts.append(("segment", segment))
        error.lists.append(("allowed", allowed.map { prefix + $0 }))
        return error
    }
}

extension Expansion {
    /// Adds a path; each link on it is followed.
    mutating func insert(_ steps: ArraySlice<(name: String, isLink: Bool)>) {
        guard let (name, isLink) = steps.first else { return }
        var child = children[name] ?? Expansion(path: path.isEmpty ? name : path + "." + name)
        child.isFollowed = child.isFollowed || isLink
        child.insert(steps.dropFirst())
        children[name] = child
    }
}

extension Plan {
    /// The node of the property `name` with arrays looked through, or nil where it isn't declared.
    func place(_ name: String, of node: Int?) -> Int? {
        guard let node, let property = schemas[node].property(name) else { return nil }
        return schemas.element(of: property)
    }

    /// Where paths go on behind the property `name`: in the link's target, or in the property itself.
    func destination(_ name: String, of node: Int?) -> Int? {
        guard let place = place(name, of: node) else { return nil }
        guard let link = schemas[place].link, link.isExpandable else { return place }
        return start(operations[link.operation])
    }

    /// Where paths of `expand` and `fields` begin: the resource, or an item where the answer is an array of them.
    func start(_ operation: Operation) -> Int? { operation.resource.map(schemas.element) }
}
