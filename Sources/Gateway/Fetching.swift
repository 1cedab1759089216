internal import Cache
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
    /// How many items of a list are wanted at the most; nil: as many as the upstream gives.
    let limit: Int?
    /// By which it is made once in an exchange.
    let key: String

    init(operation: Int, upstream: Int, target: Target, limit: Int? = nil) {
        self.operation = operation
        self.upstream = upstream
        self.target = target
        self.limit = limit
        key = String(operation) + target.text + (limit.map { "#" + String($0) } ?? "")
    }
}

/// An upstream's answer before it has been checked, and how long it stays good.
struct Asked: Sendable {
    var response: Response
    let freshness: Freshness
}

/// An upstream's answer that has been checked: JSON to its last byte.
struct Resource: Sendable {
    var address: Address
    var document: JSONDocument
    /// Where the payload lies.
    var root: JSONNode
    var freshness: Freshness
    /// Where `root` is the array of a list's items alone: what the upstream's envelope said of it.
    var list: ListFacts?
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
        let taken = operation.upstreamPath.parameterNames + operation.query.flatMap(\.parameters)
        var pairs = operation.parameters
            .filter { $0.role == .upstream && !taken.contains($0.name) }
            .compactMap { parameter -> (name: String, value: String)? in
                guard let value = values[parameter.name] ?? parameter.default, !value.isEmpty || !parameter.takesNothing
                else { return nil }
                return (parameter.name, value)
            }
        if !operation.query.isEmpty {
            let defaults = operation.parameters.compactMap { parameter in parameter.default.map { (parameter.name, $0) }
            }
            let all = values.merging(defaults) { given, _ in given }.filter { !$0.value.isEmpty }
            pairs += operation.query.compactMap { template in
                template.filled(all).map { (name: template.name, value: $0) }
            }
        }
        return Address(
            operation: index, upstream: upstream, target: Target(path: path, query: Target.query(pairs)),
            limit: limit(operation, values))
    }

    private func limit(_ operation: Operation, _ values: [String: String]) -> Int? {
        guard let name = operation.collection?.limit else { return nil }
        return (values[name] ?? operation.parameters.first { $0.name == name }?.default).flatMap { Int($0) }
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
        let asked = try await ask(address, exchange)
        guard asked.response.status.isRedirect else { return try await understood(asked, address, exchange) }
        let name = plan.upstreams[address.upstream].name
        guard let target = redirectTarget(asked.response, address) else { throw Gateway.foreignRedirect(name) }
        let moved = Address(
            operation: address.operation, upstream: address.upstream, target: target, limit: address.limit)
        var second = try await ask(moved, exchange)
        // It may repeat what the first request was signed with: that is where the address came from.
        for digests in asked.response.fields.values(.signedWith) { second.response.fields.append(.signedWith, digests) }
        guard !second.response.status.isRedirect else {
            let error = GatewayError.upstream(name, "upstream-redirect", .badGateway, "redirects more than once.")
            forget(address, asked, error)
            throw error
        }
        return try await understood(second, moved, exchange)
    }

    /// What an answer holds. One that the gateway makes an error of isn't kept.
    func understood(
        _ asked: Asked, _ address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Resource {
        let response = asked.response
        do throws(GatewayError) {
            if response.status.isSuccess { return try await read(asked, address, exchange) }
            if try await isEmptyList(failed: response, address, exchange),
                let list = Resource(emptyListAt: address, asked.freshness)
            {
                return list
            }
            throw Gateway.failure(
                response.status, retryAfter: retryAfter(response), upstream: plan.upstreams[address.upstream].name,
                isList: plan.operations[address.operation].collection != nil,
                isWrite: plan.operations[address.operation].method != .get)
        } catch {
            forget(address, asked, error)
            throw error
        }
    }

    /// Drops a kept answer whose fault the error is: it was good for another operation, or before it was shaped. One that said by its
    /// status that there is nothing has a short life already; one that isn't kept must not take a good one with it.
    private func forget(_ address: Address, _ asked: Asked, _ error: GatewayError) {
        guard case .upstream = error.source, asked.freshness.origin?.isKept == true else { return }
        let status = asked.response.status
        if [.notFound, .gone, .noContent].contains(status), error.status == status { return }
        caches[address.operation]?.forget(address.target)
    }

    private func ask(_ address: Address, _ exchange: Exchange) async throws(GatewayError) -> Asked {
        guard exchange.spendPart() else { throw .budgetExceeded }
        var fields = Gateway.jsonAccepted
        for name in plan.upstreams[address.upstream].pass {
            fields.append(copying: name, from: exchange.request.fields)
        }
        exchange.upstreams.insert(address.upstream)
        defer { exchange.record.upstream = exchange.record.started.duration(to: .now) }
        if caches[address.operation] != nil {
            for name in Gateway.forCaches { fields.append(copying: name, from: exchange.request.fields) }
        }
        let request = Request(
            target: address.target, fields: fields, authority: index.authorities[address.upstream],
            budget: exchange.budget, id: exchange.record.id)
        guard let onPart = settings.onPart else { return try await ask(request, address, exchange) }
        let start = ContinuousClock.now
        do throws(GatewayError) {
            let asked = try await ask(request, address, exchange)
            onPart(PartRecord(plan.upstreams[address.upstream], address.target, asked.response, nil, since: start))
            return asked
        } catch {
            onPart(PartRecord(plan.upstreams[address.upstream], address.target, nil, error, since: start))
            throw error
        }
    }

    /// From the cache, where there is one in front of the upstream.
    private func ask(
        _ request: Request, _ address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Asked {
        let operation = plan.operations[address.operation]
        guard let cache = caches[address.operation] else {
            let response = try await askers[address.upstream].respond(to: request)
            let asked = Asked(
                response: response,
                freshness: Freshness(response.fields, policy: policy(of: address), now: settings.clock()))
            exchange.note(asked.freshness)
            return asked
        }
        let passed = plan.upstreams[address.upstream].pass
        let judging = Judging(
            asker: askers[address.upstream], withheld: Gateway.forCaches.filter { !passed.contains($0) }
        ) { response async throws(GatewayError) in
            try await self.judged(response, address, exchange)
        }
        let key = cache.key(of: address.target)
        let answer = try await cache.asking(judging, tags: [operation.path.text]).answer(to: request, at: key)
        let freshness = Freshness(answer, policy: policy(of: address), now: cache.now)
        exchange.note(answer, at: key, freshness)
        return Asked(response: answer.response, freshness: freshness)
    }

    /// Fields in which a client says what it wants of caches.
    private static let forCaches: [FieldName] = [.cacheControl, "Pragma"]

    /// An upstream's answer before it is kept: one with content is read.
    /// - Throws: what is wrong with it. It never takes the place of a kept one then.
    private func judged(
        _ response: Response, _ address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Response {
        let name = plan.upstreams[address.upstream].name
        if response.status.isRedirect, redirectTarget(response, address) == nil { throw Gateway.foreignRedirect(name) }
        guard response.status.isSuccess, response.status != .noContent else { return response }
        var response = response
        let bytes = try await content(of: response, name, exchange)
        response.body = .bytes(bytes)
        guard let document = try document(bytes, response, address, exchange),
            try !isEmptyList(.json(document), response, address)
        else { return response }
        _ = try payload(of: document, plan.operations[address.operation], name)
        exchange.read[address.key] = document
        return response
    }

    /// Whatever the client accepts: a browser's `Accept` would turn an upstream's JSON into a page.
    private static let jsonAccepted = Fields([(.accept, "application/json")])

    /// Maps what the upstream said about the request truthfully: 404 and 410 stay, 429 is 503, all other refusals are 502.
    /// - Parameter isDeclared: the contract says that this is what the answer means, whatever its own status is.
    /// - Parameter isWrite: the request brought what its client had to say, so that a refusal of that is the client's to hear.
    static func failure(
        _ status: Status, retryAfter: Int?, upstream: String, isList: Bool, isDeclared: Bool = false,
        isWrite: Bool = false
    ) -> GatewayError {
        switch status.code {
        case 404:
            return .upstream(upstream, "not-found", .notFound, isList ? "has no such page." : "has no such resource.")
        case 410: return .upstream(upstream, "gone", .gone, "says that this resource is gone.")
        case 429:
            var error = GatewayError.upstream(
                upstream, "upstream-limit", .serviceUnavailable, "takes no more requests for now.")
            error.retryAfter = retryAfter
            return error
        case 503 where retryAfter != nil || isDeclared:
            var error = GatewayError.upstream(
                upstream, "upstream-unavailable", .serviceUnavailable, "is unavailable for now.")
            error.retryAfter = retryAfter
            return error
        case 401, 403:
            return .upstream(
                upstream, "upstream-denied", .badGateway, "refuses the gateway's credentials or its address.")
        case let code where isWrite && [400, 409, 412, 413, 415, 422, 428].contains(code):
            return .upstream(upstream, "upstream-rejected", status, "refuses the request (\(status.code)).")
        case 400...499:
            let code = isDeclared ? "" : " (\(status.code))"
            return .upstream(upstream, "upstream-rejected", .badGateway, "refuses the gateway's request\(code).")
        default:
            let code = isDeclared ? "" : " (\(status.code))"
            return .upstream(upstream, "upstream-failed", .badGateway, "failed\(code).")
        }
    }

    /// See ``RetryAfter``.
    func retryAfter(_ response: Response) -> Int? {
        response.fields[.retryAfter].flatMap { RetryAfter.seconds($0, clock: settings.clock()) }
    }

    private func read(
        _ asked: Asked, _ address: Address, _ exchange: Exchange
    ) async throws(GatewayError) -> Resource {
        let response = asked.response
        let name = plan.upstreams[address.upstream].name
        if response.status == .noContent {
            throw .upstream(name, "upstream-no-content", .noContent, "answers without content.")
        }
        let bytes = try await content(of: response, name, exchange)
        // What comes over the network is counted while it is read.
        if asked.freshness.origin?.isFromMemory == true, !exchange.budget.spend(bytes: bytes.count) {
            throw .budgetExceeded
        }
        let emptyList = { Resource(emptyListAt: address, asked.freshness) }
        guard var document = try document(bytes, response, address, exchange) else {
            if try isEmptyList(.text(bytes), response, address), let list = emptyList() { return list }
            throw Gateway.otherShape(name)
        }
        let operation = plan.operations[address.operation]
        if try isEmptyList(.json(document), response, address), let list = emptyList() { return list }
        let search = index.secrets[address.upstream]?.with(digests: response.fields.digests)
        let secrets = search.flatMap { $0.mayBeIn(bytes) ? $0 : nil }
        if let secrets, !operation.isShaped {
            let edits = secrets.edits(in: document, at: document.root)
            if !edits.isEmpty, let clean = try? JSONDocument(edits.applied(to: document), limits: exchange.json) {
                document = clean
            }
        }
        var resource = Resource(
            address: address, document: document, root: try payload(of: document, operation, name),
            freshness: asked.freshness)
        try cut(&resource, exchange)
        return try shaped(resource, secrets: secrets, exchange)
    }

    /// All content of an answer.
    func content(
        of response: Response, _ name: String, _ exchange: Exchange
    ) async throws(GatewayError) -> [UInt8] {
        do throws(GatewayError) {
            return try await response.body.collected(limit: exchange.json.bytes)
        } catch {
            guard error.source == .client else { throw error }
            throw .upstream(name, "upstream-too-large", .badGateway, Gateway.explain(.tooLarge))
        }
    }

    /// The content as JSON; nil where it isn't that, but something else that the contract knows.
    private func document(
        _ bytes: [UInt8], _ response: Response, _ address: Address, _ exchange: Exchange
    ) throws(GatewayError) -> JSONDocument? {
        if let document = exchange.read.removeValue(forKey: address.key), document.bytes == bytes { return document }
        do {
            return try JSONDocument(bytes, limits: exchange.json)
        } catch {
            if try isEmptyList(.text(bytes), response, address) { return nil }
            let name = plan.upstreams[address.upstream].name
            throw .upstream(name, "upstream-not-json", .badGateway, Gateway.explain(error))
        }
    }

    static func foreignRedirect(_ name: String) -> GatewayError {
        .upstream(name, "upstream-redirect", .badGateway, "redirects to an address that isn't its own.")
    }

    /// What the contract says of an answer's life.
    func policy(of address: Address) -> CachePolicy? {
        plan.operations[address.operation].cache ?? plan.upstreams[address.upstream].cache
    }

    /// What lies inside the envelope of an upstream's answer.
    ///
    /// - Throws: 404 where the list that should hold it is too short, 502 where the answer has another form than the contract says.
    private func payload(
        of document: JSONDocument, _ operation: Operation, _ name: String
    ) throws(GatewayError) -> JSONNode {
        for pointer in operation.expected {
            guard let node = document.node(at: pointer), document.kind(of: node) != .null else {
                throw Gateway.otherShape(name)
            }
        }
        guard let pointer = operation.unwrap else { return document.root }
        if let payload = document.node(at: pointer) { return payload }
        let parent = JSONPointer(Array(pointer.tokens.dropLast()))
        guard operation.collection == nil, let array = document.node(at: parent), document.kind(of: array) == .array
        else {
            throw Gateway.otherShape(name)
        }
        throw Gateway.failure(.notFound, retryAfter: nil, upstream: name, isList: false)
    }
}

extension PartRecord {
    init(
        _ upstream: UpstreamPlan, _ target: Target, _ response: Response?, _ error: GatewayError?,
        since start: ContinuousClock.Instant
    ) {
        self.init(
            upstream: upstream.name, url: upstream.base.text + target.text, status: response?.status,
            failure: error?.code, cacheStatus: response?.fields.values(.cacheStatus).last,
            duration: start.duration(to: .now))
    }
}
