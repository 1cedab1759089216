public import HTTP
public import Plan

/// The request path: match → validate → plan → fetch → expand → compose → answer, one step a line in `run`.
///
/// One for each worker. It knows neither sockets nor libcurl: requests come in through `respond(to:)`, and each upstream is
/// a `Responder` too. Everything runs on the executor of the task that calls `respond(to:)`, a worker's loop.
public final class Gateway: Responder {
    let index: PlanIndex
    var plan: Plan { index.plan }
    /// One for each of `plan.upstreams`.
    let askers: [Asker]
    /// One for each of `plan.operations`; nil where nothing is kept.
    let keepers: [(any Keeper)?]
    let settings: GatewaySettings
    let pauses: Pauses

    /// - Parameters:
    ///   - upstreams: one for each of `plan.upstreams`, in their order.
    ///   - keep: the cache in front of the upstream with this index, for operations with this policy; nil: nothing is kept.
    public init(
        plan: Plan, upstreams: [any Responder], settings: GatewaySettings,
        keep: (Int, CachePolicy?, any Responder) -> (any Keeper)? = { _, _, _ in nil }
    ) {
        let pauses = Pauses()
        let askers = zip(plan.upstreams, upstreams).enumerated().map { position, pair in
            Asker(
                upstream: pair.1, name: pair.0.name, position: position, pauses: pauses, clock: settings.clock)
        }
        let common = askers.map { keep($0.position, plan.upstreams[$0.position].cache, $0) }
        keepers = plan.operations.map { operation in
            guard let upstream = operation.upstream else { return nil }
            return operation.cache.map { keep(upstream, $0, askers[upstream]) } ?? common[upstream]
        }
        index = PlanIndex(plan)
        self.pauses = pauses
        self.askers = askers
        self.settings = settings
    }

    /// Answers a client's request. It never throws: what goes wrong becomes a problem document.
    public func respond(to request: Request) async throws(GatewayError) -> Response {
        let record = ExchangeRecord(request, started: .now)
        var response: Response
        do throws(GatewayError) {
            response = try await run(request, record)
        } catch {
            record.failure = error.code
            response = error.status == .noContent ? Response(status: .noContent) : Response(problem: error)
        }
        record.finish(&response)
        settings.observe?(record)
        return response
    }

    private func run(_ request: Request, _ record: ExchangeRecord) async throws(GatewayError) -> Response {
        switch try match(request) {
        case .own(let page):
            record.route = page.path
            return answer(page, request)
        case .allow(let methods):
            return Response(status: .noContent, fields: Fields([(.allow, methods)]))
        case .operation(let operation, let parameters):
            record.route = operation.path.text
            let arguments = try validate(request, operation, pathParameters: parameters)
            let selection = try readSelection(arguments, operation)
            let exchange = Exchange(operation, request, selection, record, settings)
            let composed = try await compose(operation, arguments, exchange)
            return try answer(composed, request, exchange)
        }
    }
}
