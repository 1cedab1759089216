internal import Plan

extension Plan {
    /// The paths, one link deep, that `expand` takes at `node`: names through plain objects are dotted, arrays don't show.
    func expandable(from node: Int?) -> [String] {
        var found: [String] = []
        collect(from: node, prefix: "", depth: 0, into: &found)
        return found.sorted()
    }

    private func collect(from node: Int?, prefix: String, depth: Int, into found: inout [String]) {
        guard let node, depth < 8 else { return }
        for (name, property) in schemas[node].properties {
            let place = element(of: property)
            if let link = schemas[place].link {
                if link.isExpandable { found.append(prefix + name) }
            } else {
                collect(from: place, prefix: prefix + name + ".", depth: depth + 1, into: &found)
            }
        }
    }

    /// The properties that `fields` takes at `node`.
    func fieldNames(of node: Int?) -> [String] {
        node.map { schemas[$0].properties.map(\.name) } ?? []
    }
}
