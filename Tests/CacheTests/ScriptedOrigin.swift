import HTTP
import Testing
import Threads

@testable import Cache

/// An upstream that answers what it is told to, and remembers what it was asked.
final class ScriptedOrigin: Responder, Sendable {
    typealias Script = @Sendable (Request, _ turn: Int) async throws(GatewayError) -> Response

    private let script: Script
    private let asked = Locked<[Request]>([])

    init(_ script: @escaping Script) { self.script = script }

    /// Answers in turn; the last for all that follow.
    convenience init(_ answers: Response...) {
        self.init { _, turn in answers[min(turn, answers.count - 1)] }
    }

    var requests: [Request] { asked.withLock { $0 } }

    func respond(to request: Request) async throws(GatewayError) -> Response {
        let turn = asked.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try await script(request, turn)
    }
}

/// A cache in front of a scripted upstream, with a clock that stands still until it is moved. What it does in the background waits for
/// `settle()`, unless it is lively.
struct Bench: Sendable {
    let origin: ScriptedOrigin
    let shared: SharedCache
    let cache: CachingResponder
    private let clock: Clock

    final class Clock: Sendable {
        let moment = Locked(now)
        let background = Locked<[@Sendable () async -> Void]>([])
    }

    init(_ origin: ScriptedOrigin, rules: CacheRules = .exact, waiterLimit: Int = 1000, isLively: Bool = false) {
        let clock = Clock()
        let host = CacheHost(
            clock: { clock.moment.withLock { $0 } },
            spawn: { work in
                if isLively { Task { await work() } } else { clock.background.withLock { $0.append(work) } }
            },
            alarm: { _, ring in Ring(ring) }, chance: { 0 })
        shared = SharedCache(store: CacheStore(capacity: 4 << 20), waiterLimit: waiterLimit)
        cache = CachingResponder(
            origin, scheme: "https", authority: "example.com", base: "/api", shared: shared, host: host, rules: rules,
            tags: ["origin"])
        self.origin = origin
        self.clock = clock
    }

    init(_ answers: Response..., rules: CacheRules = .exact) {
        self.init(ScriptedOrigin { _, turn in answers[min(turn, answers.count - 1)] }, rules: rules)
    }

    /// An alarm that rings at once: every deadline of these tests has passed.
    private final class Ring {
        init(_ ring: @Sendable () -> Void) { ring() }
    }

    func pass(_ seconds: Int) { clock.moment.withLock { $0 = $0.advanced(milliseconds: seconds * 1000) } }

    /// Does all that was to be done in the background.
    func settle() async {
        while let work = clock.background.withLock({ $0.popLast() }) { await work() }
    }

    /// Asks the cache; a failure becomes its answer.
    func ask(_ text: String = "", _ method: HTTP.Method = .get, path: String = "/a", budget: Budget? = nil) async
        -> Reply
    {
        var asking = request(text, method, path: path)
        asking.budget = budget
        do throws(GatewayError) {
            let response = try await cache.respond(to: asking)
            let body = (try? await response.body.collected(limit: 1 << 24)) ?? []
            return Reply(
                code: response.status.code, body: String(decoding: body, as: UTF8.self), fields: response.fields)
        } catch {
            return Reply(code: error.status.code, body: error.code, fields: error.fields)
        }
    }

    struct Reply: Sendable, CustomStringConvertible {
        var code: UInt16
        var body: String
        var fields: Fields
        /// Our member of `Cache-Status`.
        var status: String { fields.values(.cacheStatus).last ?? "" }
        var description: String { "\(code) \(body) (\(status))" }
    }
}

/// Lets other tasks run until it is so.
func until(_ isTrue: () -> Bool) async {
    let end = ContinuousClock.now + .seconds(20)
    while !isTrue() {
        guard ContinuousClock.now < end else {
            Issue.record("it never came to that")
            return
        }
        await Task.yield()
    }
}
