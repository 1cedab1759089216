/// A schema as far as the gateway acts on it. Nodes live in `Plan.schemas` and name each other by index.
public struct SchemaNode: Sendable {
    public enum ValueType: String, Sendable { case object, array, string, integer, number, boolean, null }

    /// The declared types; empty where any is allowed.
    public var types: [ValueType] = []
    public var format: String?
    /// Declared properties in the contract's order.
    public var properties: [(name: String, node: Int)] = []
    /// Whether undeclared properties may be named in `fields` (`additionalProperties: true`).
    public var isOpen = false
    /// The node of an array's items.
    public var items: Int?
    public var link: Link?
    /// Where the value lies in the upstream's answer (`x-sluice-from`): the first of these that has one. Empty: under its own name.
    public var sources: [ValueSource] = []
    /// What a shaped value must be; nil where no shaped answer holds this node.
    public var rules: ValueRules?

    public init() {}

    /// The node of the property `name`.
    public func property(_ name: String) -> Int? { properties.first { $0.name == name }?.node }

    /// Whether an answer never holds this itself: a property that exists only as a link to follow, made from its neighbours.
    public var isOwnLink: Bool {
        guard let link, !link.parameters.isEmpty, sources.isEmpty else { return false }
        return types.allSatisfy { $0 == .object } && !link.parameters.contains { $0.template == "." }
    }

    /// A place in an answer that names another operation.
    public struct Link: Sendable {
        /// Index into `Plan.operations`.
        public var operation: Int
        /// The field of an object that holds the address; nil where the value itself is the address (or `parameters` is used).
        public var href: String?
        /// The target's parameters, each from a template over the value and its neighbours; empty where there is an address.
        public var parameters: [(name: String, template: String)]
        /// False for a link that is only rewritten.
        public var isExpandable: Bool

        public init(
            operation: Int, href: String? = nil, parameters: [(name: String, template: String)] = [],
            isExpandable: Bool = true
        ) {
            self.operation = operation
            self.href = href
            self.parameters = parameters
            self.isExpandable = isExpandable
        }
    }
}

extension [SchemaNode] {
    /// `node`, or what an array there holds; an array that is a link as a whole is the place itself.
    public func element(of node: Int) -> Int {
        var node = node
        // Arrays of arrays end somewhere, but a schema may say that an array holds itself.
        for _ in 0..<16 {
            guard self[node].link == nil, let items = self[node].items else { return node }
            node = items
        }
        return node
    }
}
