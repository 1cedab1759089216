internal import Glibc
internal import HTTP
internal import Loop
internal import Testing
internal import Threads

@testable internal import Server

/// A server with a scripted responder on a loop thread of its own, on a free port.
final class RunningServer: @unchecked Sendable {
    let loop: EventLoop
    let server: Server
    let port: Int
    let logged = Locked<[String]>([])
    private let thread: Thread

    init(
        limits: ServerLimits = ServerLimits(),
        _ respond: @escaping @Sendable (Request, EventLoop) async throws(GatewayError) -> Response = Script.respond
    ) throws {
        loop = try EventLoop()
        let logged = logged
        server = Server(loop: loop, responder: Script(loop: loop, body: respond), limits: limits) { line in
            logged.withLock { $0.append(line) }
        }
        port = try server.listen(host: "127.0.0.1", port: 0).port
        thread = try loop.startThread()
    }

    /// Ends the loop's thread and what is left of the server.
    func stop() {
        loop.stop()
        thread.join()
        server.close()
    }

    /// Runs `body` with a client on a thread of its own, then ends the server.
    static func serve<Value: Sendable>(
        limits: ServerLimits = ServerLimits(), receiveBuffer: CInt = 0,
        to body: @escaping @Sendable (RawClient) throws -> Value,
        _ respond: @escaping @Sendable (Request, EventLoop) async throws(GatewayError) -> Response = Script.respond
    ) async throws -> Value {
        let running = try RunningServer(limits: limits, respond)
        defer { running.stop() }
        let port = running.port
        return try await RawClient.onThread { try body(RawClient(port: port, receiveBuffer: receiveBuffer)) }
    }

    func onClient<Value: Sendable>(_ body: @escaping @Sendable (RawClient) throws -> Value) async throws -> Value {
        let port = port
        return try await RawClient.onThread { try body(RawClient(port: port)) }
    }

    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (Server) async -> Value) async -> Value {
        let server = server
        return await Task(executorPreference: loop) { await body(server) }.value
    }
}

/// What the servers of the tests answer, where a test has nothing of its own.
struct Script: Responder {
    let loop: EventLoop
    let body: @Sendable (Request, EventLoop) async throws(GatewayError) -> Response

    func respond(to request: Request) async throws(GatewayError) -> Response { try await body(request, loop) }

    /// What is below `/now` is answered without a task: `/now/large` with 5 MB, `/now/pieces` with a stream, `/now/100` with no final
    /// answer, the others with their query.
    func begin(_ request: Request) -> Answering {
        guard request.target.path.hasPrefix("/now") else {
            return .later { () async throws(GatewayError) in try await respond(to: request) }
        }
        switch request.target.path {
        case "/now/large": return .ready(Response(body: .bytes([UInt8](repeating: 0x61, count: 5_000_000))))
        case "/now/pieces": return .ready(Response(body: .stream(Pieces(["a", "bc"]))))
        case "/now/100": return .ready(Response(status: Status(code: 100) ?? .ok))
        default: return .ready(Response(body: .bytes(Array((request.target.query ?? "").utf8))))
        }
    }

    /// `/` has a text, `/large` 5 MB; `/echo` gives the content back, `/ignore` answers without reading it, `/yield` answers after a
    /// suspension, `/204` and `/304` have those statuses; everything else is 404.
    @Sendable static func respond(to request: Request, on loop: EventLoop) async throws(GatewayError) -> Response {
        switch request.target.path {
        case "/": return Response(body: .bytes(Array("root".utf8)))
        case "/large": return Response(body: .bytes([UInt8](repeating: 0x61, count: 5_000_000)))
        case "/echo": return Response(body: .bytes(try await request.body.collected(limit: 1 << 20)))
        case "/ignore": return Response(status: .methodNotAllowed, body: .bytes(Array("no".utf8)))
        case "/yield":
            await Task.yield()
            return Response(body: .bytes(Array((request.target.query ?? "").utf8)))
        case "/204": return Response(status: .noContent, body: .bytes(Array("never".utf8)))
        case "/304": return Response(status: .notModified, body: .bytes(Array("never".utf8)))
        default: throw GatewayError(source: .client, code: "not-found", status: .notFound, detail: "Nothing is there.")
        }
    }
}

/// Content in pieces, each after a suspension; it may break at the end.
final class Pieces: BodyStream, @unchecked Sendable {
    let length: Int?
    private var pieces: [[UInt8]]
    private let failure: GatewayError?

    init(_ pieces: [String], length: Int? = nil, failure: GatewayError? = nil) {
        self.pieces = pieces.map { Array($0.utf8) }
        self.length = length
        self.failure = failure
    }

    func next() async throws(GatewayError) -> [UInt8]? {
        await Task.yield()
        if pieces.isEmpty, let failure { throw failure }
        return pieces.isEmpty ? nil : pieces.removeFirst()
    }
}

/// Something that happens once, on some thread, and that a test waits for.
final class Signal: Sendable {
    private let state = Locked<(isGiven: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func give() {
        let waiters = state.withLock { state in
            state.isGiven = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isGiven = state.withLock { state in
                if !state.isGiven { state.waiters.append(continuation) }
                return state.isGiven
            }
            if isGiven { continuation.resume() }
        }
    }
}

func get(_ path: String, _ lines: String = "", version: String = "1.1", method: String = "GET") -> String {
    "\(method) \(path) HTTP/\(version)\r\nHost: a.test\r\n\(lines)\r\n"
}

func post(_ path: String, _ lines: String, _ body: String) -> String { get(path, lines, method: "POST") + body }
