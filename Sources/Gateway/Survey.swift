internal import HTTP
internal import JSON
internal import Plan

/// A link that is to be replaced by what it leads to.
struct Slot: Sendable {
    enum Place: Sendable {
        /// The value of this one of the survey's replacements.
        case value(Int)
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
    /// The way from the survey's first node to the slot.
    var path: [Survey.Step]
}

/// One walk over a fetched document: which members go, which links are rewritten to this gateway, which are to be expanded.
///
/// The recursion follows the document, whose depth the JSON limits bound.
struct Survey {
    let index: PlanIndex
    let document: JSONDocument
    /// Index of the upstream that the document came from.
    let upstream: Int
    let linkBase: LinkBase
    /// Values that a link's parameters may name where the object has no such member.
    let context: [String: String]
    /// What `fields` takes away.
    var edits = JSONEdits()
    /// The links in the document's order and what is put in their places; nil where they stay.
    var replacements: [(node: JSONNode, json: [UInt8]?)] = []
    var slots: [Slot] = []
    /// Members that are named like ours, which take their place where a part is missing.
    private(set) var ownErrors: [JSONNode] = []

    /// The way from the survey's first node to the one being visited.
    private var path: [Step] = []

    /// One step down: into a member by its key, into an array, or into a property of the contract's own.
    enum Step: Sendable {
        case member(JSONNode)
        case element(Int)
        case own(String)
    }

    init(_ index: PlanIndex, _ resource: Resource, _ linkBase: LinkBase, context: [String: String] = [:]) {
        self.index = index
        self.context = context
        document = resource.document
        upstream = resource.address.upstream
        self.linkBase = linkBase
        replacements.reserveCapacity(16)
    }

    /// - Parameters:
    ///   - schema: index of the shape of `node`; nil where the contract says nothing about it.
    ///   - fields: what to keep; nil for everything.
    mutating func visit(_ node: JSONNode, schema: Int?, expansion: Expansion?, fields: JSONSelection?) {
        guard let shape = schema.map({ index.shapes[$0] }), fields != nil || !shape.isInert else {
            if let fields { edits.append(document.edits(keeping: fields, at: node)) }
            return
        }
        switch document.kind(of: node) {
        case .array:
            for (position, element) in document.elements(of: node).enumerated() {
                enter(.element(position)) {
                    $0.visit(element, schema: shape.items, expansion: expansion, fields: fields)
                }
            }
        case .object:
            if shape.link == nil || shape.isPlainLink {
                visitMembers(of: node, shape, expansion, fields)
            } else {
                visit(object: node, shape, expansion, fields)
            }
        case .string, .number:
            if shape.link != nil { visit(scalar: node, shape, in: nil, expansion, fields) }
        case .true, .false, .null: break
        }
    }

    /// Finds what is named like our `_errors` in the object that they go into.
    mutating func noteOwnErrors(of object: JSONNode) {
        ownErrors = document.members(of: object).map(\.key).filter { document.isString($0, equalTo: "_errors") }
    }

    /// Goes down for the time of `body`.
    mutating func enter(_ step: Step, _ body: (inout Survey) -> Void) {
        path.append(step)
        body(&self)
        path.removeLast()
    }

    /// Where a slot is, from the survey's first node.
    func pointer(of slot: Slot) -> JSONPointer {
        JSONPointer(
            slot.path.map { step in
                switch step {
                case .member(let key): document.string(of: key) ?? ""
                case .element(let position): String(position)
                case .own(let name): name
                }
            })
    }

    /// An object that is a link as a whole: its address stands in one of its members, or is made from them.
    private mutating func visit(
        object: JSONNode, _ shape: Shape, _ expansion: Expansion?, _ fields: JSONSelection?
    ) {
        let target = target(of: shape, object, in: object)
        if let expansion, expansion.isFollowed {
            // Where the link can't be followed the object stays as it is: `fields` speaks of the link's target.
            addSlot(at: object, shape, target, expansion, fields)
            visitMembers(of: object, shape, nil, nil)
        } else {
            visitMembers(of: object, shape, expansion, fields)
        }
        guard let href = shape.link?.href, case .local(let local) = target else { return }
        for (key, value) in document.members(of: object) where document.isString(key, equalTo: href) {
            replacements.append((value, local.json))
        }
    }

    private mutating func visitMembers(
        of object: JSONNode, _ shape: Shape, _ expansion: Expansion?, _ fields: JSONSelection?
    ) {
        var expected = 0
        for (key, value) in document.members(of: object) {
            let position = position(of: key, in: shape.members, expected: &expected)
            var kept: JSONSelection?
            if let fields, !fields.keepsEverything {
                guard let child = (document.string(of: key).flatMap { fields.child($0) }) else {
                    edits.remove(member: key)
                    continue
                }
                kept = child.keepsEverything ? nil : child
            }
            if let position {
                guard kept != nil || !shape.members[position].isInert else { continue }
                enter(.member(key)) { $0.visit(value, shape.members[position], in: object, expansion, kept) }
            } else if let kept {
                edits.append(document.edits(keeping: kept, at: value))
            }
        }
        if shape.hasOwnMembers, let expansion { addOwnMembers(to: object, shape, expansion, fields) }
    }

    private mutating func visit(
        _ value: JSONNode, _ member: Shape.Member, in object: JSONNode, _ expansion: Expansion?,
        _ kept: JSONSelection?
    ) {
        let child = expansion.flatMap { $0.children.isEmpty ? nil : $0.children[member.name] }
        let kind = document.kind(of: value)
        if member.takesParameters, kind == .string || kind == .number {
            visit(scalar: value, index.shapes[member.shape], in: object, child, kept)
        } else {
            visit(value, schema: member.shape, expansion: child, fields: kept)
        }
    }

    /// Links for which the upstream's object has no member.
    private mutating func addOwnMembers(
        to object: JSONNode, _ shape: Shape, _ expansion: Expansion, _ fields: JSONSelection?
    ) {
        for member in shape.members where member.takesParameters {
            guard let child = expansion.children[member.name], child.isFollowed,
                document.member(member.name, of: object) == nil
            else { continue }
            var kept: JSONSelection?
            if let fields {
                guard let selected = fields.child(member.name)
                else { continue }
                kept = selected
            }
            let own = index.shapes[member.shape]
            let target = target(of: own, nil, in: object)
            enter(.own(member.name)) {
                $0.addSlot(.addition(object: object, name: member.name), own, target, child, kept)
            }
        }
    }

    /// The position of the member that `key` names. Upstreams mostly write members in the contract's order, so the one after the last found is
    /// tried first.
    private func position(of key: JSONNode, in members: [Shape.Member], expected: inout Int) -> Int? {
        if expected < members.count, document.isString(key, equalTo: members[expected].name) {
            expected += 1
            return expected - 1
        }
        guard let position = members.firstIndex(where: { document.isString(key, equalTo: $0.name) }) else {
            return nil
        }
        expected = position + 1
        return position
    }

    /// The usual link that is only rewritten. Nil where it needs a closer look.
    private func rewritten(_ node: JSONNode, _ shape: Shape) -> [UInt8]? {
        let range = document.range(of: node)
        guard let operation = shape.operation, range.count > 2 else { return nil }
        return document.bytes.withUnsafeBufferPointer { text in
            let address = UnsafeBufferPointer(rebasing: text[range.dropFirst().dropLast()])
            guard let link = index.plan.links.plainMatch(address, from: upstream, preferring: operation),
                let form = index.forms[link.operation]
            else { return nil }
            return form.json(address, link, linkBase)
        }
    }

    /// A text or number that is a link.
    private mutating func visit(
        scalar node: JSONNode, _ shape: Shape, in object: JSONNode?, _ expansion: Expansion?,
        _ fields: JSONSelection?
    ) {
        let isFollowed = expansion?.isFollowed ?? false
        if !isFollowed, shape.isPlainLink, let json = rewritten(node, shape) {
            return replacements.append((node, json))
        }
        let target = target(of: shape, node, in: object)
        if let expansion, isFollowed { addSlot(at: node, shape, target, expansion, fields) }
        guard shape.isPlainLink, case .local(let local) = target else { return }
        if let last = replacements.last, last.node == node {
            // The slot's own place, in case that its part is missing.
            replacements[replacements.count - 1].json = local.json
        } else {
            replacements.append((node, local.json))
        }
    }

    private mutating func addSlot(
        at node: JSONNode, _ shape: Shape, _ target: LinkTarget, _ expansion: Expansion,
        _ fields: JSONSelection?
    ) {
        if case .nowhere = target { return }
        replacements.append((node, nil))
        addSlot(.value(replacements.count - 1), shape, target, expansion, fields)
    }

    private mutating func addSlot(
        _ place: Slot.Place, _ shape: Shape, _ target: LinkTarget,
        _ expansion: Expansion,
        _ fields: JSONSelection?
    ) {
        let kept = fields.flatMap { $0.keepsEverything ? nil : $0 }
        switch target {
        case .nowhere: return
        case .foreign: slots.append(Slot(place: place, expansion: expansion, fields: kept, path: path))
        case .local(let local):
            let address = local.operation == shape.link?.operation ? address(of: local) : nil
            slots.append(
                Slot(
                    place: place, address: address, href: linkBase.text(local.json), expansion: expansion,
                    fields: kept, path: path))
        }
    }
}
