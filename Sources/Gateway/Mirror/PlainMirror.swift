public import HTTP
public import Plan

/// A mirror of one upstream that answers at every path: a plain caching reverse proxy. Nothing is added that a cache wouldn't add.
public struct PlainMirror: Responder {
    private let mirror: Mirror
    private let settings: GatewaySettings

    /// - Parameters:
    ///   - responder: asks the upstream, and takes its answers verbatim, best while they come.
    ///   - deadline: for the head of an answer.
    ///   - caching: nil: nothing is kept.
    public init(
        _ upstream: UpstreamPlan, _ responder: any Responder, deadline: Duration,
        settings: GatewaySettings, caching: Caching?
    ) {
        self.settings = settings
        let asker = Asker(
            upstream: responder, name: upstream.name, position: 0, pauses: Pauses(upstreams: 1), clock: settings.clock)
        let last = MirrorUpstream(
            asker: asker, secrets: nil, isReading: false, json: settings.json, passesUnasked: true)
        mirror = Mirror(
            plan: MirrorPlan(prefix: ""), upstream: upstream,
            responder: caching?.mirror(of: upstream, nil, route: "/", isPlain: true, asking: last) ?? last,
            isCached: caching != nil,
            deadline: deadline, bytes: .max, links: nil, isReading: false)
    }

    /// What goes wrong becomes a problem document.
    public func respond(to request: Request) async throws(GatewayError) -> Response {
        let record = ExchangeRecord(request, started: .now)
        record.path = request.target.path
        var response: Response
        do throws(GatewayError) {
            let request = try settings.admit(request, record, hasOwnPages: false)
            // No credential of ours goes along, so who may change what is the upstream's to say; where there are keys, they are asked for.
            if settings.access.keys != nil { try settings.admitChange(request, record) }
            let rest = request.target.path.dropFirst()
            response = try await mirror.answer(request, rest: rest, linkBase: "", record, settings)
        } catch {
            record.failure = error.code
            response = Response(problem: error.ofChange)
        }
        settings.settle(&response, record)
        record.end(response)
        settings.observe?(record)
        return response
    }
}
