internal import HTTP
internal import Plan

/// What is derived from a plan once, so that no request has to.
final class PlanIndex: Sendable {
    let plan: Plan
    /// One for each of `plan.schemas`.
    let shapes: [Shape]
    /// One for each of `plan.operations`; nil where no link can be written to it.
    let forms: [LinkForm?]
    /// What a request to each of `plan.upstreams` names as its host.
    let authorities: [String]

    init(_ plan: Plan) {
        self.plan = plan
        shapes = Shape.all(of: plan.schemas)
        forms = plan.operations.map { LinkForm($0) }
        authorities = plan.upstreams.map(\.base.authority)
    }
}
