import Glibc
import HTTP
import Loop
import Plan
internal import Threads

@testable import Upstream

/// A client with one upstream, on a loop of its own, for one test.
struct Bench: Sendable {
    let loop: EventLoop
    let client: UpstreamClient
    let shared: UpstreamShared

    enum Outcome: Sendable {
        case answer(Response)
        case error(GatewayError)
    }

    /// Runs `body` as a task of the loop; `server` is stopped afterwards.
    /// - Parameter quietConnections: 0 reuses connections from the start.
    static func run<Value: Sendable>(
        _ server: RawServer, quietConnections: Int = 0, contentLimit: Int = 8 << 20,
        plan: UpstreamPlan? = nil,
        _ body: @escaping @Sendable (Bench) async throws -> Value
    ) async throws -> Value {
        var plan = plan ?? Self.plan { _ in }
        guard let base = BaseURL("http://127.0.0.1:\(server.port)") else { throw CancellationError() }
        plan.base = base
        let shared = UpstreamShared(plans: [plan], quietConnections: quietConnections)
        defer { server.stop() }
        return try await run(shared, contentLimit: contentLimit, body)
    }

    /// Runs `body` with one more worker of the process that `shared` stands for.
    static func run<Value: Sendable>(
        _ shared: UpstreamShared, contentLimit: Int = 8 << 20, _ body: @escaping @Sendable (Bench) async throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop()
        let thread = try loop.startThread()
        let task = Task(executorPreference: loop) {
            let client = try UpstreamClient(loop: loop, shared: shared, contentLimit: contentLimit)
            return try await body(Bench(loop: loop, client: client, shared: shared))
        }
        let result = await task.result
        loop.stop()
        thread.join()
        return try result.get()
    }

    /// A plan for ``run(_:quietConnections:contentLimit:plan:_:)``, which sets the base.
    static func plan(_ change: (inout UpstreamPlan) -> Void) -> UpstreamPlan {
        guard let base = BaseURL("http://127.0.0.1") else { fatalError("no base") }
        var plan = UpstreamPlan(name: "films", base: base)
        change(&plan)
        return plan
    }

    func send(_ request: Request) async -> Outcome {
        do throws(GatewayError) {
            return .answer(try await client.responder(for: 0).respond(to: request))
        } catch {
            return .error(error)
        }
    }

    func get(_ target: String, budget: Budget? = nil) async -> Outcome {
        await send(Request(target: Target(target), budget: budget))
    }

    var counts: UpstreamCounts { shared.snapshot["films"] ?? UpstreamCounts() }
}

extension Bench.Outcome {
    /// Status and content of an answer, or status and code of an error.
    var text: String {
        switch self {
        case .answer(let response):
            if case .bytes(let bytes) = response.body {
                "\(response.status.code) \(String(decoding: bytes, as: UTF8.self))"
            } else {
                "\(response.status.code)"
            }
        case .error(let error): "\(error.status.code) \(error.code)"
        }
    }

    var response: Response? { if case .answer(let response) = self { response } else { nil } }
    var error: GatewayError? { if case .error(let error) = self { error } else { nil } }
}
