public import HTTP
internal import Plan

extension Gateway {
    /// The first upstream request that a local GET leads to.
    /// - Returns: the index into `Plan.upstreams` and the target below that upstream's base; nil where a page of our own, a
    ///   handler or an operation without an upstream answers.
    /// - Throws: what the request would be answered with: a wrong parameter, a path that nothing answers at.
    public func upstreamTarget(of local: Target) throws(GatewayError) -> (upstream: Int, target: Target)? {
        let request = Request(target: local)
        let matched = try match(request)
        if case .mirror(let index, let rest) = matched, let mirror = mirrors[index],
            let upstream = plan.operations[index].upstream
        {
            return (upstream, mirror.target(of: local, rest: rest))
        }
        guard case .operation(let operation, let parameters) = matched, operation.handler == nil else { return nil }
        let arguments = try validate(request, operation, pathParameters: parameters)
        guard let position = plan.index(of: operation), let address = plan.address(position, arguments.values) else {
            return nil
        }
        return (address.upstream, address.target)
    }
}
