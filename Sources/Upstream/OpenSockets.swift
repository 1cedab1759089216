internal import Glibc

/// The sockets that libcurl has open, and the guard of their reuse.
///
/// libcurl 7.88.1 gives a late second answer on a pooled connection to whoever uses that connection next. So before each
/// request on a connection that was used before, its socket has to be quiet: nothing to read, and not at its end.
struct OpenSockets {
    enum Use: Equatable {
        /// It is new or quiet.
        /// - Parameter requests: that were begun on it, with this one.
        case clean(serial: UInt64, requests: Int)
        /// The peer has closed it.
        case ended
        /// It holds bytes that nobody asked for.
        case noisy
        /// It isn't one of ours, so nothing can be said about it.
        case unknown
    }

    private struct Entry {
        let descriptor: Int32
        /// Tells it from the next socket with the same descriptor.
        let serial: UInt64
        /// The kernel's own number for the socket, never given twice at a time; 0 where it isn't known.
        let inode: UInt64
        let upstream: Int
        /// 0 until somebody asks.
        var localPort = 0
        var requests = 0
        var lastEnd: ContinuousClock.Instant?
        /// How long no request was on it before the one that is.
        var rest = Duration.zero
        /// A request is on it now.
        var isBusy = false
        /// Nobody uses it after the request that is on it.
        var isRetired = false
        /// Where libcurl is done with it during this request, it is to be watched and not closed.
        var isKept = false
        var wasUsed: Bool { requests > 0 }
    }

    /// A socket that is to be watched.
    struct Kept: Equatable {
        let serial: UInt64
        let upstream: Int
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

    /// - Parameter upstream: whose connection it becomes.
    mutating func opened(_ descriptor: Int32, upstream: Int) {
        lastSerial &+= 1
        entries.append(
            Entry(descriptor: descriptor, serial: lastSerial, inode: Self.inode(descriptor), upstream: upstream))
    }

    /// libcurl is done with a socket. What is returned wants to be watched.
    @discardableResult
    mutating func closed(_ descriptor: Int32) -> Kept? {
        let entry = entries.first { $0.descriptor == descriptor }
        entries.removeAll { $0.descriptor == descriptor }
        return entry.flatMap { $0.isKept ? Kept(serial: $0.serial, upstream: $0.upstream) : nil }
    }

    /// A request is about to be sent on the connection with this local port.
    /// - Parameter isSecure: a secure connection may hold a session ticket before its first use, so that isn't looked at.
    mutating func begin(localPort: Int, isSecure: Bool) -> Use {
        var found: Int?
        for index in entries.indices where port(index) == localPort {
            // Two connections to different hosts may have the same local port: each of them has to be quiet.
            if found == nil || !entries[index].isBusy { found = index }
            guard !entries[index].isBusy, entries[index].wasUsed || !isSecure else { continue }
            switch Self.peek(entries[index].descriptor) {
            case .quiet: continue
            case .ended: return .ended
            case .readable: return .noisy
            }
        }
        guard let found else { return .unknown }
        entries[found].isBusy = true
        entries[found].rest = entries[found].lastEnd.map { $0.duration(to: .now) } ?? .zero
        entries[found].requests += 1
        return .clean(serial: entries[found].serial, requests: entries[found].requests)
    }

    /// How long no request was on the connection before the last one.
    func rest(before serial: UInt64) -> Duration { index(serial).map { entries[$0].rest } ?? .zero }

    /// Where libcurl is done with the connection when its request has ended, the socket is to be watched.
    mutating func keep(_ serial: UInt64) {
        if let index = index(serial) { entries[index].isKept = true }
    }

    /// A request on the connection has ended.
    /// - Parameter isAnswered: with an answer, after which nothing may come. A connection that holds more is taken out of use.
    /// - Returns: whether it holds more.
    mutating func end(_ serial: UInt64, isAnswered: Bool) -> Bool {
        guard let index = index(serial) else { return false }
        entries[index].isBusy = false
        entries[index].lastEnd = .now
        entries[index].isKept = false
        let isNoisy = isAnswered && Self.peek(entries[index].descriptor) == .readable
        if isNoisy || entries[index].isRetired { Self.retire(entries[index].descriptor) }
        return isNoisy
    }

    /// Takes all connections of an upstream out of use; those that a request is on when it has ended.
    mutating func retireAll(of upstream: Int) {
        for index in entries.indices where entries[index].upstream == upstream && entries[index].wasUsed {
            entries[index].isRetired = true
            if !entries[index].isBusy { Self.retire(entries[index].descriptor) }
        }
    }

    /// The peer is told, and libcurl closes the socket when it comes by.
    private static func retire(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func index(_ serial: UInt64) -> Int? { entries.firstIndex { $0.serial == serial } }

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
