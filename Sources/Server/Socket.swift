internal import Glibc

/// Why a socket doesn't listen, with what `errno` said.
struct ListenFailure: Error {
    let reason: ServerError
    /// Whether this machine doesn't have the address, or its family.
    let isForeignAddress: Bool

    init(_ address: RawAddress) {
        let code = errno
        isForeignAddress = code == EADDRNOTAVAIL || code == EAFNOSUPPORT
        reason = .cannotListen(address.text?.description ?? "?", String(cString: strerror(code)))
    }
}

/// Owns one socket: dropping it closes the descriptor.
struct Socket: ~Copyable {
    let descriptor: CInt

    init(owning descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A socket that listens on `address`, shared with the listeners of other workers (`SO_REUSEPORT`). What the accepted ones
    /// inherit is set here once: no delay, a small send buffer, and a limit on bytes that the client doesn't acknowledge.
    static func listening(on address: RawAddress, limits: ServerLimits) throws(ListenFailure) -> Socket {
        let socket = Socket(
            owning: Glibc.socket(
                address.family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue),
                0))
        guard socket.descriptor >= 0 else { throw ListenFailure(address) }
        socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
        socket.set(SOL_SOCKET, SO_REUSEPORT, 1)
        socket.set(SOL_SOCKET, SO_SNDBUF, limits.answerBuffer)
        socket.set(CInt(IPPROTO_TCP), TCP_NODELAY, 1)
        socket.set(CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, limits.stallTime.inMilliseconds)
        if address.family == AF_INET6 {
            // Only the address that means all of them takes IPv4 clients too.
            socket.set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, address.text?.host == "::" ? 0 : 1)
        }
        guard address.withPointer({ bind(socket.descriptor, $0, $1) }) == 0, listen(socket.descriptor, 4096) == 0 else {
            throw ListenFailure(address)
        }
        return socket
    }

    private borrowing func set(_ level: CInt, _ option: CInt, _ value: Int) {
        var value = CInt(clamping: value)
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    /// The address that the socket is bound to.
    borrowing func localAddress() -> SocketAddress? {
        var address = RawAddress()
        guard address.fill({ getsockname(descriptor, $0, $1) }) == 0 else { return nil }
        return address.text
    }

    enum Accepted: ~Copyable {
        case connection(Socket)
        case nobody
        /// Descriptors or memory have run out; with the kernel's words.
        case exhausted(String)
    }

    /// The next client that waits.
    borrowing func accept() -> Accepted {
        while true {
            let client = Glibc.accept(descriptor, nil, nil)
            if client >= 0 {
                _ = fcntl(client, F_SETFL, O_NONBLOCK)
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                return .connection(Socket(owning: client))
            }
            switch errno {
            case EAGAIN: return .nobody
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(String(cString: strerror(errno)))
            // The client has gone again, or the network told of one that never came: accept(2).
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
                ENETUNREACH,
                EPERM, ETIMEDOUT:
                continue
            default: return .nobody
            }
        }
    }

    enum Transfer {
        case bytes(Int)
        /// Not now.
        case blocked
        case failed
    }

    /// Whether there is something to read; it stays there.
    borrowing func hasInput() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Reads into `buffer`; 0 bytes are the client's end.
    borrowing func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .blocked : .failed
        }
    }

    /// Sends what it can of `queue`'s beginning.
    borrowing func send(_ queue: borrowing AnswerQueue) -> Transfer {
        let descriptor = descriptor
        return queue.withFirstPieces { first, second in
            var pieces = (Self.vector(first), Self.vector(second))
            return withUnsafeMutableBytes(of: &pieces) { pieces in
                var message = msghdr()
                message.msg_iov = pieces.bindMemory(to: iovec.self).baseAddress
                message.msg_iovlen = second.isEmpty ? 1 : 2
                while true {
                    let sent = sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
                    if sent >= 0 { return .bytes(sent) }
                    if errno == EINTR { continue }
                    return errno == EAGAIN ? .blocked : .failed
                }
            }
        }
    }

    private static func vector(_ bytes: UnsafeRawBufferPointer) -> iovec {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }

    /// Ends our sending side (FIN).
    borrowing func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Makes the close that follows a reset: what the client hasn't read is dropped, also from the kernel.
    borrowing func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Whether the connection is gone: reset, or closed on both sides. The client's end alone doesn't count.
    borrowing func isGone() -> Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && CInt(state.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
    }

    /// Whether the client hasn't acknowledged all that was sent.
    borrowing func hasUnsentBytes() -> Bool {
        var count: CInt = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 && count > 0
    }
}
