internal import JSON

/// Turns schemas into nodes, each place once, so that recursive schemas become loops of indices.
struct SchemaLoader {
    private let contract: Contract
    /// The index of each operation, by its id.
    private let operations: [String: Int]
    private let areComplete: Bool
    private(set) var nodes: [SchemaNode] = []
    /// Where each node's schema stands.
    private(set) var origins: [Place] = []
    /// Where the links of the nodes stand, for the checks that need all operations.
    private(set) var links: [(node: Int, place: Place)] = []
    /// Whether a link was left out, and its cause reported.
    private(set) var hasBrokenLink = false
    private var known: [Place.ID: Int] = [:]
    /// Nodes that have a number but aren't filled yet.
    private var pending: [Int] = []

    /// - Parameter areComplete: each operation has an id of its own; otherwise one that a link lacks may be among the others.
    init(_ contract: Contract, operations: [String: Int], areComplete: Bool) {
        self.contract = contract
        self.areComplete = areComplete
        self.operations = operations
    }

    /// The node of the schema at `place`, filled together with everything below it.
    mutating func load(_ place: Place) -> Int {
        let node = number(place)
        while let next = pending.popLast() { fill(next) }
        return node
    }

    /// Says what the shaped values of a node must be.
    mutating func setRules(_ rules: ValueRules, of node: Int) { nodes[node].rules = rules }

    /// The number of the schema's node, a new one where it is met for the first time.
    private mutating func number(_ place: Place) -> Int {
        // A map that is nothing but a reference is the place that it leads to.
        var place = place
        if place["$ref"] != nil, place.entries.count == 1, let target = contract.resolve(place) { place = target }
        if let node = known[place.id] { return node }
        nodes.append(SchemaNode())
        origins.append(place)
        known[place.id] = nodes.count - 1
        pending.append(nodes.count - 1)
        return nodes.count - 1
    }

    private mutating func fill(_ index: Int) {
        var node = SchemaNode()
        for facet in facets(of: origins[index]) { add(facet, to: &node, index) }
        nodes[index] = node
    }

    /// The maps whose keywords hold for a value of the schema: its own, those behind `$ref`, and the members of `allOf`, `anyOf` and
    /// `oneOf`. A property counts as declared where any of them declares it.
    func facets(of place: Place) -> [Place] {
        var facets: [Place] = []
        var seen: Set<Place.ID> = []
        var waiting = [place]
        while let next = waiting.popLast() {
            guard next.isMap, seen.insert(next.id).inserted else { continue }
            facets.append(next)
            var further: [Place] = []
            if next["$ref"] != nil, let target = contract.resolve(next) { further.append(target) }
            for key in ["allOf", "anyOf", "oneOf"] { further += next[key]?.items ?? [] }
            waiting += further.reversed()
        }
        return facets
    }

    private mutating func add(_ facet: Place, to node: inout SchemaNode, _ index: Int) {
        addTypes(facet, to: &node)
        if node.format == nil { node.format = facet["format"]?.text }
        for (name, place) in facet["properties"]?.entries ?? [] where node.property(name) == nil {
            node.properties.append((name, number(place)))
        }
        if node.items == nil, let items = facet["items"], items.isMap { node.items = number(items) }
        if let open = facet["additionalProperties"], open.flag == true || open.isMap { node.isOpen = true }
        if node.sources.isEmpty, let place = facet["x-sluice-from"] { node.sources = sources(place) }
        if node.link == nil, let place = facet["x-sluice-link"] { addLink(place, to: &node, index) }
    }

    private func sources(_ place: Place) -> [ValueSource] {
        (place.isList ? place.items : [place]).compactMap { entry in
            guard let text = entry.text else { return nil }
            let source = ValueSource(text)
            if source == nil { contract.mistakes.add(at: entry, found: entry.found, expected: ValueSource.form) }
            return source
        }
    }

    private func addTypes(_ facet: Place, to node: inout SchemaNode) {
        if let nullable = facet["nullable"] {
            contract.mistakes.add(
                at: nullable, atKey: true, found: "\"nullable\" of OpenAPI 3.0",
                expected: "\"null\" in the list of types")
        }
        guard let place = facet["type"] else { return }
        for entry in place.isList ? place.items : [place] {
            guard let type = entry.text.flatMap(SchemaNode.ValueType.init) else {
                contract.mistakes.add(
                    at: entry, found: entry.found,
                    expected: "one of: object, array, string, integer, number, boolean, null")
                continue
            }
            if !node.types.contains(type) { node.types.append(type) }
        }
    }

    private mutating func addLink(_ place: Place, to node: inout SchemaNode, _ index: Int) {
        guard let to = place["to"], let id = to.text else {
            hasBrokenLink = true
            return
        }
        guard let operation = operations[id] else {
            hasBrokenLink = true
            guard areComplete else { return }
            contract.mistakes.add(
                at: to, found: to.found,
                expected: "an operationId, one of: " + operations.keys.sorted().joined(separator: ", "))
            return
        }
        let parameters = (place["params"]?.entries ?? []).compactMap { name, place in place.text.map { (name, $0) } }
        node.link = SchemaNode.Link(
            operation: operation, href: place["href"]?.text, parameters: parameters,
            isExpandable: place["expand"]?.flag ?? true)
        links.append((index, place))
    }
}
