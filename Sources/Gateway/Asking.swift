public import HTTP
internal import Plan

/// A cache in front of one upstream. Its answers carry a `Cache-Status` of its own as the last line of that name (RFC 9211).
public protocol Keeper: Responder {
    /// Drops what is kept for this target: the gateway can't make anything of it.
    func forget(_ target: Target)
}

/// What asks an upstream for an exchange: its calls are spent and counted here, below the cache, so that a kept answer costs none and is
/// given during a pause too.
struct Asker: Responder {
    let upstream: any Responder
    let name: String
    /// Index into `Plan.upstreams`.
    let position: Int
    let pauses: Pauses
    let clock: @Sendable () -> Int

    /// - Throws: 503 while the upstream has asked us to wait, `budget-exceeded` where no call is left, and what the upstream throws.
    func respond(to request: Request) async throws(GatewayError) -> Response {
        try checkPause()
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
    private func checkPause() throws(GatewayError) {
        guard let seconds = pauses.left(position, now: clock()) else { return }
        var error = GatewayError.upstream(name, "upstream-paused", .serviceUnavailable, "has asked us to wait.")
        error.retryAfter = seconds
        error.wasAsked = false
        throw error
    }
}
