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
    static func out(_ text: String) { write(Array(text.utf8), to: STDOUT_FILENO) }
    static func out(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }
    static func error(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }

    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes everything, or as much as the other side takes before it goes away.
    static func write(_ bytes: [UInt8], to descriptor: CInt) {
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
                    return
                }
            }
        }
    }
}
