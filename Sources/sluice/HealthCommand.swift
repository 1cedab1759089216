internal import Glibc
internal import Parameters

/// `sluice health`: one request to a running gateway's `/healthz`, for a container's HEALTHCHECK.
struct HealthCommand {
    let settings: Settings
    init(_ settings: Settings) { self.settings = settings }

    func run() -> Int32 {
        // An address that stands for all is asked on loopback.
        let host = ["0.0.0.0", "::", ""].contains(settings.host) ? "127.0.0.1" : settings.host
        guard let answer = HealthCommand.ask(host: host, port: settings.port) else {
            Terminal.error("sluice health: nothing answers at \(host):\(settings.port).\n")
            return Tool.Exit.failure
        }
        guard answer.hasPrefix("HTTP/1.1 200 ") else {
            Terminal.error("sluice health: \(host):\(settings.port) is not healthy.\n")
            return Tool.Exit.failure
        }
        Terminal.out("healthy\n")
        return Tool.Exit.success
    }

    /// The answer's beginning, or nil where there is none within 2 seconds.
    private static func ask(host: String, port: Int) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found else { return nil }
        defer { freeaddrinfo(found) }
        let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        guard connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else { return nil }
        Terminal.write(Array("GET /healthz HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n\r\n".utf8), to: descriptor)
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(descriptor, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
