internal import Glibc
public import HTTP
public import Loop

/// An HTTP/1.1 server on one loop: accepts clients, and answers their requests with what its responder says.
///
/// Confined to its loop, like all its connections. Several servers, one for each worker, may listen on the same port: the kernel
/// spreads the clients over them.
public final class Server: @unchecked Sendable {
    let loop: EventLoop
    let responder: any Responder
    private(set) var limits: ServerLimits
    let deadlines: Deadlines
    let names: [String]
    private let log: @Sendable (String) -> Void

    private var listeners: [Listener] = []
    private var connections: [CInt: Connection] = [:]
    private var lastDrop = Moment.now
    private(set) var isDraining = false
    private var drained: CheckedContinuation<Void, Never>?

    /// What every connection of the loop reads into.
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    /// What the connections write answers into, one at a time.
    var answerBuffer: [UInt8] = []
    private var date: (second: Int, line: [UInt8]) = (0, [])
    private var lastLog = Moment(milliseconds: Int.min / 2)
    /// Without what ``counts`` finds out when it is asked.
    var counted = ServerCounts()

    /// - Parameters:
    ///   - names: authorities (`host` or `host:port`) besides its `Host` that a request in the absolute form may name.
    ///   - log: gets a line where the server can't do its work, at most one a second; called on the loop.
    public init(
        loop: EventLoop, responder: any Responder, limits: ServerLimits = ServerLimits(), names: [String] = [],
        log: @escaping @Sendable (String) -> Void
    ) {
        loop.preconditionIsConfined()
        self.loop = loop
        self.responder = responder
        self.limits = limits
        deadlines = Deadlines(limits)
        self.names = names.map { $0.lowercased() }
        self.log = log
    }

    deinit { readBuffer.deallocate() }

    /// Listens on every address of `host`, with `SO_REUSEPORT`. Before the loop runs or on it.
    /// - Parameters:
    ///   - host: a literal (`127.0.0.1`, `::1`, `::` for all) or a name (`localhost`).
    ///   - port: 0 for any free one.
    /// - Returns: the first address, with the port that was got.
    /// - Throws: `ServerError` where an address can't be had. One that this machine doesn't have is left out, where there are others.
    @discardableResult
    public func listen(host: String, port: Int) throws(ServerError) -> SocketAddress {
        loop.preconditionIsConfined()
        var first: SocketAddress?
        var failure = ServerError.unknownHost(host, "no address")
        for address in try RawAddress.resolve(host, port) {
            do throws(ListenFailure) {
                let bound = try listen(on: first.map { address.withPort($0.port) } ?? address)
                first = first ?? bound
            } catch {
                failure = error.reason
                guard error.isForeignAddress else { throw error.reason }
            }
        }
        guard let first else { throw failure }
        return first
    }

    private func listen(on address: RawAddress) throws(ListenFailure) -> SocketAddress {
        let socket = try Socket.listening(on: address, limits: limits)
        guard let bound = socket.localAddress() else { throw ListenFailure(address) }
        do throws(EventLoopError) {
            listeners.append(try Listener(server: self, socket: socket, address: bound))
        } catch {
            throw ListenFailure(address)
        }
        return bound
    }

    /// Takes so many bytes of content from the connections that begin from now on. On the loop, or before it runs.
    public func takeContent(upTo limit: Int) {
        loop.preconditionIsConfined()
        limits.request.content = limit
    }

    /// The connections that are open.
    public var connectionCount: Int {
        loop.preconditionIsConfined()
        return connections.count
    }

    /// What it has done so far, and what it is at.
    public var counts: ServerCounts {
        loop.preconditionIsConfined()
        var counts = counted
        counts.connections = connections.count
        counts.requestsInFlight = connections.values.reduce(0) { $0 + ($1.isAtWork ? 1 : 0) }
        return counts
    }

    // MARK: Connections

    var hasRoom: Bool { connections.count < limits.connections }

    /// Takes places from those who have waited longest for a request to begin, where all are taken.
    /// - Returns: whether one more client can be taken.
    func makeRoom() -> Bool {
        if !hasRoom { dropIdle() }
        return hasRoom
    }

    /// Closes some connections that nobody has used for a while. It looks at all of them, so not for each client.
    private func dropIdle() {
        let now = Moment.now
        guard now.elapsed(since: lastDrop) >= Self.dropInterval else { return }
        lastDrop = now
        let leastIdle = limits.leastIdle.inMilliseconds
        let idle = connections.values.compactMap { connection in connection.idleSince.map { (connection, since: $0) } }
            .filter { now >= $0.since + leastIdle }
            .sorted { $0.since < $1.since }
        for (connection, _) in idle.prefix(max(1, limits.connections / 8)) { connection.dropIfIdle() }
    }

    /// In milliseconds.
    private static let dropInterval = 100

    func clientArrived(_ socket: consuming Socket) {
        let descriptor = socket.descriptor
        counted.accepted += 1
        do throws(EventLoopError) {
            connections[descriptor] = try Connection(server: self, socket: socket, now: .now)
        } catch {
            logRarely("cannot watch a client")
        }
    }

    func connectionClosed(_ descriptor: CInt) {
        connections[descriptor] = nil
        for listener in listeners { listener.resume() }
        if connections.isEmpty { allClosed() }
    }

    /// The line `Date: …` with its CRLF, made once a second.
    func dateLine() -> [UInt8] {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        if now.tv_sec != date.second || date.line.isEmpty {
            date = (now.tv_sec, Array("Date: \(HTTPDate.text(now.tv_sec))\r\n".utf8))
        }
        return date.line
    }

    /// At most one line a second.
    func logRarely(_ line: String) {
        let now = Moment.now
        guard now.elapsed(since: lastLog) >= 1000 else { return }
        lastLog = now
        log(line)
    }

    // MARK: End

    /// Ends the server without losing a request: goes on accepting for `grace`, while every answer tells its client to close; then
    /// closes the listeners and the idle connections, and waits for those at work until `limit` is over; those that are left then
    /// are reset. On the loop.
    /// - Parameter limit: counted from the call.
    public func drain(grace: Duration = .seconds(1), limit: Duration = .seconds(25)) async {
        loop.preconditionIsOnLoop()
        isDraining = true
        let start = ContinuousClock.now
        try? await loop.sleep(for: grace)
        // Closing a listener resets the clients that wait in its queue.
        for listener in listeners { listener.acceptAll() }
        listeners = []
        closeIdle(alsoFirst: false)
        // Whoever has just come is about to send a request.
        let lateCheck = LoopTimer(loop: loop) { [unowned self] in self.closeIdle(alsoFirst: true) }
        lateCheck.start(after: grace)
        let end = LoopTimer(loop: loop) { [unowned self] in self.close() }
        end.start(after: start.duration(to: .now) < limit ? limit - start.duration(to: .now) : .zero)
        if !connections.isEmpty { await withCheckedContinuation { drained = $0 } }
        lateCheck.stop()
        end.stop()
    }

    /// Ends the server at once: listeners are closed and connections are reset. On the loop, or after it has ended.
    public func close() {
        loop.preconditionIsConfined()
        listeners = []
        for connection in connections.values { connection.close(reset: true) }
    }

    private func closeIdle(alsoFirst: Bool) {
        for connection in connections.values { connection.closeIfIdle(alsoFirst: alsoFirst) }
    }

    private func allClosed() {
        drained?.resume()
        drained = nil
    }
}
