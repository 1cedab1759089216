/// What the gateway does, made from contracts that hold no mistake: nothing in here has to be checked again while requests
/// are answered. Made once by `PlanLoader`, then only read, by every worker.
public struct Plan: Sendable {
    public let upstreams: [UpstreamPlan]
    /// All operations; an index into this list is how schemas and routes name one.
    public let operations: [Operation]
    /// The arena of schema nodes; nodes name each other by index, so schemas may be recursive.
    public let schemas: [SchemaNode]
    public let router: Router
    public let links: LinkMatcher
    /// The merged OpenAPI document without the `x-sluice*` keys, as JSON. `servers` holds the one placeholder
    /// `OpenAPIDocument.serverPlaceholder`, which is replaced by the address that clients use.
    public let document: [UInt8]

    public init(
        upstreams: [UpstreamPlan], operations: [Operation], schemas: [SchemaNode], router: Router, links: LinkMatcher,
        document: [UInt8]
    ) {
        self.upstreams = upstreams
        self.operations = operations
        self.schemas = schemas
        self.router = router
        self.links = links
        self.document = document
    }

    /// The node that describes one item of an answer of `operation`: the answer itself, or an item of its collection. Paths of
    /// `expand` and `fields` begin here. Nil where the contract gives no schema.
    public func resource(of operation: Operation) -> Int? { operation.resource }
}
