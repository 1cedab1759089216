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
        guard let address = TCPAddress.resolve(host, port: port).first else { return nil }
        return address.withSocket { descriptor, use -> String? in
            var limit = timeval(tv_sec: 2, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            guard use({ connect($0, $1, $2) }) == 0 else { return nil }
            let request = "GET /healthz HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n\r\n"
            Terminal.write(Array(request.utf8), to: descriptor)
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = read(descriptor, &buffer, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }.flatMap { $0 }
    }
}
