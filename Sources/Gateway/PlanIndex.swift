internal import HTTP
internal import Plan

/// What is derived from a plan once, so that no request has to.
final class PlanIndex: Sendable {
    let plan: Plan
    /// One for each of `plan.schemas`.
    let shapes: [Shape]
    /// One for each of `plan.operations`; nil where no link can be written to it.
    let forms: [LinkForm?]
    /// One for each of `plan.schemas`.
    let shapedSchemas: [ShapedSchema]
    /// One for each of `plan.upstreams`; nil where there is no credential that an answer could hold.
    let secrets: [SecretSearch?]
    /// What a request to each of `plan.upstreams` names as its host.
    let authorities: [String]
    /// The fields that any upstream is handed of a client's.
    let passed: [FieldName]

    init(_ plan: Plan) {
        self.plan = plan
        shapes = Shape.all(of: plan.schemas)
        forms = plan.operations.map { LinkForm($0) }
        shapedSchemas = plan.schemas.map { ShapedSchema($0, in: plan.schemas) }
        secrets = plan.upstreams.map { SecretSearch($0) }
        authorities = plan.upstreams.map(\.base.authority)
        passed = plan.upstreams.flatMap(\.pass)
    }
}
