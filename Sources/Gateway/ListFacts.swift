internal import HTTP
internal import JSON
internal import Plan

/// What an upstream's envelope says of a list.
struct ListFacts: Sendable {
    /// The items on this page as the upstream counts them; a shaped page may have fewer.
    var received: Int
    /// How many items there are on all pages; nil where the upstream doesn't say.
    var total: Int?
    /// Whether there is a page before and one behind; nil where the upstream doesn't say.
    var isFirst: Bool?
    var isLast: Bool?
    /// The text that has to be shown with the data.
    var attribution: String?

    init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }

    /// - Parameters:
    ///   - root: where the payload lies.
    ///   - items: the array of items.
    init(_ collection: CollectionPlan, _ document: JSONDocument, root: JSONNode, items: JSONNode) {
        func isNull(_ pointer: JSONPointer?) -> Bool? {
            guard let pointer, let node = document.node(at: pointer, from: root) else { return nil }
            return document.kind(of: node) == .null || document.string(of: node) == ""
        }
        received = document.count(of: items)
        let said = collection.total.flatMap { document.node(at: $0, from: root) }.flatMap { document.count(toldBy: $0) }
        // A total that is less than what is here is none.
        total = said.flatMap { $0 < received ? nil : $0 }
        isFirst = isNull(collection.previous)
        isLast = isNull(collection.next)
        attribution = collection.attribution.flatMap { document.node(at: $0) }.flatMap { document.string(of: $0) }
    }
}

extension Gateway {
    /// The answer as the contract shapes it; the same one where the operation isn't shaped.
    ///
    /// - Throws: 502 where it has another form than the contract says, or its shape would be too large.
    func shaped(_ resource: Resource, secrets: SecretSearch?, _ exchange: Exchange) throws(GatewayError) -> Resource {
        let operation = plan.operations[resource.address.operation]
        guard operation.isShaped, let schema = operation.resource else { return resource }
        let name = plan.upstreams[resource.address.upstream].name
        var shaping = Shaping(index.shapedSchemas, resource.document, secrets: secrets, limits: exchange.json)
        var shaped = resource
        var items: JSONNode?
        if let collection = operation.collection {
            let list = try self.items(of: resource, collection)
            var facts = ListFacts(collection, resource.document, root: resource.root, items: list)
            if let secrets { facts.attribution = facts.attribution.flatMap(secrets.withoutSecrets) }
            shaped.list = facts
            items = list
        }
        let hasValue: Bool
        do throws(JSONError) {
            if let items {
                try shaping.shape(itemsOf: items, as: schema)
                hasValue = true
            } else {
                hasValue = try shaping.shape(resource.root, as: schema)
            }
            shaped.document = try JSONDocument(shaping.bytes, limits: exchange.json)
        } catch {
            throw .upstream(name, "upstream-too-large", .badGateway, Gateway.explain(error))
        }
        guard hasValue else { throw Gateway.otherShape(name) }
        shaped.root = shaped.document.root
        return shaped
    }

    /// Cuts off what an upstream sends beyond the number of items that was wanted. Everything else stays byte for byte.
    func cut(_ resource: inout Resource, _ exchange: Exchange) throws(GatewayError) {
        guard let limit = resource.address.limit,
            let collection = plan.operations[resource.address.operation].collection
        else { return }
        let document = resource.document
        let items = try items(of: resource, collection)
        var elements = document.elements(of: items)
        var last: JSONNode?
        for _ in 0..<max(0, limit) {
            guard let element = elements.next() else { return }
            last = element
        }
        guard elements.next() != nil else { return }
        let range = document.range(of: items)
        let kept = last.map { document.range(of: $0).upperBound } ?? range.lowerBound + 1
        let bytes = document.bytes[..<kept] + document.bytes[(range.upperBound - 1)...]
        let unwrap = plan.operations[resource.address.operation].unwrap
        guard let shorter = try? JSONDocument(Array(bytes), limits: exchange.json),
            let root = unwrap.map({ shorter.node(at: $0) }) ?? shorter.root
        else { return }
        resource.document = shorter
        resource.root = root
    }

    /// The array of a list's items.
    func items(of resource: Resource, _ collection: CollectionPlan) throws(GatewayError) -> JSONNode {
        let document = resource.document
        if let items = document.node(at: collection.items, from: resource.root), document.kind(of: items) == .array {
            return items
        }
        let name = plan.upstreams[resource.address.upstream].name
        throw .upstream(name, "upstream-shape", .badGateway, "answers no list where the contract has one.")
    }

    static func otherShape(_ name: String) -> GatewayError {
        .upstream(name, "upstream-shape", .badGateway, "answers in another form than the contract says.")
    }
}

extension JSONDocument {
    /// The whole number that a node tells, by the rules for shaped values: some services write every number as a text.
    fileprivate func count(toldBy node: JSONNode) -> Int? {
        let value: FoundScalar
        switch kind(of: node) {
        case .string: value = .text(string(of: node) ?? "")
        case .number: value = .number(String(decoding: bytes(of: node), as: UTF8.self))
        case .object, .array, .true, .false, .null: return nil
        }
        return ScalarSchema(types: [.integer]).converted(value).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
}
