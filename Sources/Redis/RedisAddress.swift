/// Where a Redis is and how it is entered: `redis://[user][:password]@host[:port][/database]`.
public struct RedisAddress: Sendable, CustomStringConvertible, CustomReflectable {
    public let host: String
    public let port: Int
    public let database: Int
    /// Nil where it is the default user's.
    let user: String?
    let password: String?

    /// What is wrong with an address, as a sentence's end; never holds a part of it, since there may be a password in it.
    public struct Mistake: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// - Throws: `Mistake`, with what to do instead.
    public init(_ text: String) throws(Mistake) {
        guard let colon = text.range(of: "://") else { throw Mistake(description: RedisAddress.form) }
        switch text[..<colon.lowerBound].lowercased() {
        case "redis": break
        case "rediss": throw Mistake(description: "rediss:// (TLS) isn't supported: use redis:// through a tunnel")
        case "unix", "redis+unix", "redis+socket", "redis-socket":
            throw Mistake(
                description: "sockets of the file system aren't supported: use redis:// and a port of 127.0.0.1")
        default: throw Mistake(description: RedisAddress.form)
        }
        var rest = text[colon.upperBound...]
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !rest.contains("?"), !rest.contains("#") else {
            throw Mistake(description: RedisAddress.form)
        }
        (user, password) = try RedisAddress.credentials(&rest)
        let place = rest.prefix { $0 != "/" }
        database = try RedisAddress.database(rest.dropFirst(place.count))
        (host, port) = try RedisAddress.place(place)
    }

    private static let form = "expected an address such as redis://:PASSWORD@127.0.0.1:6379/0"

    private static func credentials(_ rest: inout Substring) throws(Mistake) -> (user: String?, password: String?) {
        guard let at = rest.lastIndex(of: "@") else { return (nil, nil) }
        let pair = rest[..<at]
        rest = rest[rest.index(after: at)...]
        let name = pair.prefix { $0 != ":" }
        guard let user = decoded(name), let password = decoded(pair.dropFirst(name.count + 1)), !password.isEmpty else {
            throw Mistake(
                description: "expected a user and password that are percent-encoded, as in redis://USER:PASSWORD@HOST")
        }
        return (user.isEmpty ? nil : user, password)
    }

    private static func database(_ path: Substring) throws(Mistake) -> Int {
        if path.isEmpty || path == "/" { return 0 }
        guard let number = Int(path.dropFirst()), (0...65_535).contains(number),
            path.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw Mistake(description: "expected a database number behind the port, such as /0") }
        return number
    }

    private static func place(_ place: Substring) throws(Mistake) -> (String, Int) {
        var host = place
        var port = 6379
        let closing = place.lastIndex(of: "]")
        if let colon = place.lastIndex(of: ":"), closing.map({ $0 < colon }) ?? true {
            host = place[..<colon]
            guard let number = Int(place[place.index(after: colon)...]), (1...65_535).contains(number) else {
                throw Mistake(description: "expected a port from 1 to 65535")
            }
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 != 0x5B && $0 != 0x5D && $0 != 0x2F }) else {
            throw Mistake(description: form)
        }
        return (String(host), port)
    }

    /// Percent-decoded; nil where that can't be done.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next(), let low = iterator.next(),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Without user and password.
    public var description: String { "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
