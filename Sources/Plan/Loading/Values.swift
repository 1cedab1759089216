internal import Glibc
public import HTTP
internal import Parameters

extension Network {
    /// What a network looks like, for messages.
    static let form = "a network such as 10.0.0.0/8 or fd00::/8"

    /// Reads an address, a slash and the length of the prefix. Nil where the address isn't one, the prefix is too long, or a bit
    /// behind the prefix is set.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let prefix = ASCII.decimal(parts[1].utf8),
            let address = Network.bytes(String(parts[0])),
            prefix <= address.count * 8, Network.isClear(address, behind: prefix)
        else { return nil }
        self.init(address: address, prefix: prefix)
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }

    private static func isClear(_ address: [UInt8], behind prefix: Int) -> Bool {
        address.enumerated().allSatisfy { index, byte in
            let kept = min(8, max(0, prefix - index * 8))
            return kept == 8 || byte & (0xFF >> UInt8(kept)) == 0
        }
    }
}

extension Quantity {
    /// What the life of an answer looks like, for messages.
    static let lifeForm = durationForm + ", up to 365d"

    /// Reads how long an answer is kept.
    static func life(_ text: String) -> Duration? {
        duration(text).flatMap { ParameterTable.lives.contains($0) ? $0 : nil }
    }
}

extension UpstreamPlan.Quota {
    /// What a quota looks like, for messages.
    static let form = "a number and a window such as 10000/day (second, minute, hour or day)"

    /// Reads `10000/day`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = ASCII.decimal(parts[0].utf8), (1...1_000_000_000).contains(count) else {
            return nil
        }
        let seconds: Int
        switch parts[1] {
        case "second": seconds = 1
        case "minute": seconds = 60
        case "hour": seconds = 3600
        case "day": seconds = 86_400
        default: return nil
        }
        self.init(count: count, window: .seconds(seconds))
    }
}

extension FieldName {
    /// Fields that belong to a connection or to the gateway itself; a contract can neither set nor pass them.
    private static let reserved: Set<FieldName> = [
        .host, .connection, .contentLength, .transferEncoding, .te, .trailer, .upgrade, .expect, .acceptEncoding,
        "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", .accept, .ifNoneMatch, .ifModifiedSince, "If-Match",
        "If-Unmodified-Since", "If-Range", "Range",
    ]
    /// Fields whose value is a credential.
    private static let credentials: Set<FieldName> = [
        .authorization, "Cookie", "X-Api-Key", "Api-Key", "X-Auth-Token",
    ]

    var isReserved: Bool { FieldName.reserved.contains(self) }
    public var isCredential: Bool { FieldName.credentials.contains(self) }
}
