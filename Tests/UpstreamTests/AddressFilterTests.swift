import Glibc
import Plan
import Testing

@testable import Upstream

private func bytes(_ text: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
    precondition(inet_pton(text.contains(":") ? AF_INET6 : AF_INET, text, &bytes) == 1, text)
    return bytes
}

@Suite("The filter of addresses")
struct AddressFilterTests {
    private static let closed = [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.1.2.3",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255", "168.63.129.16", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1",
        "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
        "3fff::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "4000::1",
    ]
    private static let open = [
        "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "128.0.0.1", "169.253.0.1",
        "172.15.255.255", "172.32.0.0", "192.167.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "168.63.129.17",
        "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "3000::1",
    ]

    @Test("refuses an address that is not public", arguments: closed)
    func refuses(address: String) {
        #expect(!AddressFilter(host: "swapi.test", networks: []).allows(bytes(address)))
    }

    @Test("allows an address that is public", arguments: open)
    func allows(address: String) {
        #expect(AddressFilter(host: "swapi.test", networks: []).allows(bytes(address)))
    }

    @Test("allows the very address that the base URL names", arguments: closed)
    func literal(address: String) {
        let host = address.contains(":") ? "[\(address)]" : address
        let filter = AddressFilter(host: host, networks: [])
        #expect(filter.allows(bytes(address)))
        #expect(!filter.allows(bytes("10.9.8.7")) && !filter.allows(bytes("fd12::1")))
    }

    @Test(
        "takes no other spelling of loopback for an address",
        arguments: ["127.1", "0x7f.1", "2130706433", "localhost."])
    func spellings(host: String) {
        #expect(!AddressFilter(host: host, networks: []).allows(bytes("127.0.0.1")))
    }

    @Test("allows loopback, and nothing else, to localhost")
    func localhost() {
        let filter = AddressFilter(host: "localhost", networks: [])
        #expect(filter.allows(bytes("127.0.0.1")) && filter.allows(bytes("::1")))
        #expect(!filter.allows(bytes("10.0.0.1")) && !filter.allows(bytes("::2")))
    }

    @Test("allows what a network of the contract holds")
    func networks() {
        let filter = AddressFilter(
            host: "films",
            networks: [Network(address: [10, 1, 0, 0], prefix: 20), Network(address: bytes("fd00::"), prefix: 9)])
        #expect(filter.allows(bytes("10.1.15.255")) && !filter.allows(bytes("10.1.16.0")))
        #expect(filter.allows(bytes("fd7f::1")) && !filter.allows(bytes("fd80::1")))
        #expect(!filter.allows(bytes("127.0.0.1")) && !filter.allows(bytes("::ffff:10.1.0.1")))
        #expect(
            AddressFilter(host: "x", networks: [Network(address: [0, 0, 0, 0], prefix: 0)]).allows(bytes("10.0.0.1")))
        #expect(
            !AddressFilter(host: "x", networks: [Network(address: [10, 0, 0, 0], prefix: 99)]).allows(bytes("10.0.0.0"))
        )
    }

    @Test("refuses what is no address")
    func shapes() {
        #expect(!AddressFilter(host: "x", networks: []).allows([]))
        #expect(!AddressFilter(host: "x", networks: []).allows([8, 8, 8]))
    }
}
