internal import Glibc
internal import Plan

/// Which addresses an upstream's connections may go to.
///
/// Asked with the address that is really dialled, so a name that resolves to something else a moment later gains nothing. Public
/// addresses are open; everything else (loopback, private, link-local, shared, multicast, documentation, and the forms that
/// wrap an IPv4 address) needs the operator's word: the base URL names that very address, or says `localhost`, or `networks`
/// holds it.
struct AddressFilter: Sendable {
    /// The address that stands in the base URL, in network order.
    private let literal: [UInt8]?
    private let isLocalhost: Bool
    private let networks: [Network]

    /// - Parameter host: the base URL's host, in lower case; an IPv6 address in its brackets.
    init(host: String, networks: [Network]) {
        literal = Self.literal(host)
        isLocalhost = host == "localhost"
        self.networks = networks
    }

    /// - Parameter address: 4 or 16 bytes in network order; anything else is refused.
    func allows(_ address: [UInt8]) -> Bool {
        if Self.isPublic(address) || address == literal { return true }
        if isLocalhost, Self.isLoopback(address) { return true }
        return networks.contains {
            $0.address.count == address.count && Self.holds($0.address, $0.prefix, address)
        }
    }

    /// Whether anybody on the internet may have this address (the IANA special-purpose registries).
    static func isPublic(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4: !closed4.contains { holds($0.0, $0.1, address) }
        // Global unicast is 2000::/3; 64:ff9b::/96 (NAT64), ::ffff:0:0/96 and all the rest lie outside.
        case 16: holds([0x20], 3, address) && !closed6.contains { holds($0.0, $0.1, address) }
        default: false
        }
    }

    static func isLoopback(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4: address[0] == 127
        case 16: address.last == 1 && address.dropLast().allSatisfy { $0 == 0 }
        default: false
        }
    }

    /// Whether the first `prefix` bits of `address` are those of `network`; the bytes that `network` leaves out are zero.
    private static func holds(_ network: [UInt8], _ prefix: Int, _ address: [UInt8]) -> Bool {
        guard prefix >= 0, prefix <= address.count * 8 else { return false }
        for (index, byte) in address.enumerated() {
            let bits = min(8, max(0, prefix - index * 8))
            if bits == 0 { return true }
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            let wanted = index < network.count ? network[index] : 0
            if (byte ^ wanted) & mask != 0 { return false }
        }
        return true
    }

    private static let closed4: [([UInt8], Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 4), ([240], 4),
        // The metadata service of one cloud stands on a public address.
        ([168, 63, 129, 16], 32),
    ]

    private static let closed6: [([UInt8], Int)] = [
        ([0x20, 0x01], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF], 20),
    ]

    private static func literal(_ host: String) -> [UInt8]? {
        let text = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        var bytes4 = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &bytes4) == 1 { return bytes4 }
        var bytes6 = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &bytes6) == 1 ? bytes6 : nil
    }
}

extension AddressFilter {
    /// The bytes of an IPv4 or IPv6 socket address; nil for another family or too short a one.
    static func bytes(of address: UnsafeRawPointer, length: Int) -> [UInt8]? {
        guard length >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }
}
