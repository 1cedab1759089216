internal import Cache
internal import HTTP
internal import Plan

extension Gateway {
    /// An answer that was composed just now.
    struct Made: Sendable {
        var answer: StoredAnswer
        /// The value of `Cache-Control`.
        var directives: String
        /// Where its parts came from.
        var origin: Provenance?
        /// Whether it may be kept: it is whole, and each of its parts is kept and fresh.
        var isKeepable: Bool
        /// Whether others who asked at the same time may have it.
        var isForAll: Bool
        var missingParts = 0
    }

    /// The kept answer; nil where it has to be composed. Without waiting.
    func kept(_ wanted: Wanted, _ request: Request, _ record: ExchangeRecord) -> Response? {
        guard let composed, let key = wanted.key else { return nil }
        let now = composed.now
        guard let answer = composed.find(key, for: request.fields, at: now) else { return nil }
        composed.count(.hit, key)
        return hit(answer, request, key, at: now, record)
    }

    private func hit(
        _ answer: StoredAnswer, _ request: Request, _ key: CacheKey, at now: Moment, _ record: ExchangeRecord
    ) -> Response {
        record.failure = answer.composition?.failure
        return respond(
            with: answer, to: request, key, at: now, directives: answer.directivesForClients,
            status: answer.hitStatus(at: now).text)
    }

    /// The steps that ask upstreams, once for all who want the same answer at the same time.
    func run(_ wanted: Wanted, _ request: Request, _ record: ExchangeRecord) async throws(GatewayError) -> Response {
        guard let composed, let key = wanted.key else { return try await runAlone(wanted, request, record) }
        return try await runShared(wanted, request, record, composed, key)
    }

    // The ways to an answer that need much room are not inlined: whoever waits on another way, such as an upload, would hold that too.

    @inline(never)
    private func runShared(
        _ wanted: Wanted, _ request: Request, _ record: ExchangeRecord, _ composed: ComposedCache, _ key: CacheKey
    ) async throws(GatewayError) -> Response {
        // Who wants something newer than others asks for it alone; the parts are still fetched once for all.
        guard RequestDirectives(request.fields) == RequestDirectives(Fields()),
            !composed.isUnshared(key, at: composed.now)
        else { return try await runAlone(wanted, request, record) }
        switch await composed.enter(key, until: record.started + wanted.operation.deadline) {
        case .lead(let lease): return try await lead(wanted, request, record, composed, key, lease)
        case .landed(let landing), .joined(let landing):
            guard landing.answer.selection.matches(request.fields) else {
                return try await runAlone(wanted, request, record)
            }
            composed.count(.collapsed, key)
            record.missingParts = landing.missingParts
            record.failure = landing.answer.composition?.failure
            return respond(
                with: landing.answer, to: request, key, at: composed.now, directives: landing.directives,
                status: landing.status)
        case .alone: return try await runAlone(wanted, request, record)
        case .failed(let error): throw missed(key, error)
        case .crowded: throw missed(key, ComposedCache.crowded)
        case .expired: throw missed(key, ComposedCache.waitedTooLong)
        case .cancelled: throw missed(key, ComposedCache.givenUp)
        }
    }

    private func missed(_ key: CacheKey, _ error: GatewayError) -> GatewayError {
        composed?.count(.miss, key)
        return error
    }

    /// Composes for all who wait. The lease learns how it went in every case.
    private func lead(
        _ wanted: Wanted, _ request: Request, _ record: ExchangeRecord, _ composed: ComposedCache, _ key: CacheKey,
        _ lease: ComposedCache.Lease
    ) async throws(GatewayError) -> Response {
        // Another flight may just have landed.
        let now = composed.now
        if let answer = composed.find(key, for: request.fields, at: now) {
            lease.land(
                ComposedCache.Landing(
                    answer: answer, directives: answer.directivesForClients, status: answer.hitStatus(at: now).text))
            composed.count(.hit, key)
            return hit(answer, request, key, at: now, record)
        }
        composed.count(.miss, key)
        do throws(GatewayError) {
            let exchange = Exchange(wanted.operation, request, wanted.selection, record, settings)
            let made = try await make(wanted, exchange)
            if made.isForAll {
                var origin = made.origin
                origin?.noteCollapsed()
                lease.land(
                    ComposedCache.Landing(
                        answer: made.answer, directives: made.directives, status: Gateway.text(origin),
                        missingParts: made.missingParts))
            } else {
                composed.unshare(key, lease, at: composed.now)
            }
            return respond(made, request, key, record)
        } catch {
            let isLate = ContinuousClock.now >= record.started + wanted.operation.deadline
            if error.isOwn || isLate || Task.isCancelled { lease.handOver() } else { lease.fail(error) }
            throw error
        }
    }

    /// - Parameter budget: of the exchange that the request is a part of; nil for a client's own.
    func runAlone(
        _ wanted: Wanted, _ request: Request, _ record: ExchangeRecord, within budget: Budget? = nil
    ) async throws(GatewayError) -> Response {
        if let response = kept(wanted, request, record) { return response }
        if let composed, let key = wanted.key { composed.count(.miss, key) }
        if wanted.operation.handler == nil, !wanted.operation.method.isSafe {
            return try await write(wanted, request, record)
        }
        let exchange = Exchange(wanted.operation, request, wanted.selection, record, settings, within: budget)
        if let handler = wanted.operation.handler {
            return try await handle(handler, wanted.operation, wanted.arguments, exchange)
        }
        return respond(try await make(wanted, exchange), request, wanted.key, record)
    }

    private func respond(_ made: Made, _ request: Request, _ key: CacheKey?, _ record: ExchangeRecord) -> Response {
        record.missingParts = made.missingParts
        record.failure = made.answer.composition?.failure
        return respond(
            with: made.answer, to: request, made.isKeepable ? key : nil, at: made.answer.received,
            directives: made.directives, status: Gateway.text(made.origin))
    }

    static func text(_ origin: Provenance?) -> String { origin?.text ?? "sluice; fwd=bypass" }

    /// Composes an answer, and keeps it where it may be.
    @inline(never)
    private func make(_ wanted: Wanted, _ exchange: Exchange) async throws(GatewayError) -> Made {
        let mark = composed?.mark ?? 0
        var made: Made
        do throws(GatewayError) {
            made = try finished(try await compose(wanted.operation, wanted.arguments, exchange), exchange)
        } catch {
            guard let absent = absent(error, exchange) else {
                throw exchange.told(error, isCached: caches.contains { $0 != nil })
            }
            made = absent
        }
        guard made.isKeepable, let composed, let key = wanted.key else {
            made.isKeepable = false
            return made
        }
        made.isKeepable = composed.keep(made.answer, key, since: mark)
        return made
    }
}
