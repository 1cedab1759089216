internal import Cache
public import HTTP
internal import Synchronization

/// What is known of one exchange when its answer is made: for the log, metrics and `Server-Timing`. It never holds a query or a
/// credential, and a parameter's value nowhere but in ``path``. Used on one loop only.
public final class ExchangeRecord: @unchecked Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// The client's own `X-Request-Id` where it is 1–64 letters, digits, `.`, `_` or `-`; else a new one.
    public let id: String
    public let method: Method
    /// The path template of the route, or nil where none was found.
    public internal(set) var route: String?
    /// The path as it was sent, of a plain mirror's exchanges alone: they have no route, and no credential of ours goes along. Nil for others.
    public internal(set) var path: String?
    /// What the cache did, in one word (``CacheStatus/word(of:)``); nil where it had nothing to do with the answer.
    public var cache: String? { cacheStatus.flatMap(CacheStatus.word) }
    private var cacheStatus: String?
    public internal(set) var status: Status = .ok
    /// The code of the error that was answered.
    public internal(set) var failure: String?
    /// The status of an error that an answer ended with whose head said otherwise.
    public private(set) var lateStatus: Status?
    /// Upstream requests made, and links that were asked for and not fetched.
    public internal(set) var calls = 0
    public internal(set) var missingParts = 0
    /// From the request's head to the whole answer, and the part of it up to the last upstream answer.
    public private(set) var total: Duration = .zero
    public internal(set) var upstream: Duration = .zero
    let started: Instant
    /// Whose client key came with the request.
    var owner: String?
    /// The origin of the page that asks, where that matters.
    var origin: String?
    /// Whether the answer is for this client alone.
    var isPersonal = false

    init(_ request: Request, started: Instant) {
        id = request.fields[.requestID].flatMap(ExchangeRecord.accepted) ?? ExchangeRecord.newID()
        method = request.method
        self.started = started
    }

    /// Notes what was answered, and when.
    func end(_ response: Response) {
        total = started.duration(to: .now)
        status = response.status
        cacheStatus = response.fields.values(.cacheStatus).last
    }

    /// Notes how the work behind a streamed answer ended.
    func end(_ error: GatewayError?) {
        total = started.duration(to: .now)
        failure = error?.code
        lateStatus = error?.status
    }

    /// Puts the fields that every answer carries.
    /// - Parameter isMirrored: the upstream's own stay.
    func finish(_ response: inout Response, isMirrored: Bool = false) {
        end(response)
        if !isMirrored || !response.fields.contains(.requestID) { response.fields.set(.requestID, id) }
        var timing = "total;dur=\(milliseconds(total))"
        if calls > 0 {
            timing =
                "upstream;dur=\(milliseconds(upstream));desc=\"\(calls) \(calls == 1 ? "request" : "requests")\", "
                + timing
        }
        if !isMirrored { response.fields.remove(.serverTiming) }
        response.fields.append(.serverTiming, timing)
    }

    private static func accepted(_ id: String) -> String? {
        let good = id.utf8.allSatisfy { byte in
            ASCII.isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2E || byte == 0x5F || byte == 0x2D
        }
        return good && (1...64).contains(id.utf8.count) ? id : nil
    }

    /// 16 hexadecimal digits: a number that counts on from a random one, spread over all 64 bits as SplitMix64 does it, which gives none
    /// twice. A random one for each exchange would cost a call of the kernel.
    private static func newID() -> String {
        var number = lastID.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        return String(unsafeUninitializedCapacity: 16) { digits in
            for place in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15
                digits[place] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
            }
            return 16
        }
    }

    private static let lastID = Atomic<UInt64>(.random(in: .min ... .max))
}

/// A duration in milliseconds with one digit behind the point.
private func milliseconds(_ duration: Duration) -> String {
    let parts = duration.components
    let tenths = parts.seconds * 10_000 + parts.attoseconds / 100_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
}
