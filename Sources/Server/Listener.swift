internal import Loop

/// One listening socket. Confined to its loop.
///
/// Where descriptors have run out, it stops accepting until a connection closes or a pause is over: the clients wait in the
/// kernel's queue meanwhile, and the loop doesn't spin.
final class Listener {
    let address: SocketAddress
    private let socket: Socket
    private unowned let server: Server
    private var watch: DescriptorWatch?
    private lazy var timer = LoopTimer(loop: server.loop) { [unowned self] in self.resume() }
    private var isPaused = false

    /// How many clients are accepted before the connections have their turn.
    private static let clientsInTurn = 64

    init(server: Server, socket: consuming Socket, address: SocketAddress) throws(EventLoopError) {
        self.server = server
        self.address = address
        let descriptor = socket.descriptor
        self.socket = consume socket
        watch = try DescriptorWatch(loop: server.loop, descriptor: descriptor) { [unowned self] _ in
            self.acceptClients()
        }
        watch?.watch(.read)
    }

    /// Accepts those who wait.
    func acceptClients() {
        for turn in 0..<Self.clientsInTurn {
            // Only the first is known to wait: nobody else has to go for one who may not be there.
            guard server.hasRoom || turn == 0 && server.makeRoom() else { return pause(server.limits.acceptPause) }
            switch socket.accept() {
            case .connection(let client): server.clientArrived(client)
            case .nobody: return
            case .exhausted(let reason):
                server.logRarely("cannot accept clients: \(reason)")
                return pause(server.limits.acceptPause)
            }
        }
    }

    /// Accepts everybody who waits, for the listener will be closed.
    func acceptAll() {
        while case .connection(let client) = socket.accept() { server.clientArrived(client) }
    }

    /// Stops accepting for `time`, or until a connection closes.
    private func pause(_ time: Duration) {
        isPaused = true
        watch?.watch([])
        timer.start(after: time)
    }

    /// Goes on after a pause.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        watch?.watch(.read)
    }
}
