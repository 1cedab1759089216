internal import HTTP

extension SampleImgur {
    /// How many calls are answered before the rest gets 429. All clients are one.
    public struct Limits: Sendable {
        /// Of a day in UTC; an upload costs 10.
        public var client = 12_500
        /// Of an hour, counted from its first call on: 500 and 2,000 were both seen.
        public var user = 2000
        /// Calls by POST, of an hour.
        public var posts = 1250
        /// Uploads that succeed, of an hour; nil for no such limit. The original has one of about 50.
        public var uploads: Int?

        public init() {}
    }
}

/// What was asked of the service in the running day and hour. Time is an argument.
struct ImgurCounts: Sendable {
    enum Limit: Sendable { case client, user, posts }

    private let limits: SampleImgur.Limits
    /// The day in UTC.
    private var day = 0
    private var client = 0
    private var user = Hour()
    private var posts = Hour()
    private var uploads = Hour()

    init(_ limits: SampleImgur.Limits) { self.limits = limits }

    /// Calls of an hour that begins with the first of them.
    private struct Hour: Sendable {
        private var start: Int?
        private(set) var count = 0

        /// Forgets an hour that is over, or hasn't begun by a clock that was set back.
        mutating func move(to now: Int) {
            if let start, (start..<start + 3600).contains(now) { return }
            (start, count) = (nil, 0)
        }

        mutating func add(at now: Int) {
            start = start ?? now
            count += 1
        }

        /// Seconds to its end.
        func rest(at now: Int) -> Int { (start ?? now) + 3600 - now }
    }

    /// Counts a call that a known client made.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - isUpload: whether it costs ten times as much.
    /// - Returns: what it is refused with, and then it isn't counted.
    mutating func call(at now: Int, isPost: Bool, isUpload: Bool) -> SampleImgur.Fault? {
        move(to: now)
        let cost = isUpload ? 10 : 1
        guard client + cost <= limits.client else { return .day429 }
        guard user.count < limits.user else { return .errors429 }
        if isPost, posts.count >= limits.posts { return .many429 }
        if isUpload, let most = limits.uploads, uploads.count >= most { return .fast429 }
        client += cost
        user.add(at: now)
        if isPost { posts.add(at: now) }
        return nil
    }

    /// Counts an upload that went well.
    mutating func uploaded(at now: Int) {
        move(to: now)
        uploads.add(at: now)
    }

    /// Minutes until uploads are taken again, 1 at the least.
    func minutes(at now: Int) -> Int { max(1, (uploads.rest(at: now) + 59) / 60) }

    /// The fields of an answer.
    /// - Parameters:
    ///   - spent: the limit that is shown as used up, whatever is left.
    ///   - isTime: whether a reset is a Unix time, as the service's page has it; else seconds to go, as its answers have it.
    mutating func fields(at now: Int, isPost: Bool, spent: Limit?, isTime: Bool) -> [(FieldName, String)] {
        move(to: now)
        func left(_ limit: Limit, _ most: Int, _ used: Int) -> String {
            String(spent == limit ? 0 : max(0, most - used))
        }
        func reset(_ seconds: Int) -> String { String(isTime ? now + seconds : seconds) }
        var fields: [(FieldName, String)] = [
            ("X-RateLimit-UserLimit", String(limits.user)),
            ("X-RateLimit-UserRemaining", left(.user, limits.user, user.count)),
            ("X-RateLimit-UserReset", reset(user.rest(at: now))),
            ("X-RateLimit-ClientLimit", String(limits.client)),
            ("X-RateLimit-ClientRemaining", left(.client, limits.client, client)),
            ("X-RateLimit-ClientReset", reset((day + 1) * 86_400 - now)),
        ]
        guard isPost else { return fields }
        fields += [
            ("X-Post-Rate-Limit-Limit", String(limits.posts)),
            ("X-Post-Rate-Limit-Remaining", left(.posts, limits.posts, posts.count)),
            ("X-Post-Rate-Limit-Reset", String(posts.rest(at: now))),
        ]
        return fields
    }

    private mutating func move(to now: Int) {
        if now / 86_400 != day { (day, client) = (now / 86_400, 0) }
        user.move(to: now)
        posts.move(to: now)
        uploads.move(to: now)
    }
}
