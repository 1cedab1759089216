internal import Glibc

/// Where a server listens: a numeric address and a port.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// `127.0.0.1` or `::1`.
    public let host: String
    public let port: Int

    /// As a URL has it: `127.0.0.1:8080`, `[::1]:8080`.
    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Why a server doesn't listen.
public enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The host name has no address; with the resolver's words.
    case unknownHost(String, String)
    /// The address can't be had; with the kernel's words.
    case cannotListen(String, String)

    public var description: String {
        switch self {
        case .unknownHost(let host, let reason): "cannot find the address of \(host): \(reason)"
        case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
        }
    }
}

/// An address as the kernel takes it.
struct RawAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    init() {}

    /// Every address of `host`, a literal or a name, without doubles. Blocks while the resolver works.
    static func resolve(_ host: String, _ port: Int) throws(ServerError) -> [RawAddress] {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw .unknownHost(host, String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var all: [RawAddress] = []
        var seen: Set<String> = []
        var next = list
        while let info = next {
            next = info.pointee.ai_next
            guard let address = RawAddress(info.pointee) else { continue }
            if let text = address.text?.description, seen.insert(text).inserted { all.append(address) }
        }
        return all
    }

    private init?(_ info: addrinfo) {
        guard let address = info.ai_addr, info.ai_addrlen <= length, [AF_INET, AF_INET6].contains(info.ai_family) else {
            return nil
        }
        length = info.ai_addrlen
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    var family: CInt { CInt(storage.ss_family) }

    /// With another port, where this one's is 0.
    func withPort(_ port: Int) -> RawAddress {
        var copy = self
        guard let port = UInt16(exactly: port), text?.port == 0 else { return self }
        withUnsafeMutableBytes(of: &copy.storage) { bytes in
            // The port stands at the same place in both families, in network order.
            bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
        }
        return copy
    }

    var text: SocketAddress? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let status = withPointer { address, length in
            getnameinfo(
                address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard status == 0, let number = Int(string(port)) else { return nil }
        return SocketAddress(host: string(host), port: number)
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    mutating func fill(_ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt) -> CInt {
        withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }
}

/// The text before the first NUL.
private func string(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
