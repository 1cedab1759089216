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

    var obstacle: GatewayError? { client[upstream: index].outgoing.obstacle }

    func respond(to request: Request) async throws(GatewayError) -> Response {
        client.loop.preconditionIsOnLoop()
        let upstream = client[upstream: index]
        if let obstacle = upstream.outgoing.obstacle { throw obstacle }
        let ticket = try await enter(upstream, request)
        // The place is kept until a streamed content has ended.
        var hasPlace = true
        defer { if hasPlace { upstream.turnstile.leave() } }
        let attempts = Attempts(request, upstream, ticket, form)
        while true {
            do throws(Fault) {
                let response = try await attempts.next(client, index)
                if case .stream = response.body { hasPlace = false }
                return response
            } catch {
                guard try await isRetried(error, attempts) else { throw attempts.error(error) }
            }
        }
    }

    @inline(never)
    private func enter(
        _ upstream: UpstreamClient.Upstream, _ request: Request
    ) async throws(GatewayError) -> Admission.Ticket {
        do throws(Turnstile.Stop) {
            return try await upstream.turnstile.enter(
                request.target.path.hashValue, on: client.loop, deadline: request.budget?.deadline)
        } catch {
            switch error {
            case .refused(let refusal): throw refusal.error(upstream: upstream.plan.name)
            case .fault(let fault): throw fault.error(upstream: upstream.plan.name)
            }
        }
    }

    /// Whether the failed request is sent once more; returns when it is time to.
    @inline(never)
    private func isRetried(_ fault: Fault, _ attempts: Attempts) async throws(GatewayError) -> Bool {
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

/// One request and its attempts so far. An object, so that whoever waits for an answer holds it once.
private final class Attempts {
    let request: Request
    let upstream: UpstreamClient.Upstream
    private let form: AnswerForm
    private let lines: [FieldLine]
    private var ticket: Admission.Ticket
    private var retriesLeft: Int
    private var isFresh = false
    private var number = 0
    /// Whether something of the request may have been sent.
    private var mayHaveSent = false
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
    @inline(never)
    func next(_ client: UpstreamClient, _ index: Int) async throws(Fault) -> Response {
        let start = ContinuousClock.now
        number += 1
        let outcome: Transfer.Outcome
        do throws(Fault) {
            let (transfer, upload) = try prepare(client, index, since: start)
            outcome = await client.perform(transfer, upload)
            mayHaveSent = mayHaveSent || transfer.mayHaveSent
        } catch {
            outcome = .fault(error)
        }
        return try ended(outcome, client, index, since: start)
    }

    // What comes before and after the wait is not inlined: nothing of it is held while an upload or an answer is waited for.

    @inline(never)
    private func ended(
        _ outcome: Transfer.Outcome, _ client: UpstreamClient, _ index: Int, since start: ContinuousClock.Instant
    ) throws(Fault) -> Response {
        switch outcome {
        case .answer(var response), .stream(var response):
            answered(response)
            if case .stream = response.body {
                // It is told when all has come.
            } else {
                client.note(request, upstream: index, number: number, since: start, response, nil)
            }
            if !digests.isEmpty { response.fields.set(.signedWith, digests.joined(separator: ", ")) }
            return response
        case .fault(let fault):
            client.note(request, upstream: index, number: number, since: start, nil, fault)
            let ticket = ticket
            upstream.turnstile.update { $0.ended(ticket, fault.health, failure: fault.word, at: .now) }
            throw fault
        }
    }

    @inline(never)
    private func prepare(
        _ client: UpstreamClient, _ index: Int, since start: ContinuousClock.Instant
    ) throws(Fault) -> (Transfer, Upload?) {
        var timeout = upstream.plan.timeout
        if let left = request.budget?.timeLeft() { timeout = min(timeout, left) }
        guard timeout > .zero else { throw .timedOut(isFull: false) }
        guard let signed = upstream.outgoing.signed(request.target, timestamp: client.timestamp()) else {
            throw .failed
        }
        if let digest = signed.digest { digests.append(digest) }
        var attempt = Transfer.Attempt(
            request: request, form: form, address: signed.address, lines: lines, timeout: timeout,
            isFullTime: timeout == upstream.plan.timeout, isFresh: isFresh, connection: ticket.connection)
        if form == .streamed {
            attempt.onEnd = { [self] ending in contentEnded(ending, client, index, since: start) }
        }
        return try client.prepare(attempt, upstream: index)
    }

    /// A content that was passed on while it came has ended.
    private func contentEnded(
        _ ending: Transfer.Ending, _ client: UpstreamClient, _ index: Int, since start: ContinuousClock.Instant
    ) {
        client.note(
            request, upstream: index, number: number, since: start, ending.status.map { Response(status: $0) },
            ending.fault, bytes: ending.bytes)
        if let fault = ending.fault {
            var ticket = ticket
            // Its head has told what was to be found out.
            ticket.isProbe = false
            upstream.turnstile.update { $0.ended(ticket, fault.health, failure: fault.word, at: .now) }
        }
        upstream.turnstile.leave()
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

    /// The last fault as the world outside this module sees it.
    func error(_ fault: Fault) -> GatewayError {
        var error = fault.error(upstream: upstream.plan.name)
        if case .content = fault { return error }
        error.mayHaveChanged = mayHaveSent && !request.method.isSafe
        return error
    }

    /// Nil: no retry is left. True: the attempt sent nothing, so that the retry costs nothing.
    func spendRetry(after fault: Fault) -> Bool? {
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
    func admitRetry(isFree: Bool) -> Bool {
        let target = ticket.target
        guard let ticket = upstream.turnstile.update({ $0.retry(target, isFree: isFree, at: .now) }) else {
            return false
        }
        self.ticket = ticket
        return true
    }
}
