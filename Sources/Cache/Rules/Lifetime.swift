internal import HTTP

/// How long an answer is fresh from the moment its origin made it (RFC 9111, section 4.2.1), and on whose word.
public struct Lifetime: Sendable, Equatable {
    public enum Source: Sendable, Equatable {
        /// `s-maxage`, which forbids to give it stale too (RFC 9111, section 5.2.2.10).
        case sharedMaxAge
        case maxAge
        case expires
        /// The contract.
        case contract
        /// Our own rule for 404 and 410.
        case negative
        /// A tenth of the time since the last change.
        case guess
        /// Nobody said, and nothing could be guessed.
        case none
    }

    /// At most 2³¹.
    public var seconds: Int
    public var source: Source

    /// Whether the upstream itself said it.
    public var isExplicit: Bool { source == .sharedMaxAge || source == .maxAge || source == .expires }

    /// - Parameters:
    ///   - date: when the origin made the answer, in seconds since 1970.
    ///   - now: when it came, by which years of two digits are read.
    init(_ status: Status, _ fields: Fields, _ directives: ResponseDirectives, date: Int, now: Int, _ rules: CacheRules)
    {
        let isNegative = status == .notFound || status == .gone
        let said = Lifetime(explicit: fields, directives, date: date, now: now)
        let isGuessable = HeuristicStatus.contains(status) || directives.isPublic
        if isNegative, let limit = rules.negativeLifetime {
            self = said.map { Lifetime(min($0.seconds, limit), $0.source) } ?? Lifetime(limit, .negative)
        } else if rules.overrides, let lifetime = rules.lifetime {
            self = Lifetime(lifetime, .contract)
        } else if let said {
            self = said
        } else if let lifetime = rules.lifetime, isGuessable, status.code < 400 {
            self = Lifetime(lifetime, .contract)
        } else if rules.lifetime == nil, isGuessable, let changed = fields[.lastModified],
            let changed = CacheDate.seconds(changed, now: now), rules.longestGuess > 0
        {
            self = Lifetime(min(DeltaSeconds.difference(date, changed) / 10, rules.longestGuess), .guess)
        } else {
            self = Lifetime(0, .none)
        }
    }

    init(seconds: Int, source: Source) {
        self.seconds = seconds
        self.source = source
    }

    private init(_ seconds: Int, _ source: Source) {
        self.seconds = DeltaSeconds.clamped(seconds)
        self.source = source
    }

    /// What the upstream says; nil where it says nothing. Of several `Expires` the first counts; one that is no date, `0` above all, is
    /// in the past (RFC 9111, section 5.3).
    init?(explicit fields: Fields, _ directives: ResponseDirectives, date: Int, now: Int) {
        if let seconds = directives.sharedMaxAge {
            self = Lifetime(seconds, .sharedMaxAge)
        } else if let seconds = directives.maxAge {
            self = Lifetime(seconds, .maxAge)
        } else if !directives.isTargeted, let expires = fields[.expires] {
            self = Lifetime(
                CacheDate.seconds(expires, now: now).map { DeltaSeconds.difference($0, date) } ?? 0, .expires)
        } else {
            return nil
        }
    }
}

/// Statuses whose answers may be kept without a word about it (RFC 9110, section 15.1), but for 206, of which we keep none.
enum HeuristicStatus {
    static func contains(_ status: Status) -> Bool {
        switch status.code {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}

/// How old an answer is (RFC 9111, section 4.2.3).
enum Age {
    /// `Age` of an answer: of several values the first; what is no number is ignored (RFC 9111, section 5.1).
    static func value(_ fields: Fields) -> Int {
        guard let text = fields[.age] else { return 0 }
        return DeltaSeconds.parse(ASCII.trimmed(text.prefix { $0 != "," })) ?? 0
    }

    /// When the origin made an answer; where `Date` is missing or broken, the moment it came (RFC 9110, section 6.6.1).
    static func date(_ fields: Fields, received: Moment) -> Int {
        fields[.date].flatMap { CacheDate.seconds($0, now: received.seconds) } ?? received.seconds
    }

    /// The answer's age in milliseconds when it came: `corrected_initial_age`.
    static func initial(_ fields: Fields, requested: Moment, received: Moment) -> Int {
        let apparent = DeltaSeconds.difference(received.seconds, date(fields, received: received)) * 1000
        let delay = min(received.milliseconds(since: requested), DeltaSeconds.maximum * 1000)
        return min(max(apparent, value(fields) * 1000 + delay), DeltaSeconds.maximum * 1000)
    }
}
