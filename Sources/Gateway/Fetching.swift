internal import HTTP
internal import JSON
internal import Plan

/// A request to one upstream, before it is signed.
struct Address: Sendable {
    /// Index into `Plan.operations`.
    let operation: Int
    /// Index into `Plan.upstreams`.
    let upstream: Int
    /// Below the upstream's base.
    let target: Target
    /// By which it is made once in an exchange.
    let key: String

    init(operation: Int, upstream: Int, target: Target) {
        self.operation = operation
        self.upstream = upstream
        self.target = target
        key = String(operation) + target.text
    }
}

/// An upstream's answer that has been checked: JSON to its last byte.
struct Resource: Sendable {
    var address: Address
    var document: JSONDocument
    /// Where the payload lies.
    var root: JSONNode
    var freshness: Freshness
}

extension Resource {
    /// The empty object that an operation without an upstream begins with.
    init?(empty operation: Operation) {
        guard let document = try? JSONDocument(Array("{}".utf8)) else { return nil }
        self.document = document
        root = document.root
        // No upstream has this index, so no address in the document could be taken for one of its links.
        address = Address(operation: -1, upstream: -1, target: Target(path: "/"))
        freshness = Freshness()
    }
}

extension Plan {
    /// The upstream request for an operation with checked parameter values; nil where it has no upstream or a path parameter is
    /// missing or can't be one segment.
    func address(_ index: Int, _ values: [String: String]) -> Address? {
        let operation = operations[index]
        guard let upstream = operation.upstream, let path = operation.upstreamPath.filled(values) else { return nil }
        let inPath = operation.upstreamPath.parameterNames
        let pairs = operation.parameters
            .filter { $0.role == .upstream && !inPath.contains($0.name) }
            .compactMap { parameter in
                (values[parameter.name] ?? parameter.default).map { (name: parameter.name, value: $0) }
            }
        return Address(operation: index, upstream: upstream, target: Target(path: path, query: Target.query(pairs)))
    }

    func index(of operation: Operation) -> Int? { operations.firstIndex { $0.id == operation.id } }
}

extension Gateway {
    /// The answer at `address`, asked for once in an exchange.
    func fetch(_ address: Address, _ exchange: Exchange) async throws(GatewayError) -> Resource {
        try await exchange.fetches.value(address.key) {
            do throws(GatewayError) {
                return .success(try await load(address, exchange))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func load(_ address: Address, _ exchange: Exchange) async throws(GatewayError) -> Resource {
        let name = plan.upstreams[address.upstream].name
        var response = try await ask(address, exchange)
        if response.status.isRedirect {
            guard let target = redirectTarget(response, address) else {
                throw .upstream(name, "upstream-redirect", .badGateway, "redirects to an address that isn't its own.")
            }
            let moved = Address(operation: address.operation, upstream: address.upstream, target: target)
            response = try await ask(moved, exchange)
            guard !response.status.isRedirect else {
                throw .upstream(name, "upstream-redirect", .badGateway, "redirects more than once.")
            }
        }
        try check(response, upstream: name, isList: plan.operations[address.operation].collection != nil)
        return try await read(response, address, exchange)
    }

    private func ask(_ address: Address, _ exchange: Exchange) async throws(GatewayError) -> Response {
        guard exchange.budget.spendCall() else { throw .budgetExceeded }
        exchange.record.calls += 1
        settings.progress?(exchange.record)
        var fields = Gateway.jsonAccepted
        for name in plan.upstreams[address.upstream].pass {
            for value in exchange.request.fields.values(name) { fields.append(name, value) }
        }
        let request = Request(
            target: address.target, fields: fields, authority: index.authorities[address.upstream],
            budget: exchange.budget,
            id: exchange.record.id)
        exchange.upstreams.insert(address.upstream)
        defer { exchange.record.upstream = exchange.record.started.duration(to: .now) }
        do throws(GatewayError) {
            return try await upstreams[address.upstream].respond(to: request)
        } catch {
            if !error.wasAsked { exchange.record.calls -= 1 }
            throw error
        }
    }

    /// Whatever the client accepts: a browser's `Accept` would turn an upstream's JSON into a page.
    private static let jsonAccepted = Fields([(.accept, "application/json")])

    /// Where a redirect leads, if that is below the same upstream's base with the same scheme, host and port.
    private func redirectTarget(_ response: Response, _ address: Address) -> Target? {
        guard let location = response.fields[.location] else { return nil }
        let base = plan.upstreams[address.upstream].base
        var path = location
        if !location.hasPrefix("/") {
            // The port may be written out where it is the scheme's own.
            let origins = ["\(base.scheme)://\(base.authority)", "\(base.scheme)://\(base.host):\(base.port)"]
            guard let origin = origins.first(where: { location.lowercased().hasPrefix($0 + "/") }) else { return nil }
            path = String(location.dropFirst(origin.count))
        }
        guard path.hasPrefix(base.path + "/"), !path.hasPrefix("//"), !path.contains("#"),
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C })
        else { return nil }
        let target = Target(String(path.dropFirst(base.path.count)))
        return target.segments == nil ? nil : target
    }

    /// Maps what the upstream said about the request truthfully: 404 and 410 stay, 429 is 503, all other refusals are 502.
    private func check(_ response: Response, upstream: String, isList: Bool) throws(GatewayError) {
        let status = response.status
        if status.isSuccess { return }
        switch status.code {
        case 404:
            throw .upstream(upstream, "not-found", .notFound, isList ? "has no such page." : "has no such resource.")
        case 410: throw .upstream(upstream, "gone", .gone, "says that this resource is gone.")
        case 429:
            var error = GatewayError.upstream(
                upstream, "upstream-limit", .serviceUnavailable, "takes no more requests for now.")
            error.retryAfter = retryAfter(response)
            throw error
        case 503 where response.fields.contains(.retryAfter):
            var error = GatewayError.upstream(
                upstream, "upstream-unavailable", .serviceUnavailable, "is unavailable for now.")
            error.retryAfter = retryAfter(response)
            throw error
        case 401, 403:
            throw .upstream(
                upstream, "upstream-denied", .badGateway, "refuses the gateway's credentials or its address.")
        case 400...499:
            throw .upstream(
                upstream, "upstream-rejected", .badGateway, "refuses the gateway's request (\(status.code)).")
        default:
            throw .upstream(upstream, "upstream-failed", .badGateway, "failed (\(status.code)).")
        }
    }

    /// `Retry-After` in seconds (RFC 9110, section 10.2.3), whether it is written as a number or a date.
    private func retryAfter(_ response: Response) -> Int? {
        guard let text = response.fields[.retryAfter] else { return nil }
        return ASCII.decimal(text.utf8) ?? HTTPDate.seconds(text).map { max(0, $0 - settings.clock()) }
    }

    private func read(
        _ response: Response, _ address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Resource {
        let name = plan.upstreams[address.upstream].name
        if response.status == .noContent {
            throw .upstream(name, "upstream-no-content", .noContent, "answers without content.")
        }
        let bytes: [UInt8]
        do throws(GatewayError) {
            bytes = try await response.body.collected(limit: exchange.json.bytes)
        } catch {
            guard error.source == .client else { throw error }
            throw .upstream(name, "upstream-too-large", .badGateway, Gateway.explain(.tooLarge))
        }
        let document: JSONDocument
        do {
            document = try JSONDocument(bytes, limits: exchange.json)
        } catch {
            throw .upstream(name, "upstream-not-json", .badGateway, Gateway.explain(error))
        }
        var root = document.root
        if let pointer = plan.operations[address.operation].unwrap {
            guard let payload = document.node(at: pointer) else {
                throw .upstream(
                    name, "upstream-shape", .badGateway, "answers in another form than the contract says.")
            }
            root = payload
        }
        let policy = plan.operations[address.operation].cache ?? plan.upstreams[address.upstream].cache
        return Resource(
            address: address, document: document, root: root, freshness: Freshness(response.fields, policy: policy))
    }
}
