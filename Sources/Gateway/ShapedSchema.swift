internal import JSON
internal import Plan

/// A schema as shaping reads it: made once for a plan.
final class ShapedSchema: Sendable {
    struct Property: Sendable {
        let name: String
        /// The name as JSON with the colon behind it.
        let key: [UInt8]
        /// Index into the schemas.
        let schema: Int
    }
    /// In the contract's order; properties that exist only as links aren't among them.
    let properties: [Property]
    let items: Int?
    /// Where the value lies; empty: under its own name.
    let sources: [ValueSource]
    /// Whether the contract says nothing of the value, so that it passes as it came.
    let isAnything: Bool
    let takesObjects: Bool
    let takesArrays: Bool
    /// Nil where no scalar is wanted.
    let scalar: ScalarSchema?
    /// What stands where there is no value.
    let missing: [UInt8]
    /// Whether an item that is null stays.
    let keepsNull: Bool

    private static let null = Array("null".utf8)
    private static let emptyArray = Array("[]".utf8)

    init(_ node: SchemaNode, in schemas: [SchemaNode]) {
        properties = node.properties.filter { !schemas[$0.node].isOwnLink }.map { name, schema in
            Property(name: name, key: JSONText.quoted(name) + [UInt8(ascii: ":")], schema: schema)
        }
        items = node.items
        sources = node.sources
        let types = node.types.filter { $0 != .null }
        takesObjects = types.contains(.object) || types.isEmpty && !node.properties.isEmpty
        takesArrays = types.contains(.array) || types.isEmpty && node.items != nil
        isAnything = types.isEmpty && !takesObjects && !takesArrays
        let rules = node.rules ?? ValueRules()
        let scalar = ScalarSchema(types: types, format: node.format, rules: rules)
        self.scalar = scalar.types.isEmpty ? nil : scalar
        keepsNull = rules.allowsNull || isAnything
        missing = rules.default ?? (types == [.array] || takesArrays && types.isEmpty ? Self.emptyArray : Self.null)
    }
}
