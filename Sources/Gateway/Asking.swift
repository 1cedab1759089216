internal import HTTP
internal import Plan

/// What asks an upstream for an exchange: its calls are spent and counted here, below the cache, so that a kept answer costs none and is
/// given during a pause too.
struct Asker: Responder {
    let upstream: any Responder
    let name: String
    /// Index into `Plan.upstreams`.
    let position: Int
    let pauses: Pauses
    let clock: @Sendable () -> Int

    var obstacle: GatewayError? { pause ?? upstream.obstacle }

    /// - Throws: 503 while the upstream has asked us to wait, `budget-exceeded` where no call is left, and what the upstream throws.
    func respond(to request: Request) async throws(GatewayError) -> Response {
        if let pause { throw pause }
        if let budget = request.budget, !budget.spendCall() { throw .budgetExceeded }
        request.budget?.noteAsked(1)
        do throws(GatewayError) {
            return try await upstream.respond(to: request)
        } catch {
            if !error.wasAsked { request.budget?.noteAsked(-1) }
            throw error
        }
    }

    /// A pause that an upstream has asked for.
    private var pause: GatewayError? {
        guard let seconds = pauses.left(position, now: clock()) else { return nil }
        var error = GatewayError.upstream(name, "upstream-paused", .serviceUnavailable, "has asked us to wait.")
        error.retryAfter = seconds
        error.wasAsked = false
        return error
    }
}

/// Asks an upstream, and looks at its answer before a cache keeps it in place of another: one that nothing can be made of is a failure,
/// for which an old answer may stand in.
struct Judging: Responder {
    let asker: Asker
    /// Fields of the client's that are for caches alone.
    let withheld: [FieldName]
    /// Gives the answer back, read, or throws what is wrong with it.
    let judge: @Sendable (Response) async throws(GatewayError) -> Response

    func respond(to request: Request) async throws(GatewayError) -> Response {
        var request = request
        for name in withheld { request.fields.remove(name) }
        return try await judge(try await asker.respond(to: request))
    }
}
