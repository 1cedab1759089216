internal import JSON

/// Reads `collection`: where a list's parts lie in the answer, and how its pages are asked for.
struct CollectionLoader {
    let place: Place
    let draft: OperationDraft
    /// The node of the whole answer (behind `unwrap`).
    let answer: Int?
    let isShaped: Bool
    let schemas: SchemaLoader
    let mistakes: MistakeList

    /// Nil where something is wrong with it.
    func load() -> CollectionPlan? {
        guard let items = pointer("items") else { return nil }
        checkItems(items)
        let paging = readPaging()
        let (total, next, previous) = (pointer("total"), pointer("next"), pointer("previous"))
        return paging.map { paging in
            var plan = CollectionPlan(items: items, total: total, next: next, previous: previous, paging: paging)
            plan.maximum = readMaximum(paging)
            plan.limit = place["limit"].flatMap(parameter)
            plan.attribution = JSONPointer.read(place["attribution"], mistakes)
            return plan
        }
    }

    /// A shaped answer's schema may be the list that clients get and not the upstream's envelope, of which it then says nothing.
    private var describesItems: Bool {
        guard isShaped, let answer else { return false }
        return schemas.nodes[answer].items != nil
    }

    /// The node of one item; nil where the schema doesn't say.
    var resource: Int? {
        if describesItems { return answer.flatMap { schemas.nodes[$0].items } }
        guard let text = place["items"]?.text, let pointer = JSONPointer(text), let list = node(at: pointer) else {
            return nil
        }
        return schemas.nodes[list].items
    }

    private func pointer(_ key: String) -> JSONPointer? {
        guard let entry = place[key], let pointer = JSONPointer.read(entry, mistakes) else { return nil }
        if answer != nil, !describesItems, node(at: pointer) == nil {
            mistakes.add(at: entry, found: entry.found, expected: "a place that the answer's schema declares")
        }
        return pointer
    }

    private func checkItems(_ pointer: JSONPointer) {
        guard !describesItems, let entry = place["items"], let node = node(at: pointer), resource == nil else { return }
        let types = schemas.nodes[node].types.map(\.rawValue).joined(separator: " or ")
        mistakes.add(
            at: entry, found: "\(entry.found), \(types.isEmpty ? "which has no items" : "a place of type \(types)")",
            expected: "the place of an array whose items have a schema")
    }

    private func node(at pointer: JSONPointer) -> Int? {
        var node = answer
        for token in pointer.tokens { node = node.flatMap { schemas.nodes[$0].property(token) } }
        return node
    }

    // MARK: Pages

    private func readPaging() -> CollectionPlan.Paging? {
        let (page, offset, limit) = (place["page"], place["offset"], place["limit"])
        if page != nil, let other = offset ?? limit {
            mistakes.add(
                at: other, atKey: true, found: "it beside \"page\"", expected: "\"page\", or \"offset\" and \"limit\"")
            return nil
        }
        if let lone = limit == nil ? offset : nil {
            mistakes.add(at: lone, atKey: true, found: "it alone", expected: "both \"offset\" and \"limit\"")
            return nil
        }
        guard let first = page ?? offset else { return readNoPaging() }
        let size = readSize()
        guard let name = parameter(first) else { return nil }
        guard let limit else { return size.map { .page(parameter: name, size: $0) } }
        // What is wrong with it is told once, where it is read for itself.
        guard let limit = limit.text else { return nil }
        return size.map { .offset(parameter: name, limit: limit, size: $0) }
    }

    private func readNoPaging() -> CollectionPlan.Paging? {
        guard let size = place["size"] else { return CollectionPlan.Paging.none }
        mistakes.add(
            at: size, atKey: true, found: "a size without pages", expected: "\"page\", or \"offset\" and \"limit\"")
        return nil
    }

    private func readMaximum(_ paging: CollectionPlan.Paging) -> Int? {
        guard let entry = place["maximum"], let maximum = entry.whole else { return nil }
        guard case .offset = paging else {
            mistakes.add(
                at: entry, atKey: true, found: "it without \"limit\"",
                expected: "it only beside \"offset\" and \"limit\"")
            return nil
        }
        if (1...10_000).contains(maximum) { return maximum }
        mistakes.add(at: entry, found: entry.found, expected: "a whole number from 1 to 10000")
        return nil
    }

    private func readSize() -> Int? {
        guard let entry = place["size"] else {
            mistakes.add(at: place, found: "no \"size\"", expected: "the number of items on a full page")
            return nil
        }
        guard let size = entry.whole else { return nil }
        if (1...10_000).contains(size) { return size }
        mistakes.add(at: entry, found: entry.found, expected: "a whole number from 1 to 10000")
        return nil
    }

    /// The name of a paging parameter, which must be a whole number of the query.
    private func parameter(_ entry: Place) -> String? {
        guard let name = entry.text else { return nil }
        let declared = draft.parameters.first { $0.plan.name == name && $0.plan.location == .query }
        if let plan = declared?.plan, plan.type == .integer, plan.role == .upstream { return name }
        mistakes.add(
            at: entry, found: entry.found + (declared == nil ? ", which isn't declared" : ", which is no integer"),
            expected: "a query parameter of type integer")
        return nil
    }
}
