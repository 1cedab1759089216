/// The dot paths that `expand` may name. Arrays don't show in a path, and plain objects are parts of a name: `characters.items` is
/// one step where the object `characters` has the links in its `items`.
public enum ExpandPaths {
    /// The links that one step from `node` reaches, by their names, in the contract's order: empty where there are none.
    public static func allowed(from node: Int, in plan: Plan) -> [String] {
        SchemaGraph(schemas: plan.schemas, operations: plan.operations).links(from: node).map(\.name)
    }

    /// Every path from `node` that follows at most `depth` links, a path before those that go on from it. Nil where there are more
    /// than `limit`.
    public static func all(from node: Int, depth: Int, limit: Int = 1000, in plan: Plan) -> [String]? {
        SchemaGraph(schemas: plan.schemas, operations: plan.operations).paths(from: node, depth: depth, limit: limit)
    }
}

/// The dot paths that `fields` may name, by the same grammar.
public enum FieldPaths {
    /// The fields of `node` in the contract's order, each plain object's own fields behind it (`series`, `series.name`). Where a path
    /// goes on behind a link that is expanded, its target's resource is the next `node`.
    public static func allowed(from node: Int, in plan: Plan) -> [String] {
        SchemaGraph(schemas: plan.schemas, operations: plan.operations).fields(from: node)
    }
}

/// Schemas seen as a graph: properties lead from object to object, links from operation to operation.
struct SchemaGraph {
    let schemas: [SchemaNode]
    let operations: [Operation]

    /// Schemas may be recursive; no name has more parts than this.
    private static let maximumParts = 8

    /// The expandable links that one step from `node` reaches.
    func links(from node: Int) -> [(name: String, node: Int, link: SchemaNode.Link)] {
        var found: [(name: String, node: Int, link: SchemaNode.Link)] = []
        var seen: Set<Int> = []
        collect(schemas.element(of: node), prefix: "", parts: 0, &seen) { name, node in
            guard let link = schemas[node].link, link.isExpandable else { return true }
            found.append((name, node, link))
            return false
        }
        return found
    }

    func fields(from node: Int) -> [String] {
        var names: [String] = []
        var seen: Set<Int> = []
        collect(schemas.element(of: node), prefix: "", parts: 0, &seen) { name, node in
            names.append(name)
            return schemas[node].link.map { !$0.isExpandable || $0.href != nil } ?? true
        }
        return names
    }

    /// Calls `visit` with each property below `node`, depth first; goes on below one where `visit` says so.
    private func collect(
        _ node: Int, prefix: String, parts: Int, _ seen: inout Set<Int>, _ visit: (String, Int) -> Bool
    ) {
        guard parts < SchemaGraph.maximumParts, seen.insert(node).inserted else { return }
        for (name, property) in schemas[node].properties {
            let place = schemas.element(of: property)
            if visit(prefix + name, place) {
                collect(place, prefix: prefix + name + ".", parts: parts + 1, &seen, visit)
            }
        }
        seen.remove(node)
    }

    func paths(from node: Int, depth: Int, limit: Int) -> [String]? {
        var paths: [String] = []
        return add(&paths, from: node, prefix: "", depth: depth, limit: limit) ? paths : nil
    }

    private func add(_ paths: inout [String], from node: Int, prefix: String, depth: Int, limit: Int) -> Bool {
        guard depth > 0 else { return true }
        for (name, _, link) in links(from: node) {
            guard paths.count < limit else { return false }
            paths.append(prefix + name)
            guard let target = operations[link.operation].resource else { continue }
            guard add(&paths, from: target, prefix: prefix + name + ".", depth: depth - 1, limit: limit) else {
                return false
            }
        }
        return true
    }

    /// What is wrong with a path of links, or nil.
    enum PathMistake {
        case unknown(segment: String, allowed: [String])
        case tooDeep
    }

    /// Follows a dot path of links from `node`.
    func check(_ path: String, from node: Int, depth: Int) -> PathMistake? {
        var node: Int? = node
        var rest: Substring? = path[...]
        var followed = 0
        while let path = rest {
            let candidates = node.map { links(from: $0) } ?? []
            let fits = candidates.filter { path == $0.name || path.hasPrefix($0.name + ".") }
            guard let link = fits.max(by: { $0.name.count < $1.name.count }) else {
                return .unknown(segment: String(path.prefix { $0 != "." }), allowed: candidates.map(\.name))
            }
            followed += 1
            node = operations[link.link.operation].resource
            rest = path == link.name ? nil : path.dropFirst(link.name.count + 1)
        }
        return followed > depth ? .tooDeep : nil
    }
}
