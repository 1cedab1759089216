public import HTTP
internal import Plan

extension Gateway {
    /// The first upstream request that a local GET leads to.
    /// - Returns: the index into `Plan.upstreams` and the target below that upstream's base; nil where no operation with an upstream answers.
    /// - Throws: what the request would be answered with: a wrong parameter, a path that nothing answers at.
    public func upstreamTarget(of local: Target) throws(GatewayError) -> (upstream: Int, target: Target)? {
        let request = Request(target: local)
        guard case .operation(let operation, let parameters) = try match(request) else { return nil }
        let arguments = try validate(request, operation, pathParameters: parameters)
        guard let position = plan.index(of: operation), let address = plan.address(position, arguments.values) else {
            return nil
        }
        return (address.upstream, address.target)
    }
}
