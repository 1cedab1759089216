internal import Cache
public import HTTP
public import Plan

/// The request path: match → validate → plan → look up → fetch → expand → compose → keep → answer.
///
/// One for each worker. It knows neither sockets nor libcurl: requests come in through `begin(_:)`, and each upstream is
/// a `Responder` too. Everything runs on the executor of the task that calls it, a worker's loop.
public final class Gateway: Responder {
    let index: PlanIndex
    var plan: Plan { index.plan }
    /// One for each of `plan.upstreams`.
    let askers: [Asker]
    /// One for each of `plan.operations`; nil where upstreams' answers aren't kept.
    let caches: [CachingResponder?]
    /// One for each of `plan.upstreams`, for what belongs to no operation.
    let upstreamCaches: [CachingResponder?]
    /// Nil where finished answers aren't kept.
    let composed: ComposedCache?
    /// Clients' credentials that some upstream is handed.
    let credentials: [FieldName]
    /// By the names that contracts have for them.
    let handlers: [String: any RouteHandler]
    /// By their places in `plan.operations`.
    let mirrors: [Int: Mirror]
    let settings: GatewaySettings
    let pauses: Pauses
    let meanings = Meanings()

    /// - Parameters:
    ///   - upstreams: one for each of `plan.upstreams`, in their order.
    ///   - verbatim: the same upstreams for mirrors, which want their answers as they are.
    ///   - streamed: the same for mirrors that hand content on while it comes.
    ///   - handlers: by name, all that the plan's operations may name.
    ///   - caching: nil: nothing is kept.
    public init(
        plan: Plan, upstreams: [any Responder], verbatim: [any Responder]? = nil,
        streamed: [any Responder]? = nil, settings: GatewaySettings,
        handlers: [String: any RouteHandler] = [:], caching: Caching? = nil
    ) {
        let pauses = settings.pauses ?? Pauses(upstreams: plan.upstreams.count)
        func makeAskers(_ upstreams: [any Responder]) -> [Asker] {
            zip(plan.upstreams, upstreams).enumerated().map { position, pair in
                Asker(
                    upstream: pair.1, name: pair.0.name, position: position, pauses: pauses, clock: settings.clock)
            }
        }
        let askers = makeAskers(upstreams)
        caches = plan.operations.map { operation in
            guard let caching, let position = operation.upstream else { return nil }
            let upstream = plan.upstreams[position]
            return caching.cache(of: upstream, operation.cache ?? upstream.cache, asking: askers[position])
        }
        upstreamCaches = zip(plan.upstreams, askers).map { upstream, asker in
            caching?.cache(of: upstream, upstream.cache, asking: asker)
        }
        self.handlers = handlers
        index = PlanIndex(plan)
        let whole = makeAskers(verbatim ?? upstreams)
        mirrors = Mirror.all(of: index, whole, streamed.map(makeAskers) ?? whole, settings, caching)
        self.pauses = pauses
        self.askers = askers
        composed = caching?.composed
        credentials = plan.upstreams.flatMap(\.pass).filter(\.isCredential)
        var own = settings
        own.pauses = pauses
        self.settings = own
    }

    /// Answers a client's request. It never throws: what goes wrong becomes a problem document.
    public func respond(to request: Request) async throws(GatewayError) -> Response {
        switch begin(request) {
        case .ready(let response): response
        case .later(let work): try await work()
        }
    }

    /// What needs nobody else is there at once: a kept answer, a page of our own, what is wrong with a request.
    public func begin(_ request: Request) -> Answering {
        let record = ExchangeRecord(request, started: .now)
        do throws(GatewayError) {
            let request = try settings.admit(request, record)
            switch try understand(request, record) {
            case .answered(let response): return .ready(finish(response, record))
            case .mirrored(let mirror, let rest):
                return .later { () async throws(GatewayError) in
                    let base = self.settings.linkBase(for: request)
                    do throws(GatewayError) {
                        let response = try await mirror.answer(
                            request, rest: rest, linkBase: base, record, self.settings)
                        return self.finish(response, record, isMirrored: true)
                    } catch {
                        return self.finish(failed: error, record)
                    }
                }
            case .wanted(let wanted):
                if let response = kept(wanted, request, record) { return .ready(finish(response, record)) }
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
        let error = error.ofChange
        record.failure = error.code
        let isEmpty = error.status == .noContent
        return finish(isEmpty ? Response(status: .noContent, fields: error.fields) : Response(problem: error), record)
    }

    private func finish(_ response: Response, _ record: ExchangeRecord, isMirrored: Bool = false) -> Response {
        var response = response
        response.fields.remove(.signedWith)
        record.finish(&response, isMirrored: isMirrored)
        settings.settle(&response, record)
        guard case .stream(let stream as any TellingStream) = response.body else {
            settings.observe?(record)
            return response
        }
        stream.whenDone { [settings] error in
            record.end(error)
            settings.observe?(record)
        }
        return response
    }

    /// What a client wants, checked.
    struct Wanted: Sendable {
        let meaning: Meaning
        /// Under which its answer is kept; nil where it can't be.
        let key: CacheKey?

        var operation: Operation { meaning.operation }
        var arguments: Arguments { meaning.arguments }
        var selection: Selection { meaning.selection }
    }

    private enum Understood {
        case answered(Response)
        case mirrored(Mirror, rest: Substring)
        case wanted(Wanted)
    }

    /// The steps that need nobody else.
    /// - Parameter isPart: a handler asks, for an exchange that was let in already.
    private func understand(
        _ request: Request, _ record: ExchangeRecord, isPart: Bool = false
    ) throws(GatewayError) -> Understood {
        if let meaning = meanings[request] { return try want(meaning, request, record, isPart: isPart) }
        switch try match(request) {
        case .own(let page):
            record.route = page.path
            return .answered(answer(page, request))
        case .allow(let methods):
            return .answered(options(methods, request))
        case .mirror(let index, let rest):
            guard let mirror = mirrors[index] else { throw Gateway.noRoute }
            record.route = plan.operations[index].path.text
            if settings.isListedPreflight(request) { return .answered(options(Method.list, request)) }
            if !isPart { try settings.admitChange(request, record) }
            return .mirrored(mirror, rest: rest)
        case .operation(let operation, let parameters):
            record.route = operation.path.text
            if !isPart { try settings.admitChange(request, record) }
            let arguments = try validate(request, operation, pathParameters: parameters)
            let selection = try readSelection(arguments, operation)
            let meaning = Meaning(
                operation: operation, arguments: arguments, selection: selection,
                keyText: composed == nil ? nil : keyText(operation, arguments, selection, request.target))
            meanings.remember(meaning, for: request)
            return .wanted(Wanted(meaning: meaning, key: composedKey(meaning, request)))
        }
    }

    private func want(
        _ meaning: Meaning, _ request: Request, _ record: ExchangeRecord, isPart: Bool
    ) throws(GatewayError) -> Understood {
        record.route = meaning.operation.path.text
        if !isPart { try settings.admitChange(request, record) }
        return .wanted(Wanted(meaning: meaning, key: composedKey(meaning, request)))
    }

    /// Answers a request of a handler's as a part of its exchange.
    func answer(
        part request: Request, _ record: ExchangeRecord, within budget: Budget
    ) async throws(GatewayError) -> Response {
        switch try understand(request, record, isPart: true) {
        case .answered(let response): response
        case .wanted(let wanted): try await runAlone(wanted, request, record, within: budget)
        case .mirrored: throw Gateway.noRoute
        }
    }
}
