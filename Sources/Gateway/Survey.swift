internal import HTTP
internal import JSON
internal import Plan

/// A link that is to be replaced by what it leads to.
struct Slot: Sendable {
    enum Place: Sendable {
        /// The value at this node is the link.
        case value(JSONNode)
        /// A property of the contract's own, which the upstream's object doesn't have.
        case addition(object: JSONNode, name: String)
    }
    var place: Place
    /// Nil where the link names nothing that may be fetched.
    var address: Address?
    /// The link's address at this gateway.
    var href: String?
    var expansion: Expansion
    var fields: JSONSelection?
}

/// One walk over a fetched document: which members go, which links are rewritten to this gateway, which are to be expanded.
///
/// The recursion follows the document, whose depth the JSON limits bound.
struct Survey {
    let plan: Plan
    let document: JSONDocument
    /// Index of the upstream that the document came from.
    let upstream: Int
    let linkBase: String
    /// Values that a link's parameters may name where the object has no such member.
    let context: [String: String]
    var edits = JSONEdits()
    var slots: [Slot] = []

    init(plan: Plan, resource: Resource, linkBase: String, context: [String: String] = [:]) {
        self.plan = plan
        self.context = context
        document = resource.document
        upstream = resource.address.upstream
        self.linkBase = linkBase
    }

    /// - Parameters:
    ///   - schema: the node that describes `node`; nil where the contract says nothing about it.
    ///   - fields: what to keep; nil for everything.
    mutating func visit(_ node: JSONNode, schema: Int?, expansion: Expansion?, fields: JSONSelection?) {
        guard let schema else {
            if let fields { edits.append(document.edits(keeping: fields, at: node)) }
            return
        }
        let shape = plan.schemas[schema]
        switch document.kind(of: node) {
        case .array:
            for element in document.elements(of: node) {
                visit(element, schema: shape.items, expansion: expansion, fields: fields)
            }
        case .object:
            if let link = shape.link, let expansion, expansion.isFollowed, link.href != nil || !link.parameters.isEmpty
            {
                addSlot(.value(node), link, target(of: link, node, in: node), expansion, fields)
            } else {
                visitMembers(of: node, shape, expansion, fields)
            }
        case .string, .number:
            if let link = shape.link { visit(link: link, at: node, expansion, fields) }
        case .true, .false, .null: break
        }
    }

    private mutating func visitMembers(
        of object: JSONNode, _ shape: SchemaNode, _ expansion: Expansion?, _ fields: JSONSelection?
    ) {
        var expected = 0
        for (key, value) in document.members(of: object) {
            let index = property(key, of: shape, expected: &expected)
            var kept: JSONSelection?
            if let fields, !fields.keepsEverything {
                guard let child = (document.string(of: key).flatMap { fields.child($0) }) else {
                    edits.remove(member: key)
                    continue
                }
                kept = child.keepsEverything ? nil : child
            }
            guard let index else {
                if let kept { edits.append(document.edits(keeping: kept, at: value)) }
                continue
            }
            let (name, schema) = shape.properties[index]
            if let link = plan.schemas[schema].link, !link.parameters.isEmpty {
                visit(link: link, at: value, in: object, expansion?.children[name], kept)
            } else {
                visit(value, schema: schema, expansion: expansion?.children[name], fields: kept)
            }
        }
        for (name, schema) in shape.properties {
            guard let link = plan.schemas[schema].link, !link.parameters.isEmpty,
                let child = expansion?.children[name], child.isFollowed, document.member(name, of: object) == nil,
                let kept = fields.map({ $0.child(name) }) ?? .some(JSONSelection.everything)
            else { continue }
            addSlot(.addition(object: object, name: name), link, target(of: link, nil, in: object), child, kept)
        }
    }

    /// The index of the property that `key` names. Upstreams mostly write members in the contract's order, so the one after the last found is
    /// tried first.
    private func property(_ key: JSONNode, of shape: SchemaNode, expected: inout Int) -> Int? {
        if expected < shape.properties.count, document.isString(key, equalTo: shape.properties[expected].name) {
            expected += 1
            return expected - 1
        }
        guard let index = shape.properties.firstIndex(where: { document.isString(key, equalTo: $0.name) }) else {
            return nil
        }
        expected = index + 1
        return index
    }

    /// A scalar that is a link.
    private mutating func visit(
        link: SchemaNode.Link, at node: JSONNode, in object: JSONNode? = nil, _ expansion: Expansion?,
        _ fields: JSONSelection?
    ) {
        guard document.kind(of: node) == .string || document.kind(of: node) == .number else { return }
        if document.kind(of: node) == .string, document.range(of: node).count == 2 { return }
        let target = target(of: link, node, in: object)
        if let expansion, expansion.isFollowed {
            addSlot(.value(node), link, target, expansion, fields)
        }
        if link.parameters.isEmpty, let href = target?.href {
            edits.replace(node, with: JSONText.quoted(href))
        }
    }

    private mutating func addSlot(
        _ place: Slot.Place, _ link: SchemaNode.Link, _ target: (href: String, address: Address?)?,
        _ expansion: Expansion,
        _ fields: JSONSelection?
    ) {
        let address = target?.address.flatMap { $0.operation == link.operation ? $0 : nil }
        let kept = fields.flatMap { $0.keepsEverything ? nil : $0 }
        slots.append(Slot(place: place, address: address, href: target?.href, expansion: expansion, fields: kept))
    }
}
