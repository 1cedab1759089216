internal import Cache
internal import Gateway
internal import HTTP
public import Loop
public import Plan

/// Plays one file's exchanges against a gateway with scripted upstreams and tells what turned out differently.
public struct ExchangeRun: Sendable {
    let file: ExchangeFile
    let plan: Plan

    public init(_ file: ExchangeFile, plan: Plan) {
        self.file = file
        self.plan = plan
    }

    /// Plays the exchanges in order, on `loop`.
    /// - Returns: nothing where all is as the file says.
    public func findings(on loop: EventLoop) async -> [ExchangeFile.Finding] {
        let clock = ManualClock(loop: loop)
        let upstreams = plan.upstreams.map { ScriptedUpstream(name: $0.name, clock: clock) }
        var findings: [ExchangeFile.Finding] = []
        for scripted in file.scripted {
            guard let upstream = upstreams.first(where: { $0.name == scripted.upstream }) else {
                findings.append(.init(line: scripted.line, text: "no upstream \(scripted.upstream) in the contract"))
                continue
            }
            upstream.answer(scripted.request, with: scripted.answer)
        }
        var settings = GatewaySettings()
        settings.publicURL = file.publicURL
        settings.clock = { 1_000_000_000 }
        let isDraining = file.isDraining
        settings.isDraining = { isDraining }
        let gateway = Gateway(plan: plan, upstreams: upstreams, settings: settings, caching: caching(clock, loop))
        var previous: Response?
        for exchange in file.exchanges {
            await clock.sleep(for: exchange.delay)
            let marks = upstreams.map(\.log.count)
            let start = clock.now
            let response = await respond(gateway, exchange, previous)
            findings += await check(response, exchange, took: clock.now - start)
            findings += check(seen: exchange.seen, upstreams, since: marks)
            previous = response
        }
        findings += leftovers(upstreams)
        return findings
    }

    private func caching(_ clock: ManualClock, _ loop: EventLoop) -> Caching? {
        guard file.kept != .nothing else { return nil }
        return Caching(
            SharedCache(store: CacheStore(capacity: 16 << 20)), host: .manual(clock, loop),
            keepsComposed: file.kept == .all)
    }

    private func respond(
        _ gateway: Gateway, _ exchange: ExchangeFile.Exchange, _ previous: Response?
    ) async -> Response {
        var fields = Fields()
        for (name, value) in exchange.fields {
            let parts = value.split(separator: "{ETag}", omittingEmptySubsequences: false)
            fields.append(name, parts.joined(separator: previous?.fields[.etag] ?? "{ETag}"))
        }
        let request = Request(
            method: exchange.method, target: Target(exchange.target), fields: fields,
            body: exchange.body.map { .bytes(Array($0.utf8)) } ?? .none, authority: "gateway.example")
        do {
            return try await gateway.respond(to: request)
        } catch {
            return Response(problem: error)
        }
    }

    /// Where no `seen` block says otherwise, all that is scripted must be asked for, and nothing else.
    private func leftovers(_ upstreams: [ScriptedUpstream]) -> [ExchangeFile.Finding] {
        var findings: [ExchangeFile.Finding] = []
        let hasSeen = file.exchanges.contains { !$0.seen.isEmpty }
        for upstream in upstreams {
            for request in upstream.unscripted {
                findings.append(.init(line: 1, text: "\(upstream.name) was asked what isn't scripted: \(request)"))
            }
            for request in hasSeen ? [] : upstream.unused {
                let line = file.scripted.first { $0.request == request && $0.upstream == upstream.name }?.line ?? 1
                findings.append(.init(line: line, text: "\(upstream.name) was never asked: \(request)"))
            }
        }
        return findings
    }
}
