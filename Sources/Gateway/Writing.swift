internal import Cache
internal import HTTP
internal import Plan

extension Gateway {
    /// Passes on a request that changes something, once, and answers with what the upstream says.
    ///
    /// The operation's time begins when its content is there, unless that is streamed: a client's slow network is held against nobody else.
    @inline(never)
    func write(_ wanted: Wanted, _ request: Request, _ record: ExchangeRecord) async throws(GatewayError) -> Response {
        let operation = wanted.operation
        guard let position = plan.index(of: operation), let address = plan.address(position, wanted.arguments.values)
        else {
            throw .badParameter("bad-parameter", "A path parameter can't be one segment of a path.")
        }
        try Gateway.checkConditions(of: request)
        var body = try await takeContent(of: request, operation)
        var start: ExchangeRecord.Instant?
        if case .stream(let stream) = body, operation.content?.isStreamed != true {
            body = .bytes(try await Body.stream(stream).collected(limit: operation.limits.content))
            start = .now
        }
        let exchange = Exchange(operation, request, wanted.selection, record, settings, from: start)
        let response = try await send(body, to: address, exchange)
        do throws(GatewayError) {
            return try await answer(response, operation, address, exchange)
        } catch {
            var error = error
            error.mayHaveChanged = !response.status.isRefusal
            throw error
        }
    }

    /// What a client may make a change depend on. Our tags are of our own answers, and the upstream can't judge those.
    private static let conditions: [FieldName] = ["If-Match", .ifNoneMatch, "If-Unmodified-Since"]

    /// - Throws: 501 where a request that changes something is to depend on what can't be judged.
    static func checkConditions(of request: Request) throws(GatewayError) {
        if let name = conditions.first(where: request.fields.contains) { throw .conditionNotServed(name) }
    }

    private func send(
        _ body: Body, to address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Response {
        var fields = Fields([(.accept, "application/json")])
        if !body.isEmpty { fields.append(copying: .contentType, from: exchange.request.fields) }
        for name in plan.upstreams[address.upstream].pass where name != .contentType {
            fields.append(copying: name, from: exchange.request.fields)
        }
        let request = Request(
            method: exchange.request.method, target: address.target, fields: fields, body: body,
            authority: index.authorities[address.upstream], budget: exchange.budget, id: exchange.record.id)
        exchange.upstreams.insert(address.upstream)
        defer { exchange.record.upstream = exchange.record.started.duration(to: .now) }
        let response = try await askers[address.upstream].respond(to: request)
        forgetChanged(by: request, response, upstream: address.upstream)
        return response
    }

    /// Drops what is kept of the addresses that a request has changed, under the rules of every operation of its upstream.
    func forgetChanged(by request: Request, _ response: Response, upstream: Int) {
        upstreamCaches[upstream]?.forgetChanged(by: request, response)
        for (operation, cache) in zip(plan.operations, caches) where operation.upstream == upstream {
            if operation.cache != nil { cache?.forgetChanged(by: request, response) }
        }
    }

    /// The answer to the client: the upstream's status and its JSON, with links and `Location` rewritten.
    private func answer(
        _ response: Response, _ operation: Operation, _ address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Response {
        let name = plan.upstreams[address.upstream].name
        if response.status.isRedirect {
            throw .upstream(name, "upstream-redirect", .badGateway, "redirects a request that changes something.")
        }
        var fields = Fields([(.cacheControl, "no-store"), ("X-Content-Type-Options", "nosniff")])
        if let location = location(in: response, address, exchange) { fields.append(.location, location) }
        var response = response
        if response.status.isSuccess {
            let content = response.status.forbidsContent ? [] : try await content(of: response, name, exchange)
            guard !content.isEmpty else {
                let status = response.status == .ok || response.status == .created ? response.status : .noContent
                return Response(status: status, fields: fields)
            }
            response.body = .bytes(content)
        }
        return try await compose(response, fields, operation, address, exchange)
    }

    private func compose(
        _ response: Response, _ fields: Fields, _ operation: Operation, _ address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Response {
        let freshness = Freshness(response.fields, policy: policy(of: address), now: settings.clock())
        let asked = Asked(response: response, freshness: freshness)
        let resource = try await understood(asked, address, exchange)
        let composed = try await compose(resource, operation, exchange)
        var fields = fields
        fields.append(.contentType, "application/json")
        let status = [.created, .accepted].contains(response.status) ? response.status : .ok
        return Response(status: status, fields: fields, body: .bytes(composed.bytes))
    }

    /// `Location` where it is one of this gateway's own routes; any other would lead past the gateway.
    private func location(in response: Response, _ address: Address, _ exchange: Exchange) -> String? {
        guard let text = response.fields[.location],
            let match = plan.links.match(text, from: address.upstream), let form = index.forms[match.operation],
            let values = form.accepted(match.values)
        else { return nil }
        var bytes = Array(settings.linkBase(for: exchange.request).utf8)
        form.append(values, endsInSlash: match.endsInSlash, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension GatewayError {
    fileprivate static func conditionNotServed(_ name: FieldName) -> GatewayError {
        GatewayError(
            source: .client, code: "condition-not-served", status: .notImplemented,
            detail: "\(name.text) can't be judged here, and the request is not made without it.")
    }
}
