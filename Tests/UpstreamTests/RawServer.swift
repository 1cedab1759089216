import Glibc
internal import Threads

/// A server on loopback that says exactly what a test wants it to, on blocking sockets with a thread for each connection.
final class RawServer: Sendable {
    /// One accepted connection. Sending works from any thread, also between requests.
    final class Connection: Sendable {
        private let descriptor: Int32
        private let input = Locked<[UInt8]>([])

        fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        func send(_ bytes: [UInt8]) {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }

        func send(_ text: String) { send(Array(text.utf8)) }

        /// The next bytes; nil at the end.
        func receive() -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? Array(bytes.prefix(count)) : nil
        }

        /// Whether the client sends something, or has ended the connection, within so many milliseconds.
        func isReadable(within milliseconds: Int32) -> Bool {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, milliseconds) > 0
        }

        /// A request's head; nil where the client ended the connection. What follows it stays for ``receiveContent(until:)``.
        func receiveHead() -> String? {
            while true {
                let head: String? = input.withLock { input in
                    guard let end = input.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
                    let head = String(decoding: input[..<end.upperBound], as: UTF8.self)
                    input.removeSubrange(..<end.upperBound)
                    return head
                }
                if let head { return head }
                guard let more = receive() else { return nil }
                input.withLock { $0 += more }
            }
        }

        /// What follows a head, up to and with `ending`.
        func receiveContent(until ending: String) -> String? {
            while true {
                let text = input.withLock { String(decoding: $0, as: UTF8.self) }
                if text.hasSuffix(ending) { return text }
                guard let more = receive() else { return nil }
                input.withLock { $0 += more }
            }
        }

        /// Ends the connection; the client finds its end.
        func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        /// Ends the connection with a reset.
        func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            // The descriptor stays ours; connecting it to nothing sends the reset.
            var nothing = sockaddr(
                sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            connect(descriptor, &nothing, socklen_t(MemoryLayout<sockaddr>.size))
        }
    }

    private struct State: Sendable {
        var connections: [Connection] = []
        var heads: [String] = []
        /// Whether the listener's descriptor still is ours: after its close(2) another test's socket may have the number.
        var isListening = true
    }

    let port: Int
    private let listener: Int32
    private let state = Locked(State())
    private let serve: @Sendable (Connection) -> Void

    /// - Parameter serve: called on a thread of its own for each connection, which ends when it returns.
    init(_ serve: @escaping @Sendable (Connection) -> Void) {
        self.serve = serve
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0 && listen(listener, 128) == 0, "no listener")
                getsockname(listener, $0, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Self.thread { [self] in accept() }
    }

    /// Answers each request with what `answer` gives for its head, on connections that stay open.
    convenience init(answer: @escaping @Sendable (_ head: String) -> String) {
        self.init { connection in
            while let head = connection.receiveHead() { connection.send(answer(head)) }
        }
    }

    var connections: [Connection] { state.withLock { $0.connections } }

    /// Refuses connections from now on.
    func stop() {
        state.withLock { if $0.isListening { shutdown(listener, Int32(SHUT_RDWR)) } }
    }

    private func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            let connection = Connection(descriptor)
            state.withLock { $0.connections.append(connection) }
            Self.thread { [serve] in
                serve(connection)
                connection.end()
            }
        }
        state.withLock {
            $0.isListening = false
            close(listener)
        }
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        guard let thread = try? Thread.start(body) else { preconditionFailure("no thread") }
        thread.detach()
    }
}

/// An answer with `content` and its length.
func ok(_ content: String, _ lines: String = "", status: String = "200 OK") -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(content.utf8.count)\r\n\(lines)\r\n\(content)"
}

/// The first line of a head.
func requestLine(_ head: String) -> String { String(head.split(separator: "\r\n").first ?? "") }
