public import HTTP

/// What is known of one exchange when its answer is made: for the log, metrics and `Server-Timing`. It never holds a query,
/// a parameter's value or a credential. Used on one loop only.
public final class ExchangeRecord: @unchecked Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// The client's own `X-Request-Id` where it is 1–64 letters, digits, `.`, `_` or `-`; else a new one.
    public let id: String
    public let method: Method
    /// The path template of the route, or nil where none was found.
    public internal(set) var route: String?
    public internal(set) var status: Status = .ok
    /// The code of the error that was answered.
    public internal(set) var failure: String?
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

    private static func newID() -> String {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}

/// A duration in milliseconds with one digit behind the point.
private func milliseconds(_ duration: Duration) -> String {
    let parts = duration.components
    let tenths = parts.seconds * 10_000 + parts.attoseconds / 100_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
}
