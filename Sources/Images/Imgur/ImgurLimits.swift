internal import HTTP

/// One of Imgur's limits, as its last answer told it.
public struct ImgurLimit: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// All requests with our client id in a day.
        case client
        /// All requests from our address in an hour.
        case user
        /// Uploads from our address in an hour.
        case post
    }

    public var kind: Kind
    /// Requests in a window, and what is left of them; nil where Imgur didn't say.
    public var limit: Int?
    public var remaining: Int
    /// Seconds since 1970.
    public var resets: Int
}

/// What is left of Imgur's limits: read from its answers, shown to clients, and heeded before a request is made.
struct ImgurLimits: Sendable {
    private(set) var all: [ImgurLimit.Kind: ImgurLimit] = [:]

    private static let hour = 3600
    /// In seconds; no wait is longer.
    static let day = 86_400

    /// Reads what an answer tells.
    /// - Parameter now: seconds since 1970.
    mutating func read(_ fields: Fields, at now: Int) {
        read(fields, .client, "X-RateLimit-ClientLimit", "X-RateLimit-ClientRemaining", "X-RateLimit-ClientReset", now)
        read(fields, .user, "X-RateLimit-UserLimit", "X-RateLimit-UserRemaining", "X-RateLimit-UserReset", now)
        read(
            fields, .post, "X-Post-Rate-Limit-Limit", "X-Post-Rate-Limit-Remaining", "X-Post-Rate-Limit-Reset", now)
    }

    private mutating func read(
        _ fields: Fields, _ kind: ImgurLimit.Kind, _ limit: FieldName, _ remaining: FieldName, _ reset: FieldName,
        _ now: Int
    ) {
        func number(_ name: FieldName) -> Int? { fields[name].flatMap { ASCII.decimal(ASCII.trimmed($0[...]).utf8) } }
        guard let left = number(remaining) else { return }
        let longest = kind == .client ? ImgurLimits.day : ImgurLimits.hour
        var resets = ImgurLimits.defaultReset(kind, at: now)
        if let told = number(reset) {
            // Below this it is no date of this century: it is seconds to go.
            let date = told < 1_000_000_000 ? now + told : told
            resets = min(max(date, now), now + longest)
        }
        all[kind] = ImgurLimit(kind: kind, limit: number(limit), remaining: left, resets: resets)
    }

    /// Where Imgur says no time: the day's end in UTC, or an hour.
    private static func defaultReset(_ kind: ImgurLimit.Kind, at now: Int) -> Int {
        kind == .client ? (now / day + 1) * day : now + hour
    }

    /// Notes that Imgur refused a request for a limit, whatever its fields said.
    mutating func refused(_ failure: ImgurFailure, isUpload: Bool, at now: Int) {
        let kind: ImgurLimit.Kind
        var resets: Int
        switch failure {
        case .dayIsSpent:
            kind = .client
            resets = ImgurLimits.defaultReset(.client, at: now)
        case .limited(let seconds):
            // Fields of this answer may have said already which limit it was.
            if seconds == nil, refusal(isUpload: isUpload, at: now) != nil { return }
            kind = isUpload ? .post : .user
            resets = now + min(seconds ?? ImgurLimits.pause, ImgurLimits.day)
        default: return
        }
        if let known = all[kind], known.remaining == 0 { resets = max(resets, known.resets) }
        all[kind] = ImgurLimit(kind: kind, limit: all[kind]?.limit, remaining: 0, resets: resets)
    }

    /// How long nothing is asked after a refusal that says no time.
    private static let pause = 60

    /// How many seconds to wait; nil where a request may be made.
    func refusal(isUpload: Bool, at now: Int) -> Int? {
        let kinds: [ImgurLimit.Kind] = isUpload ? [.client, .user, .post] : [.client, .user]
        return kinds.compactMap { all[$0] }.filter { $0.remaining == 0 && $0.resets > now }.map { $0.resets - now }
            .max()
    }

    /// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): what of each limit is left, and when it is renewed.
    func write(to fields: inout Fields, at now: Int) {
        let known = ImgurLimit.Kind.allCases.compactMap { all[$0] }.filter { $0.resets > now }
        guard !known.isEmpty else { return }
        let items = known.map { "\"imgur-\($0.kind.rawValue)\";r=\($0.remaining);t=\($0.resets - now)" }
        fields.set("RateLimit", items.joined(separator: ", "))
        let policies = known.compactMap { limit in
            limit.limit.map {
                "\"imgur-\(limit.kind.rawValue)\";q=\($0);w=\(limit.kind == .client ? ImgurLimits.day : ImgurLimits.hour)"
            }
        }
        if !policies.isEmpty { fields.set("RateLimit-Policy", policies.joined(separator: ", ")) }
    }
}
