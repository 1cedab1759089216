internal import Glibc
internal import HTTP
internal import Loop
internal import Plan

/// Sends requests to one upstream: credentials, a place in line, attempts, the retry.
///
/// A request's target is the path and query below the upstream's base, encoded; its fields are those that the gateway chose to
/// send. An answer of any status comes back as it is, decoded and without the fields of the connection; redirects too.
struct UpstreamResponder: Responder {
    let client: UpstreamClient
    let index: Int
    let form: AnswerForm

    /// Before a retry, so that many that failed together don't come back together.
    private static let longestJitter = Duration.milliseconds(100)

    func respond(to request: Request) async throws(GatewayError) -> Response {
        client.loop.preconditionIsOnLoop()
        let upstream = client[upstream: index]
        if let obstacle = upstream.outgoing.obstacle { throw obstacle }
        let ticket: Admission.Ticket
        do throws(Turnstile.Stop) {
            ticket = try await upstream.turnstile.enter(
                request.target.path.hashValue, on: client.loop, deadline: request.budget?.deadline)
        } catch {
            switch error {
            case .refused(let refusal): throw refusal.error(upstream: upstream.plan.name)
            case .fault(let fault): throw fault.error(upstream: upstream.plan.name)
            }
        }
        defer { upstream.turnstile.leave() }
        var attempts = Attempts(request, upstream, ticket, form)
        while true {
            do throws(Fault) {
                return try await attempts.next(client, index)
            } catch {
                guard try await isRetried(error, &attempts) else { throw error.error(upstream: upstream.plan.name) }
            }
        }
    }

    /// Whether the failed request is sent once more; returns when it is time to.
    private func isRetried(_ fault: Fault, _ attempts: inout Attempts) async throws(GatewayError) -> Bool {
        guard fault.isRetryable, let isFree = attempts.spendRetry(after: fault) else { return false }
        if !isFree {
            let jitter = Self.longestJitter * Double.random(in: 0...1)
            if let budget = attempts.request.budget {
                guard budget.timeLeft() > jitter, budget.spendCall() else { return false }
            }
            do throws(CancellationError) {
                try await client.loop.sleep(for: jitter)
            } catch {
                throw Fault.cancelled.error(upstream: attempts.upstream.plan.name)
            }
        }
        return attempts.admitRetry(isFree: isFree)
    }
}

/// One request and its attempts so far.
private struct Attempts {
    let request: Request
    let upstream: UpstreamClient.Upstream
    private let form: AnswerForm
    private let lines: [FieldLine]
    private var ticket: Admission.Ticket
    private var retriesLeft: Int
    private var isFresh = false
    private var number = 0
    /// What its attempts were signed with.
    private var digests: [String] = []

    init(
        _ request: Request, _ upstream: UpstreamClient.Upstream, _ ticket: Admission.Ticket, _ form: AnswerForm
    ) {
        self.form = form
        self.request = request
        self.upstream = upstream
        self.ticket = ticket
        let lines = upstream.outgoing.lines(request.fields, form)
        // No waiting for `100 Continue`: the client has been told to go on already.
        self.lines = request.sendsContent ? lines + ["Expect:"] : lines
        let mayRetry = form == .decoded && (request.method == .get || request.method == .head)
        retriesLeft = mayRetry ? max(0, upstream.plan.retries) : 0
    }

    /// Makes an attempt, and tells the rules how it went.
    mutating func next(_ client: UpstreamClient, _ index: Int) async throws(Fault) -> Response {
        let start = ContinuousClock.now
        number += 1
        do throws(Fault) {
            var response = try await answer(client, index)
            answered(response)
            client.note(request, upstream: index, number: number, since: start, response, nil)
            if !digests.isEmpty { response.fields.set(.signedWith, digests.joined(separator: ", ")) }
            return response
        } catch {
            client.note(request, upstream: index, number: number, since: start, nil, error)
            let ticket = ticket
            upstream.turnstile.update { $0.ended(ticket, error.health, failure: error.word, at: .now) }
            throw error
        }
    }

    private mutating func answer(_ client: UpstreamClient, _ index: Int) async throws(Fault) -> Response {
        var timeout = upstream.plan.timeout
        if let left = request.budget?.timeLeft() { timeout = min(timeout, left) }
        guard timeout > .zero else { throw .timedOut(isFull: false) }
        guard let signed = upstream.outgoing.signed(request.target, timestamp: client.timestamp()) else {
            throw .failed
        }
        if let digest = signed.digest { digests.append(digest) }
        let attempt = Transfer.Attempt(
            request: request, form: form, address: signed.address, lines: lines, timeout: timeout,
            isFullTime: timeout == upstream.plan.timeout, isFresh: isFresh, connection: ticket.connection)
        switch await client.perform(attempt, upstream: index) {
        case .answer(let response): return response
        case .fault(let fault): throw fault
        }
    }

    private func answered(_ response: Response) {
        let retryAfter =
            response.status == .tooManyRequests
            ? response.fields[.retryAfter].flatMap { RetryAfter.seconds($0, clock: time(nil)) } : nil
        upstream.turnstile.update {
            $0.ended(ticket, response.status.code >= 500 ? .failing : .healthy, at: .now)
            $0.answered(response.status, retryAfter: retryAfter, at: .now)
        }
    }

    /// Nil: no retry is left. True: the attempt sent nothing, so that the retry costs nothing.
    mutating func spendRetry(after fault: Fault) -> Bool? {
        if case .stale = fault {
            guard !isFresh else { return nil }
            isFresh = true
            return true
        }
        guard retriesLeft > 0 else { return nil }
        retriesLeft -= 1
        isFresh = true
        return false
    }

    /// False: the rules let no further request through.
    mutating func admitRetry(isFree: Bool) -> Bool {
        let target = ticket.target
        guard let ticket = upstream.turnstile.update({ $0.retry(target, isFree: isFree, at: .now) }) else {
            return false
        }
        self.ticket = ticket
        return true
    }
}
