internal import HTTP

extension CachingResponder {
    typealias Lease = Flights<FlightKey, SharedCache.Landing, GatewayError>.Lease

    /// Fetches for all who want the same, or waits for who does.
    func fly(_ request: Request, _ key: CacheKey) async throws(GatewayError) -> Answer {
        var alarm: AnyObject?
        let turn = await shared.flights.enter(flightKey(request, key)) { waiter in
            if let deadline = request.budget?.deadline { alarm = host.alarm(deadline) { waiter.expire() } }
        }
        withExtendedLifetime(alarm) {}
        alarm = nil
        switch turn {
        case .lead(let lease): return try await lead(request, key, lease)
        case .landed(let landing): return try await follow(landing, request, key)
        case .joined(let landing):
            let lookup = Lookup(request, among: [landing.answer], at: host.clock(), rules: rules)
            // It was begun before this request, so it has to be as good for it as what is kept.
            guard lookup.action == .serve else { return try await alone(request, key) }
            return try await follow(landing, request, key)
        case .failed(let error): return try stale(request, key, after: error)
        case .alone: return try await alone(request, key)
        case .crowded: return try stale(request, key, after: .crowded)
        case .expired: return try stale(request, key, after: .waitedTooLong)
        case .cancelled: throw .givenUp
        }
    }

    func alone(_ request: Request, _ key: CacheKey) async throws(GatewayError) -> Answer {
        let variants = shared.store.variants(of: key)
        let now = host.clock()
        let lookup = Lookup(request, among: variants, at: now, rules: rules)
        if let answer = kept(lookup, request, key, at: now) { return answer }
        return try await fetch(Fetch(request, key, lookup, variants))
    }

    /// What another brought, if it fits.
    private func follow(_ landing: SharedCache.Landing, _ request: Request, _ key: CacheKey)
        async throws(GatewayError) -> Answer
    {
        let now = host.clock()
        guard landing.answer.selection.matches(request.fields) else { return try await alone(request, key) }
        if Lookup.isError(landing.answer.status), let answer = standIn(for: request, key, at: now) { return answer }
        if landing.growing != nil { return try await join(landing, request, key) }
        var status = landing.status
        status.isCollapsed = true
        return Answer(
            response: landing.answer.response(to: request, at: now, status: status), stored: landing.answer,
            status: status, outcome: .collapsed)
    }

    /// A kept answer in place of a failure, if it may stand in.
    private func stale(_ request: Request, _ key: CacheKey, after error: GatewayError) throws(GatewayError) -> Answer {
        guard error.status.code >= 500, let answer = standIn(for: request, key, at: host.clock()) else { throw error }
        return answer
    }

    private func standIn(for request: Request, _ key: CacheKey, at now: Moment) -> Answer? {
        let lookup = Lookup(request, among: shared.store.variants(of: key), at: now, rules: rules)
        return standIn(lookup.selected, request, key, at: now, forwardStatus: nil)
    }

    /// The leader's work. The lease learns how it went in every case.
    func lead(_ request: Request, _ key: CacheKey, _ lease: Lease) async throws(GatewayError) -> Answer {
        var now = host.clock()
        var variants = shared.store.variants(of: key)
        var lookup = Lookup(request, among: variants, at: now, rules: rules)
        var turn: SharedTurn?
        if lookup.action != .serve {
            turn = await board(request, key, lookup)
            if turn != nil {
                now = host.clock()
                variants = shared.store.variants(of: key)
                lookup = Lookup(request, among: variants, at: now, rules: rules)
            }
        }
        // Another flight may have landed since the store was asked. Who waits is to look for itself: it may want a newer one.
        if lookup.action == .serve, let answer = kept(lookup, request, key, at: now, brought: turn?.brought) {
            lease.disperse()
            end(turn, with: nil)
            return answer
        }
        let asked = lookup.action == .serveAndRefresh ? Lookup(renewing: lookup.selected) : lookup
        do throws(GatewayError) {
            let answer = try await fetch(Fetch(request, key, asked, variants, lease, turn))
            if !answer.isComing { end(turn, with: answer) }
            // Whoever was not told by now is on its own.
            lease.disperse()
            return answer
        } catch {
            end(turn, with: nil)
            let isLate = request.budget.map { $0.timeLeft() <= .zero } ?? false
            if error.isOwn || isLate || Task.isCancelled { lease.handOver() } else { lease.fail(error) }
            throw error
        }
    }
}
