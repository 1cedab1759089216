public import HTTP
public import Plan

/// The request path: match → validate → plan → fetch → expand → compose → answer, one step a line in `run`.
///
/// One for each worker. It knows neither sockets nor libcurl: requests come in through `respond(to:)`, and each upstream is
/// a `Responder` too. Everything runs on the executor of the task that calls `respond(to:)`, a worker's loop.
public final class Gateway: Responder {
    let index: PlanIndex
    var plan: Plan { index.plan }
    let upstreams: [any Responder]
    let settings: GatewaySettings
    let pauses = Pauses()

    /// - Parameter upstreams: one for each of `plan.upstreams`, in their order.
    public init(plan: Plan, upstreams: [any Responder], settings: GatewaySettings) {
        index = PlanIndex(plan)
        self.upstreams = upstreams
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
