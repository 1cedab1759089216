internal import CCurl
internal import Glibc
internal import Loop

/// One libcurl multi handle on one loop: sockets and timeouts go from libcurl to the loop's watches and timer, readiness goes
/// back. Confined to the loop; libcurl's pool of connections lives here.
final class Multi {
    let loop: EventLoop
    private let handle: UnsafeMutableRawPointer
    private var watches: [Int32: Watch] = [:]
    private var timer: LoopTimer?
    /// libcurl asked to be called again at once.
    private var mustKick = false
    private var isInside = false
    private var sockets = OpenSockets()
    /// Those that libcurl is done with, and that are watched.
    let settling: SettlingSockets
    /// A transfer has ended and is out of the handle.
    var onDone: (_ easy: UnsafeMutableRawPointer, _ result: CURLcode) -> Void = { _, _ in }

    private struct Watch {
        let events: DescriptorWatch
        /// Whether libcurl wants to know; a connection in the pool keeps its watch, so that its next use installs nothing.
        var isWanted: Bool
    }

    /// How often libcurl is called again at once before the loop goes on.
    private static let kicksPerTurn = 16

    /// - Parameter connections: connections in use and in the pool, all upstreams together.
    /// - Throws: `Fault.failed` where libcurl has no memory.
    init(loop: EventLoop, connections: Int) throws(Fault) {
        self.loop = loop
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let handle = curl_multi_init() else {
            throw .failed
        }
        self.handle = handle
        settling = SettlingSockets(loop: loop)
        timer = LoopTimer(loop: loop) { [unowned self] in self.kick() }
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, context)
        ccurl_multi_set_socket(handle) { _, descriptor, what, context, _ in
            if let context { Multi.of(context).socketChanged(descriptor, what) }
            return 0
        }
        ccurl_multi_set_pointer(handle, CURLMOPT_TIMERDATA, context)
        ccurl_multi_set_timer(handle) { _, milliseconds, context in
            if let context { Multi.of(context).timerChanged(milliseconds) }
            return 0
        }
        ccurl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, connections)
        ccurl_multi_set_long(handle, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    }

    /// Every transfer must be out before.
    deinit {
        isInside = true
        curl_multi_cleanup(handle)
        for watch in watches.values { watch.events.cancel() }
    }

    static func of(_ context: UnsafeMutableRawPointer) -> Multi {
        Unmanaged<Multi>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: From us to libcurl

    /// Starts a transfer. False where libcurl doesn't take it.
    func add(_ easy: UnsafeMutableRawPointer) -> Bool {
        var isAdded = false
        enter { isAdded = curl_multi_add_handle(handle, easy) == CURLM_OK }
        return isAdded
    }

    /// Takes a transfer out; where it is under way, its connection is closed.
    func remove(_ easy: UnsafeMutableRawPointer) {
        enter { curl_multi_remove_handle(handle, easy) }
    }

    /// Goes on with a transfer whose reading callback has paused it.
    func resume(_ easy: UnsafeMutableRawPointer) {
        enter { curl_easy_pause(easy, CURLPAUSE_CONT) }
    }

    private func kick() { enter { mustKick = true } }

    private func ready(_ descriptor: Int32, _ readiness: Readiness) {
        guard let watch = watches[descriptor] else { return }
        // A connection in the pool: whoever uses it next will look at it.
        guard watch.isWanted else { return watch.events.watch([]) }
        var mask: Int32 = 0
        if readiness.contains(.read) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.write) { mask |= CURL_CSELECT_OUT }
        enter {
            var running: Int32 = 0
            curl_multi_socket_action(handle, descriptor, mask, &running)
        }
    }

    /// Calls libcurl, then again as long as it asks for it, and takes out what has ended. Never entered twice: libcurl's
    /// callbacks only take notes.
    private func enter(_ body: () -> Void) {
        loop.preconditionIsConfined()
        precondition(!isInside, "libcurl was called from one of its own callbacks")
        isInside = true
        body()
        takeDone()
        var rounds = 0
        while mustKick, rounds < Self.kicksPerTurn {
            rounds += 1
            mustKick = false
            var running: Int32 = 0
            curl_multi_socket_action(handle, CURL_SOCKET_TIMEOUT, 0, &running)
            takeDone()
        }
        isInside = false
        if mustKick {
            mustKick = false
            timer?.start(after: .zero)
        }
    }

    private func takeDone() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = ccurl_message_result(message)
            curl_multi_remove_handle(handle, easy)
            onDone(easy, result)
        }
    }

    // MARK: From libcurl to us

    private func timerChanged(_ milliseconds: Int) {
        switch milliseconds {
        case ..<0: timer?.stop()
        case 0: mustKick = true
        default: timer?.start(after: .milliseconds(milliseconds))
        }
    }

    private func socketChanged(_ descriptor: Int32, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            guard sockets.contains(descriptor) else {
                // A resolver's descriptor, or one that was connecting: libcurl closes them without a word.
                watches.removeValue(forKey: descriptor)?.events.cancel()
                sockets.closed(descriptor)
                return
            }
            watches[descriptor]?.isWanted = false
            watches[descriptor]?.events.watch(.read)
            return
        }
        var interest: Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.read) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
        if watches[descriptor] == nil {
            guard
                let events = try? DescriptorWatch(
                    loop: loop, descriptor: descriptor,
                    onReady: { [unowned self] in self.ready(descriptor, $0) })
            else { return }
            watches[descriptor] = Watch(events: events, isWanted: true)
        }
        watches[descriptor]?.isWanted = true
        watches[descriptor]?.events.watch(interest)
    }

    /// libcurl wants a socket.
    /// - Parameter upstream: whose connection it becomes.
    func openSocket(_ address: UnsafePointer<curl_sockaddr>, upstream: Int) -> Int32 {
        let descriptor = socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
        if descriptor >= 0 { sockets.opened(descriptor, upstream: upstream) }
        return descriptor
    }

    /// libcurl is done with a socket.
    func closeSocket(_ descriptor: Int32) -> Int32 {
        watches.removeValue(forKey: descriptor)?.events.cancel()
        if let kept = sockets.closed(descriptor), settling.keep(descriptor, kept) { return 0 }
        return close(descriptor)
    }

    /// A transfer is about to send its request; see ``OpenSockets/begin(localPort:isSecure:)``.
    func begin(localPort: Int, isSecure: Bool) -> OpenSockets.Use {
        sockets.begin(localPort: localPort, isSecure: isSecure)
    }

    func rest(before serial: UInt64) -> Duration { sockets.rest(before: serial) }

    func keep(_ serial: UInt64) { sockets.keep(serial) }

    /// A transfer is done with the connection that it began on; see ``OpenSockets/end(_:isAnswered:)``.
    func end(_ serial: UInt64, isAnswered: Bool) -> Bool { sockets.end(serial, isAnswered: isAnswered) }

    func retireAll(of upstream: Int) { sockets.retireAll(of: upstream) }
}
