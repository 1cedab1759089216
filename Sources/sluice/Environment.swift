internal import Glibc

/// What the process was started with.
enum Environment {
    /// Every variable; where one is set twice the first counts, as with getenv(3).
    static func current() -> [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let pointer = entry.pointee {
            let text = String(cString: pointer)
            if let equals = text.firstIndex(of: "=") {
                let name = String(text[..<equals])
                if variables[name] == nil { variables[name] = String(text[text.index(after: equals)...]) }
            }
            entry += 1
        }
        return variables
    }
}

/// The three standard streams.
enum Terminal {
    static func out(_ text: String) { out(Array(text.utf8)) }
    static func error(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }

    /// Ends the program where what it has to say can't be written: nobody should take half of it for all.
    static func out(_ bytes: [UInt8]) {
        guard !write(bytes, to: STDOUT_FILENO) else { return }
        error("sluice: the output can't be written: \(String(cString: strerror(errno)))\n")
        exit(Tool.Exit.failure)
    }

    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes as much as is taken without waiting: pipe(7) promises room for PIPE_BUF bytes where poll(2) says that there is some.
    /// - Returns: how many bytes that was; all of them where nobody will ever read them.
    static func writeNow(_ bytes: [UInt8], to descriptor: CInt) -> Int {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&state, 1, 0) > 0 else { return written }
                let piece = min(buffer.count - written, Int(PIPE_BUF))
                let count = Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, piece)
                if count > 0 {
                    written += count
                } else if errno == EAGAIN {
                    return written
                } else if errno != EINTR {
                    return buffer.count
                }
            }
            return written
        }
    }

    /// Writes everything, or as much as the other side takes before it goes away.
    /// - Returns: whether it was everything.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
                if count > 0 {
                    written += count
                } else if errno == EAGAIN {
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&waiting, 1, -1)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}
