internal import Glibc

/// The sockets that libcurl has open, and the guard of their reuse.
///
/// libcurl 7.88.1 gives a late second answer on a pooled connection to whoever uses that connection next. So before each
/// request on a connection that was used before, its socket has to be quiet: nothing to read, and not at its end.
struct OpenSockets {
    enum Use: Equatable {
        /// It is new or quiet.
        case clean(Int32)
        /// The peer has closed it.
        case ended
        /// It holds bytes that nobody asked for.
        case noisy(Int32)
        /// It isn't one of ours, so nothing can be said about it.
        case unknown
    }

    private struct Entry {
        let descriptor: Int32
        /// Tells it from the next socket with the same descriptor.
        let serial: UInt64
        /// The kernel's own number for the socket, never given twice at a time; 0 where it isn't known.
        let inode: UInt64
        /// 0 until somebody asks.
        var localPort = 0
        var wasUsed = false
        /// A request is on it now.
        var isBusy = false
    }

    private var entries: [Entry] = []
    private var lastSerial: UInt64 = 0

    var count: Int { entries.count }

    /// Whether the descriptor still is a socket of ours. libcurl 7.88.1 closes one that is still connecting without a word, and
    /// another thread may have its number by now.
    func contains(_ descriptor: Int32) -> Bool {
        guard let entry = entries.first(where: { $0.descriptor == descriptor }) else { return false }
        return entry.wasUsed || entry.inode == Self.inode(descriptor)
    }

    mutating func opened(_ descriptor: Int32) {
        lastSerial &+= 1
        entries.append(Entry(descriptor: descriptor, serial: lastSerial, inode: Self.inode(descriptor)))
    }

    mutating func closed(_ descriptor: Int32) { entries.removeAll { $0.descriptor == descriptor } }

    /// A request is about to be sent on the connection with this local port.
    /// - Parameter isSecure: a secure connection may hold a session ticket before its first use, so that isn't looked at.
    mutating func begin(localPort: Int, isSecure: Bool) -> Use {
        var found: Int?
        for index in entries.indices where port(index) == localPort {
            // Two connections to different hosts may have the same local port: each of them has to be quiet.
            if found == nil || !entries[index].isBusy { found = index }
            guard !entries[index].isBusy, entries[index].wasUsed || !isSecure else { continue }
            let descriptor = entries[index].descriptor
            switch Self.peek(descriptor) {
            case .quiet: continue
            case .ended: return .ended
            case .readable: return .noisy(descriptor)
            }
        }
        guard let found else { return .unknown }
        entries[found].isBusy = true
        entries[found].wasUsed = true
        return .clean(entries[found].descriptor)
    }

    /// A request on the connection has ended.
    mutating func end(_ descriptor: Int32) {
        guard let index = entries.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        entries[index].isBusy = false
    }

    /// Names the open socket with this descriptor for as long as it lives.
    func serial(of descriptor: Int32) -> UInt64? { entries.first { $0.descriptor == descriptor }?.serial }

    /// Looks at a socket and takes it out of use: the peer is told, and libcurl closes it when it comes by. Nil where it is gone
    /// or in use.
    func retire(_ serial: UInt64) -> Peek? {
        guard let entry = entries.first(where: { $0.serial == serial }), !entry.isBusy else { return nil }
        let peek = Self.peek(entry.descriptor)
        shutdown(entry.descriptor, Int32(SHUT_RDWR))
        return peek
    }

    private mutating func port(_ index: Int) -> Int {
        if entries[index].localPort == 0 { entries[index].localPort = Self.localPort(entries[index].descriptor) }
        return entries[index].localPort
    }

    enum Peek {
        case quiet
        case ended
        case readable
    }

    /// Looks at a socket without taking anything out.
    static func peek(_ descriptor: Int32) -> Peek {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        if count > 0 { return .readable }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .quiet : .ended
    }

    private static func inode(_ descriptor: Int32) -> UInt64 {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? UInt64(facts.st_ino) : 0
    }

    private static func localPort(_ descriptor: Int32) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return 0 }
        // The port stands in the same place for both families.
        return withUnsafeBytes(of: &address) { Int($0[2]) << 8 | Int($0[3]) }
    }
}
