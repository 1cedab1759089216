internal import HTTP
internal import Plan

/// A schema as a survey reads it: made once for a plan, so that a walk compares names and skips what holds no link.
final class Shape: Sendable {
    struct Member: Sendable {
        let name: String
        /// Index into the shapes.
        let shape: Int
        /// Whether there is no link there or anywhere below.
        let isInert: Bool
        /// A link that is made from the values of the object around it.
        let takesParameters: Bool
    }
    /// In the contract's order.
    let members: [Member]
    let items: Int?
    let link: SchemaNode.Link?
    /// The link's operation, as an index into `Plan.operations`.
    let operation: Int?
    /// Whether the link is this node's own text or number, not made from members of an object.
    let isPlainLink: Bool
    let isInert: Bool
    /// Whether members may be missing in the upstream's object and come from links.
    let hasOwnMembers: Bool

    private init(_ schema: SchemaNode, in schemas: [SchemaNode], live: [Bool], isInert: Bool) {
        members = schema.properties.map { name, node in
            Member(
                name: name, shape: node, isInert: !live[node],
                takesParameters: schemas[node].link.map { !$0.parameters.isEmpty } ?? false)
        }
        items = schema.items
        link = schema.link
        operation = schema.link?.operation
        isPlainLink = schema.link.map { $0.href == nil && $0.parameters.isEmpty } ?? false
        self.isInert = isInert
        hasOwnMembers = members.contains(where: \.takesParameters)
    }

    /// One shape for each of the plan's schemas.
    static func all(of schemas: [SchemaNode]) -> [Shape] {
        let live = liveSchemas(schemas)
        return zip(schemas, live).map { Shape($0, in: schemas, live: live, isInert: !$1) }
    }

    /// Which schemas are links or have some below them. Schemas may be recursive, so it is asked until nothing changes.
    private static func liveSchemas(_ schemas: [SchemaNode]) -> [Bool] {
        var live = schemas.map { $0.link != nil }
        var isChanged = true
        while isChanged {
            isChanged = false
            for (index, schema) in schemas.enumerated() where !live[index] {
                guard
                    schema.properties.contains(where: { live[$0.node] })
                        || schema.items.map({ live[$0] }) ?? false
                else { continue }
                live[index] = true
                isChanged = true
            }
        }
        return live
    }
}
