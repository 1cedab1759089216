internal import CSpawn
internal import Drawing
internal import Glibc

/// The gateway's side of a process that draws one card: starts it, hands it the card, takes the picture and buries it. It blocks its thread, for no
/// longer than the limits say.
struct DrawingChild {
    enum Outcome: Equatable {
        case drawn(Picture)
        /// The process could not be started.
        case notStarted
        /// It took too long and was killed.
        case tooSlow
        /// It ended without a picture: by this signal, or by itself where it is 0.
        case failed(signal: Int32)
    }

    /// The program, and what stands before the arguments of the limits.
    let program: String
    let command: [String]
    let limits: DrawingLimits

    /// - Parameter message: a `CardMessage`.
    func draw(_ message: [UInt8], _ format: PictureFormat) -> Outcome {
        let end = ContinuousClock.now + limits.time
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return .notStarted
        }
        let (near, far) = (ends[0], ends[1])
        defer { close(near) }
        let process = start(on: far)
        close(far)
        guard let process else { return .notStarted }
        let (reply, isInTime) = exchange(message, on: near, until: end)
        // A process that has answered has no more to do.
        kill(process, SIGKILL)
        let signal = DrawingChild.bury(process)
        if let picture = DrawingProcess.picture(reply, format) { return .drawn(picture) }
        return isInTime ? .failed(signal: signal == SIGKILL ? 0 : signal) : .tooSlow
    }

    /// Starts the program with `descriptor` as its standard input and output, no other descriptor, and next to nothing in its environment.
    private func start(on descriptor: CInt) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
        // Its libraries' complaints would be no lines of our log.
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A group of its own: a Ctrl-C at the terminal is for the gateway, which lets answers under way finish.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var process: pid_t = 0
        let error = DrawingChild.withStrings([program] + command + limits.arguments) { arguments in
            DrawingChild.withStrings(DrawingChild.environment) { environment in
                posix_spawn(&process, program, &actions, &attributes, arguments, environment)
            }
        }
        return error == 0 ? process : nil
    }

    /// Sends `message`, then reads to the end. False where that wasn't done by `end`.
    private func exchange(
        _ message: [UInt8], on descriptor: CInt, until end: ContinuousClock.Instant
    ) -> (reply: [UInt8], isInTime: Bool) {
        var rest = message[...]
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var watch = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if !rest.isEmpty { watch.events |= Int16(POLLOUT) }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return (reply, false) }
            let ready = poll(&watch, 1, CInt(clamping: Int((left / .milliseconds(1)).rounded(.up))))
            if ready <= 0 { continue }
            if watch.revents & Int16(POLLOUT) != 0, !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
                }
                if count > 0 { rest = rest.dropFirst(count) }
                if rest.isEmpty { shutdown(descriptor, CInt(SHUT_WR)) }
            }
            guard watch.revents & ~Int16(POLLOUT) != 0 else { continue }
            let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return (reply, true) }
            reply.append(contentsOf: buffer[..<count])
            // No card is that large; whoever sends more isn't drawing one.
            if reply.count > DrawingChild.largest { return ([], true) }
        }
    }

    private static let largest = 32 << 20

    /// The signal that ended the process; 0 where it ended by itself.
    private static func bury(_ process: pid_t) -> Int32 {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F
    }

    /// No variable of the gateway's own reaches a process that reads strangers' pictures, but for where fonts are and what sanitizers are told.
    private static let environment: [String] = {
        let passed = [
            "HOME", "XDG_CACHE_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
            "TSAN_OPTIONS",
        ]
        return ["LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]
            + passed.compactMap { name in getenv(name).map { name + "=" + String(cString: $0) } }
    }()

    /// Calls `body` with C strings that end with a null pointer.
    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
