internal import Glibc
internal import Threads

/// A client that writes raw bytes and reads answers strictly. It blocks, so it has a thread of its own: see ``onThread(_:)``.
final class RawClient {
    enum Trouble: Error, Equatable {
        case cannotConnect
        case cannotSend
        /// Nothing came for ten seconds.
        case silence
        /// The connection ended inside an answer, or before it.
        case ended
        /// What came is no well-formed answer.
        case malformed(String)
    }

    enum End: Equatable {
        case closed
        case reset
    }

    struct Answer: Equatable {
        var status: Int
        var fields: [String]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        /// The value of the only field of this name; nil where there is none.
        subscript(name: String) -> String? {
            let prefix = name.lowercased() + ":"
            let lines = fields.filter { $0.lowercased().hasPrefix(prefix) }
            precondition(lines.count < 2, "\(name) is there twice")
            return lines.first.map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
        }
    }

    let descriptor: CInt
    private var input: [UInt8] = []
    private var start = 0

    /// - Parameter receiveBuffer: bytes that the kernel keeps for us; 0 for its default.
    init(port: Int, receiveBuffer: CInt = 0) throws(Trouble) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var buffer = receiveBuffer
        if buffer > 0 { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<CInt>.size)) }
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw .cannotConnect }
    }

    deinit { close(descriptor) }

    /// Runs `body` on a thread of its own and suspends the caller meanwhile.
    static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            do {
                try Thread.start { continuation.resume(with: Result { try body() }) }.detach()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    // MARK: Sending

    func send(_ text: String) throws(Trouble) {
        try send(Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }))
    }

    func send(_ bytes: [UInt8]) throws(Trouble) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw .cannotSend }
            sent += count
        }
    }

    func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Makes the close at the end a reset.
    func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    // MARK: Reading

    /// The next answer, checked by the rules of RFC 9112. Interim answers are answers too.
    func answer(isHead: Bool = false) throws(Trouble) -> Answer {
        let first = try line()
        let parts = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HTTP/1.1", parts[1].utf8.count == 3, let status = Int(parts[1]) else {
            throw .malformed(first)
        }
        var answer = Answer(status: status, fields: [], body: [])
        while true {
            let line = try line()
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex, !line[..<colon].contains(" ") else {
                throw .malformed(line)
            }
            answer.fields.append(line)
        }
        if status >= 200, answer["Date"] == nil { throw .malformed("no Date") }
        if isHead || status < 200 || status == 204 || status == 304 {
            if status == 204, answer["Content-Length"] != nil { throw .malformed("a length with 204") }
        } else if answer["Transfer-Encoding"] == "chunked" {
            guard answer["Content-Length"] == nil else { throw .malformed("length and coding") }
            answer.body = try chunks()
        } else if let length = answer["Content-Length"].flatMap({ Int($0) }) {
            answer.body = try bytes(length)
        } else {
            guard answer["Connection"] == "close" else { throw .malformed("no length") }
            while try fill() {}
            answer.body = Array(input[start...])
            start = input.count
        }
        return answer
    }

    /// How the connection ends; anything else that comes before is malformed.
    func end() throws(Trouble) -> End {
        guard start == input.count else { throw .malformed("bytes after the last answer") }
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, 0)
        if count == 0 { return .closed }
        guard count < 0 else { throw .malformed("a byte after the last answer: \(byte)") }
        if errno == ECONNRESET { return .reset }
        throw .silence
    }

    /// Waits until the connection is gone without reading what is there; whether it is.
    func waitForReset(milliseconds: CInt) -> Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, milliseconds) > 0
    }

    /// The lines of an answer's head.
    func head() throws(Trouble) -> [String] {
        var lines: [String] = []
        while true {
            let line = try line()
            if line.isEmpty { return lines }
            lines.append(line)
        }
    }

    /// The next chunk of an answer as text; empty for the last one.
    func chunk() throws(Trouble) -> String {
        guard let size = Int(try line(), radix: 16) else { throw .malformed("chunk size") }
        let text = String(decoding: try bytes(size), as: UTF8.self)
        guard try line().isEmpty else { throw .malformed("chunk end") }
        return text
    }

    private func fill() throws(Trouble) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw errno == ECONNRESET ? .ended : .silence }
        input.append(contentsOf: buffer.prefix(count))
        return count > 0
    }

    private func line() throws(Trouble) -> String {
        var scanned = start
        while true {
            while scanned + 1 < input.count {
                if input[scanned] == 0x0D, input[scanned + 1] == 0x0A {
                    defer { start = scanned + 2 }
                    return String(decoding: input[start..<scanned], as: UTF8.self)
                }
                if input[scanned] == 0x0A { throw .malformed("a bare LF") }
                scanned += 1
            }
            guard try fill() else { throw .ended }
        }
    }

    private func bytes(_ count: Int) throws(Trouble) -> [UInt8] {
        while input.count - start < count { guard try fill() else { throw .ended } }
        defer { start += count }
        return Array(input[start..<start + count])
    }

    private func chunks() throws(Trouble) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            guard let size = Int(try line(), radix: 16) else { throw .malformed("chunk size") }
            if size == 0 {
                guard try line().isEmpty else { throw .malformed("a trailer") }
                return all
            }
            all += try bytes(size)
            guard try line().isEmpty else { throw .malformed("chunk end") }
        }
    }
}
