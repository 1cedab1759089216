internal import Glibc
internal import Loop

/// One connection to a Redis: commands go out in order, and each gets the next reply. Confined to its loop.
final class RedisConnection {
    enum Failure: Error, Equatable {
        case unresolved, unreachable, silent, closed, broken
        /// Its reply to what has to succeed is an error; the first word.
        case error(String)
        /// Its reply to what has to succeed is something else.
        case unexpected
    }
    typealias Answer = (Result<RedisValue, Failure>) -> Void

    private let loop: EventLoop
    private let descriptor: CInt
    private let reader: RedisReader
    private var watch: DescriptorWatch?
    private var timer: LoopTimer?
    private var output: [UInt8] = []
    private var sent = 0
    /// Those that wait for a reply, oldest first, and since when.
    private var waiting: [(since: ContinuousClock.Instant, answer: Answer)] = []
    private var head = 0
    private var isConnected = false
    private var isOpen = true

    /// What comes unasked on a connection that has subscribed.
    var onMessage: ((RedisValue) -> Void)?
    /// The connection has ended; called once.
    var onEnd: ((Failure) -> Void)?

    /// How long a reply may take before the connection is given up.
    static let patience = Duration.seconds(2)
    private static let outputLimit = 64 << 20

    /// Begins to connect. Looking a name up blocks: the loop is one of Redis' own.
    init(loop: EventLoop, _ address: RedisAddress) throws(Failure) {
        self.loop = loop
        guard let reader = RedisReader() else { throw .unreachable }
        self.reader = reader
        descriptor = try RedisConnection.connect(address)
        do {
            watch = try DescriptorWatch(loop: loop, descriptor: descriptor) { [weak self] in self?.ready($0) }
        } catch {
            close(descriptor)
            throw .unreachable
        }
        timer = LoopTimer(loop: loop) { [weak self] in self?.checkTime() }
        timer?.start(after: RedisConnection.patience)
        watch?.watch([.read, .write])
    }

    deinit { shut() }

    private static func connect(_ address: RedisAddress) throws(Failure) -> CInt {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &first) == 0 else { throw .unresolved }
        defer { freeaddrinfo(first) }
        let all = Array(sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { $0 })
        // Another one each time, so that one that is dead doesn't hide one that isn't.
        guard let info = all.randomElement()?.pointee else { throw .unresolved }
        let descriptor = socket(
            info.ai_family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .unreachable }
        var on: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        if Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) != 0, errno != EINPROGRESS {
            close(descriptor)
            throw .unreachable
        }
        return descriptor
    }

    // MARK: Commands

    /// Sends a command; `answer` is called once, with its reply or with why there is none.
    func send(_ words: [[UInt8]], _ answer: @escaping Answer) {
        guard isOpen, output.count - sent < RedisConnection.outputLimit else { return answer(.failure(.closed)) }
        RedisCommand.append(words, to: &output)
        waiting.append((.now, answer))
        if isConnected { flush() }
    }

    /// Ends it; everybody who waits is told.
    func end(_ failure: Failure = .closed) {
        guard isOpen else { return }
        shut()
        let answers = waiting[head...].map(\.answer)
        waiting = []
        head = 0
        for answer in answers { answer(.failure(failure)) }
        let ended = onEnd
        onEnd = nil
        onMessage = nil
        ended?(failure)
    }

    private func shut() {
        guard isOpen else { return }
        isOpen = false
        watch?.cancel()
        timer?.stop()
        close(descriptor)
    }

    // MARK: Events

    private func ready(_ readiness: Readiness) {
        if readiness.contains(.write) {
            if !isConnected {
                var code: CInt = 0
                var size = socklen_t(MemoryLayout<CInt>.size)
                guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
                    return end(.unreachable)
                }
                isConnected = true
            }
            flush()
        }
        if isOpen, readiness.contains(.read) { receive() }
    }

    private func flush() {
        while sent < output.count {
            let count = output.withUnsafeBytes { bytes in
                Glibc.send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                return end(.closed)
            }
        }
        if sent == output.count {
            output.removeAll(keepingCapacity: output.capacity < 1 << 20)
            sent = 0
        }
        watch?.watch(sent < output.count ? [.read, .write] : .read)
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        for _ in 0..<16 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { return end(isConnected ? .closed : .unreachable) }
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN ? () : end(isConnected ? .closed : .unreachable)
            }
            var values: [RedisValue] = []
            let isSound = buffer.withUnsafeBytes { bytes in
                (try? reader.take(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { values.append($0) }) != nil
            }
            guard isSound else { return end(.broken) }
            for value in values where isOpen { take(value) }
            guard isOpen, count == buffer.count else { return }
        }
    }

    private func take(_ value: RedisValue) {
        // On a connection that has subscribed, news come between replies.
        if let onMessage, case .array(let parts) = value, parts.first?.text == "message" { return onMessage(value) }
        guard head < waiting.count else {
            // A reply that nobody asked for: whatever follows would be taken for the answer of something else.
            return end(.broken)
        }
        let answer = waiting[head].answer
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: waiting.capacity < 4096)
            head = 0
        } else if head > 1024 {
            waiting.removeFirst(head)
            head = 0
        }
        answer(.success(value))
    }

    private func checkTime() {
        guard isConnected else { return end(.unreachable) }
        if head < waiting.count, waiting[head].since.duration(to: .now) > RedisConnection.patience {
            return end(.silent)
        }
        timer?.start(after: RedisConnection.patience / 4)
    }
}

extension RedisConnection.Failure {
    /// For people, as the end of a sentence.
    var description: String {
        switch self {
        case .unresolved: "its name has no address"
        case .unreachable: "it can't be reached"
        case .silent: "it doesn't answer"
        case .closed: "it closed the connection"
        case .broken: "it answers what is no Redis protocol"
        case .error(let word): "it answers with an error: \(RedisCounts.known(word))"
        case .unexpected: "it answers what no Redis would"
        }
    }

    /// By which it is counted: a name of ours, or the first word of the error reply.
    var kind: String {
        switch self {
        case .unresolved: "unresolved"
        case .unreachable: "unreachable"
        case .silent: "silent"
        case .closed: "closed"
        case .broken: "broken"
        case .error(let word): RedisCounts.known(word)
        case .unexpected: "unexpected"
        }
    }
}
