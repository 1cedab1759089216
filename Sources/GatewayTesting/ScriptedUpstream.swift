public import HTTP

/// An upstream that answers as it was told and keeps what reached it. Confined to the loop of its clock.
public final class ScriptedUpstream: Responder, @unchecked Sendable {
    /// One scripted answer.
    public struct Answer: Sendable {
        /// On the upstream's clock, from the request's arrival.
        public var delay: Duration
        public var outcome: Result<Response, GatewayError>

        public init(_ outcome: Result<Response, GatewayError>, delay: Duration = .zero) {
            self.outcome = outcome
            self.delay = delay
        }

        /// 200 with JSON.
        /// - Parameter cacheControl: nil: the field isn't there.
        public static func json(_ text: String, cacheControl: String? = nil, delay: Duration = .zero) -> Answer {
            var fields = Fields([(.contentType, "application/json")])
            if let cacheControl { fields.append(.cacheControl, cacheControl) }
            return Answer(.success(Response(fields: fields, body: .bytes(Array(text.utf8)))), delay: delay)
        }
    }

    public let name: String
    private let clock: ManualClock
    private var script: [String: [Answer]] = [:]
    private var used: Set<String> = []
    private var gate: Gate?

    /// Every request that came, in order.
    public private(set) var log: [Request] = []
    /// The most requests that were waiting for their answers at the same time.
    public private(set) var mostAtOnce = 0
    private var inFlight = 0

    public init(name: String, clock: ManualClock) {
        self.name = name
        self.clock = clock
    }

    /// Scripts the answer to a request such as `GET /films/1/` (below the upstream's base). Several answers to the same
    /// request are given in order, the last one again and again.
    public func answer(_ request: String, with answer: Answer) { script[request, default: []].append(answer) }

    /// Answers `free` requests at once and then holds all answers until `count` requests wait for them at the same time.
    public func holdAnswers(until count: Int, after free: Int = 0) { gate = Gate(count: count, free: free) }

    /// Scripted requests that never came.
    public var unused: [String] { script.keys.filter { !used.contains($0) }.sorted() }

    /// Requests that nothing was scripted for.
    public private(set) var unscripted: [String] = []

    public func respond(to request: Request) async throws(GatewayError) -> Response {
        log.append(request)
        inFlight += 1
        mostAtOnce = max(mostAtOnce, inFlight)
        defer { inFlight -= 1 }
        let answer = next(ScriptedUpstream.key(of: request))
        await passGate()
        await clock.sleep(for: answer.delay)
        let response: Response
        do throws(GatewayError) {
            response = try answer.outcome.get()
        } catch {
            // As where the connection was there.
            var error = error
            error.mayHaveChanged = !request.method.isSafe
            throw error
        }
        if let budget = request.budget, !budget.spend(bytes: response.body.length ?? 0) {
            throw GatewayError(
                source: .gateway, code: "budget-exceeded", status: .badGateway,
                detail: "The bytes that one request may read from upstreams are used up.")
        }
        return response
    }

    /// How a request is written in scripts and logs: `GET /films/?page=2`.
    public static func key(of request: Request) -> String { request.method.rawValue + " " + request.target.text }

    private func next(_ key: String) -> Answer {
        guard var answers = script[key], let first = answers.first else {
            unscripted.append(key)
            return Answer(
                .failure(
                    GatewayError(
                        source: .upstream(name), code: "unscripted", status: .badGateway,
                        detail: "Nothing is scripted for this request.")))
        }
        used.insert(key)
        if answers.count > 1 {
            answers.removeFirst()
            script[key] = answers
        }
        return first
    }

    private func passGate() async {
        guard let held = gate else { return }
        if held.free > 0 {
            gate?.free -= 1
        } else if held.waiting.count + 1 >= held.count {
            gate = nil
            for continuation in held.waiting { continuation.resume() }
        } else {
            await withCheckedContinuation { gate?.waiting.append($0) }
        }
    }

    private struct Gate {
        var count: Int
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
}
