internal import Cache
internal import HTTP
internal import Plan

extension Gateway {
    /// Answers a route that has a handler: what the handler makes, with the validators, the coding and the fields of every answer.
    func handle(
        _ name: String, _ operation: Operation, _ arguments: Arguments, _ exchange: Exchange
    ) async throws(GatewayError) -> Response {
        guard let handler = handlers[name] else {
            throw GatewayError(
                source: .gateway, code: "internal-error", status: .internalServerError,
                detail: "Nothing stands behind this route.")
        }
        if !operation.method.isSafe { try Gateway.checkConditions(of: exchange.request) }
        exchange.record.isPersonal = settings.access.keys != nil
        let response = try await handler.respond(to: try await call(operation, arguments, exchange))
        return finished(response, operation, exchange.request)
    }

    private func call(
        _ operation: Operation, _ arguments: Arguments, _ exchange: Exchange
    ) async throws(GatewayError) -> HandlerCall {
        var request = exchange.request
        // The answer to HEAD is that to GET, without its content.
        if request.method == .head { request.method = .get }
        request.id = exchange.record.id
        request.budget = exchange.budget
        request.body = request.method.isSafe ? .none : try await takeContent(of: request, operation)
        let own = operation.upstream.map { upstream($0, exchange) }
        return HandlerCall(
            request: request, operation: operation.id, arguments: arguments.values, owner: exchange.record.owner,
            hasKeys: settings.access.keys != nil,
            upstream: own ?? NoUpstream(),
            upstreamNamed: { [plan] name in
                plan.upstreams.firstIndex { $0.name == name }.map { self.upstream($0, exchange) }
            },
            locate: { [plan] address in
                for (index, upstream) in plan.upstreams.enumerated() {
                    guard let target = upstream.target(of: address) else { continue }
                    return (HandlerUpstream(gateway: self, upstream: index, exchange: exchange, isLink: true), target)
                }
                return nil
            },
            gateway: OwnRoutes(gateway: self, exchange: exchange), base: settings.linkBase(for: request),
            deadline: exchange.budget.deadline)
    }

    private func upstream(_ index: Int, _ exchange: Exchange) -> any Responder {
        HandlerUpstream(gateway: self, upstream: index, exchange: exchange)
    }

    /// Puts what every answer has. A good answer to GET that is in memory gets its tag and its coding.
    private func finished(_ response: Response, _ operation: Operation, _ request: Request) -> Response {
        var response = response
        response.fields.set("X-Content-Type-Options", "nosniff")
        if !response.fields.contains(.cacheControl) {
            let policy = request.method.isSafe && response.status == .ok ? operation.cache : nil
            response.fields.append(
                .cacheControl, policy.map { Freshness(Fields(), policy: $0, now: 0).directives } ?? "no-store")
        }
        guard request.method.isSafe, response.status == .ok, case .bytes(let content) = response.body,
            !response.fields.contains(.contentEncoding)
        else { return response }
        response.fields.remove(.etag)
        response.fields.append(.vary, "Accept-Encoding")
        return encoded(content, response.fields, request)
    }
}

/// An upstream as a handler asks it: at the exchange's cost, and past the cache unless it follows a link.
private struct HandlerUpstream: Responder {
    let gateway: Gateway
    let upstream: Int
    let exchange: Exchange
    var isLink = false
    var obstacle: GatewayError? { gateway.askers[upstream].obstacle }

    func respond(to request: Request) async throws(GatewayError) -> Response {
        var request = request
        request.authority = gateway.index.authorities[upstream]
        request.budget = exchange.budget
        request.id = exchange.record.id
        exchange.upstreams.insert(upstream)
        defer { exchange.record.upstream = exchange.record.started.duration(to: .now) }
        if isLink, let cache = gateway.upstreamCaches[upstream] { return try await cache.respond(to: request) }
        let response = try await gateway.askers[upstream].respond(to: request)
        gateway.forgetChanged(by: request, response, upstream: upstream)
        return response
    }
}

/// What a handler gets whose operation names no upstream.
private struct NoUpstream: Responder {
    func respond(to request: Request) async throws(GatewayError) -> Response {
        throw GatewayError(
            source: .gateway, code: "internal-error", status: .internalServerError,
            detail: "The contract names no upstream for this route.")
    }
}

/// The gateway's own routes as a handler asks them, within the deadline and the budget of its exchange.
private struct OwnRoutes: Responder {
    let gateway: Gateway
    let exchange: Exchange

    func respond(to request: Request) async throws(GatewayError) -> Response {
        guard request.method == .get else {
            throw GatewayError(
                source: .gateway, code: "internal-error", status: .internalServerError,
                detail: "A route of the gateway's own is asked to change something.")
        }
        var request = request
        request.authority = request.authority ?? exchange.request.authority
        for name: FieldName in [.acceptEncoding, .ifNoneMatch, .ifModifiedSince] { request.fields.remove(name) }
        let record = ExchangeRecord(request, started: exchange.record.started)
        record.owner = exchange.record.owner
        defer { exchange.record.upstream = exchange.record.started.duration(to: .now) }
        return try await gateway.answer(part: request, record, within: exchange.budget)
    }
}
