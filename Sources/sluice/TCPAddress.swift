internal import Glibc

/// A TCP address of this machine as its resolver gives it.
struct TCPAddress {
    private let family: Int32
    private var storage: [UInt8]

    /// The addresses of `host`, in the resolver's order; empty where it has none.
    static func resolve(_ host: String, port: Int) -> [TCPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { entry in
            guard let info = entry?.pointee, let address = info.ai_addr else { return nil }
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
            return TCPAddress(family: info.ai_family, storage: Array(bytes))
        }
    }

    /// Whether only this machine reaches it. The bytes are those of sockaddr_in and sockaddr_in6: ip(7), ipv6(7).
    var isLoopback: Bool {
        switch family {
        case AF_INET: return storage.count >= 8 && storage[4] == 127
        case AF_INET6:
            guard storage.count >= 24 else { return false }
            let address = storage[8..<24]
            return address.last == 1 && address.dropLast().allSatisfy { $0 == 0 }
        default: return false
        }
    }

    /// Makes a socket, hands it to `body` with the call that uses this address (bind(2) or connect(2)), and closes it.
    func withSocket<Result>(_ body: (CInt, (Call) -> CInt) -> Result) -> Result? {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return body(descriptor) { call in
            storage.withUnsafeBytes { bytes in
                guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return -1 }
                return call(descriptor, address, socklen_t(bytes.count))
            }
        }
    }
    typealias Call = (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt

    /// Whether another program listens here. The gateway's own listeners share their port among the workers (SO_REUSEPORT), which would
    /// also let a second gateway take half of the first one's clients without anybody noticing.
    var isTaken: Bool {
        withSocket { descriptor, use in
            var on: CInt = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
            return use { bind($0, $1, $2) } != 0 && errno == EADDRINUSE
        } ?? false
    }
}

/// A port that another program has.
struct PortTaken: Error, CustomStringConvertible {
    let host: String
    let port: Int
    let flag: String
    var description: String {
        "sluice: port \(port) of \(host) is in use by another program: choose another with \(flag)"
            + (flag == "--port" ? ", or 0 for any free one" : "")
    }

    /// - Parameter flag: what the port was chosen with.
    /// - Throws: where `port`, unless it is 0, is taken on an address of `host`.
    static func check(_ host: String, _ port: Int, flag: String = "--port") throws(PortTaken) {
        guard port != 0, TCPAddress.resolve(host, port: port).contains(where: \.isTaken) else { return }
        throw PortTaken(host: host, port: port, flag: flag)
    }
}
