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
    /// One for each of `plan.upstreams`: what stands in front of it where an operation has no policy of its own.
    let commonKeepers: [(any Keeper)?]
    /// By the names that contracts have for them.
    let handlers: [String: any RouteHandler]
    let settings: GatewaySettings
    let pauses: Pauses

    /// - Parameters:
    ///   - upstreams: one for each of `plan.upstreams`, in their order.
    ///   - handlers: by name, all that the plan's operations may name.
    ///   - keep: the cache in front of the upstream with this index, for operations with this policy; nil: nothing is kept.
    public init(
        plan: Plan, upstreams: [any Responder], settings: GatewaySettings,
        handlers: [String: any RouteHandler] = [:],
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
        commonKeepers = common
        self.handlers = handlers
        index = PlanIndex(plan)
        self.pauses = pauses
        self.askers = askers
        self.settings = settings
    }

    /// Answers a client's request. It never throws: what goes wrong becomes a problem document.
    public func respond(to request: Request) async throws(GatewayError) -> Response {
        switch begin(request) {
        case .ready(let response): response
        case .later(let work): try await work()
        }
    }

    /// What is known without asking anybody is there at once: pages of our own, and what is wrong with a request.
    public func begin(_ request: Request) -> Answering {
        let record = ExchangeRecord(request, started: .now)
        do throws(GatewayError) {
            switch try understand(request, record) {
            case .answered(let response): return .ready(finish(response, record))
            case .wanted(let wanted):
                return .later { () async throws(GatewayError) in
                    do throws(GatewayError) {
                        return self.finish(try await self.run(wanted, request, record), record)
                    } catch {
                        return self.finish(failed: error, record)
                    }
                }
            }
        } catch {
            return .ready(finish(failed: error, record))
        }
    }

    private func finish(failed error: GatewayError, _ record: ExchangeRecord) -> Response {
        record.failure = error.code
        let isEmpty = error.status == .noContent
        return finish(isEmpty ? Response(status: .noContent) : Response(problem: error), record)
    }

    private func finish(_ response: Response, _ record: ExchangeRecord) -> Response {
        var response = response
        response.fields.remove(.signedWith)
        record.finish(&response)
        settings.observe?(record)
        return response
    }

    /// What a client wants, checked.
    struct Wanted: Sendable {
        let operation: Operation
        let arguments: Arguments
        let selection: Selection
    }

    private enum Understood {
        case answered(Response)
        case wanted(Wanted)
    }

    /// The steps that need nobody else.
    private func understand(_ request: Request, _ record: ExchangeRecord) throws(GatewayError) -> Understood {
        switch try match(request) {
        case .own(let page):
            record.route = page.path
            return .answered(answer(page, request))
        case .allow(let methods):
            return .answered(Response(status: .noContent, fields: Fields([(.allow, methods)])))
        case .operation(let operation, let parameters):
            record.route = operation.path.text
            let arguments = try validate(request, operation, pathParameters: parameters)
            let selection = try readSelection(arguments, operation)
            return .wanted(Wanted(operation: operation, arguments: arguments, selection: selection))
        }
    }

    /// The steps that ask upstreams.
    /// - Parameter budget: of the exchange that the request is a part of; nil for a client's own.
    private func run(
        _ wanted: Wanted, _ request: Request, _ record: ExchangeRecord, within budget: Budget? = nil
    ) async throws(GatewayError) -> Response {
        let exchange = Exchange(wanted.operation, request, wanted.selection, record, settings, within: budget)
        if let handler = wanted.operation.handler {
            return try await handle(handler, wanted.operation, wanted.arguments, exchange)
        }
        let composed = try await compose(wanted.operation, wanted.arguments, exchange)
        return try answer(composed, request, exchange)
    }

    /// Answers a request of a handler's as a part of its exchange.
    func answer(
        part request: Request, _ record: ExchangeRecord, within budget: Budget
    ) async throws(GatewayError) -> Response {
        switch try understand(request, record) {
        case .answered(let response): response
        case .wanted(let wanted): try await run(wanted, request, record, within: budget)
        }
    }
}
