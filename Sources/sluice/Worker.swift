internal import Glibc
internal import HTTP
internal import Loop
internal import Server
internal import Threads

/// One thread with its loop and its listener. A gateway has one for each core, and the kernel spreads connections over their
/// listeners; the sample upstreams have one of their own.
///
/// Made and told to listen before ``start()``; after that everything in it happens on its loop.
final class Worker: @unchecked Sendable {
    let loop: EventLoop
    /// On the loop, or before ``start()``.
    let counts = WorkerCounts()
    private let current: Current
    private let server: Server
    private var thread: Thread?
    private var draining: Task<Void, Never>?

    init(limits: ServerLimits, log: Log) throws(EventLoopError) {
        loop = try EventLoop()
        current = Current()
        server = Server(loop: loop, responder: current, limits: limits) { log.write(.warning, $0) }
    }

    /// What answers; new requests go to the one that was set last. On the loop, or before ``start()``.
    func answer(with responder: any Responder, contentLimit: Int? = nil) {
        current.responder = responder
        if let contentLimit { server.takeContent(upTo: contentLimit) }
    }

    /// Makes a gateway on the loop and answers with it from then on; requests under way finish with the old one. From any thread.
    func replaceGateway(from gateways: Gateways, _ log: Log) {
        loop.submit {
            do {
                self.answer(
                    with: try gateways.responder(on: self.loop, counts: self.counts),
                    contentLimit: gateways.contentLimit)
            } catch {
                log.write(.error, "a worker keeps its old contracts: \(error)")
            }
        }
    }

    /// What the worker and its server have counted; nil where its loop doesn't come to it within `limit`.
    /// - Parameter caller: the loop that asks.
    func figures(within limit: Duration, on caller: EventLoop) async -> WorkerFigures? {
        let reply = Reply<WorkerFigures>()
        let timer = LoopTimer(loop: caller) { reply.give(nil) }
        timer.start(after: limit)
        defer { timer.stop() }
        loop.submit { [server, counts] in
            reply.give(WorkerFigures(exchanges: counts.figures, server: server.counts))
        }
        return await reply.value()
    }

    /// - Returns: the port that was bound.
    func listen(host: String, port: Int) throws(ServerError) -> Int {
        Int(try server.listen(host: host, port: port).port)
    }

    /// Runs the loop on a new thread.
    func start() throws(Thread.StartError) {
        thread = try loop.startThread()
    }

    /// Stops taking connections after `accept`, lets answers under way finish, and calls `done` on the loop when none is left or `limit` has
    /// passed. On the thread that calls ``stop()``.
    func drain(accept: Duration, limit: Duration, _ done: @escaping @Sendable () -> Void) {
        draining = loop.start { [server] in
            await server.drain(grace: accept, limit: limit)
            done()
        }
    }

    /// Resets the connections that are left, ends the loop and waits for its thread, where it was started.
    func stop() {
        guard let thread else { return }
        // A connection and its server hold each other.
        loop.submit { [server] in server.close() }
        // What waits for a timer would wait for ever.
        draining?.cancel()
        loop.stop()
        thread.join()
        self.thread = nil
    }

    /// Hands each request to the responder of the moment, so that new contracts can take the place of old ones. On one loop.
    private final class Current: Responder, @unchecked Sendable {
        var responder: (any Responder)?

        func respond(to request: Request) async throws(GatewayError) -> Response {
            guard let responder else { throw Current.starting }
            return try await responder.respond(to: request)
        }

        func begin(_ request: Request) -> Answering {
            responder?.begin(request) ?? .ready(Response(problem: Current.starting))
        }

        private static let starting = GatewayError(
            source: .gateway, code: "starting", status: .serviceUnavailable, detail: "The gateway is starting.")
    }
}
