internal import Cache
internal import HTTP
internal import Plan

/// How long an answer stays good (RFC 9111, section 4.2), as far as its upstream and the contract say.
struct Freshness: Sendable, Equatable {
    /// Seconds from now on, below zero for an answer that is stale; nil where nobody said.
    var seconds: Int?
    /// Seconds after that in which it may still be used while it is fetched again, or where that fails (RFC 5861); nil where nobody said.
    var staleWhileRevalidate: Int?
    var staleIfError: Int?
    /// Whether it must not be kept by anybody else.
    var isForbidden = false
    /// Whether each client has to have an answer of its own (`no-cache`), so that nobody may wait for another's.
    var isForOneRequest = false
    /// Of the oldest part, in seconds since its origin made it.
    var age = 0
    /// Nil where nothing is kept here.
    var origin: Provenance?

    /// Of an answer that nothing went into yet.
    init() {
        seconds = .max
        staleWhileRevalidate = .max
        staleIfError = .max
    }

    /// Of an answer that came through a cache of ours.
    init(_ answer: CachingResponder.Answer, policy: CachePolicy?, now: Moment) {
        self.init(
            answer.stored?.stated(at: now) ?? StatedLife(answer.response.fields, now: now.seconds), policy: policy)
        let origin = Provenance(answer.status)
        self.origin = origin
        if let ttl = origin.ttl { seconds = min(seconds ?? .max, ttl) }
    }

    /// From an upstream's fields; `policy` counts where they say nothing, or wins where it says so.
    /// - Parameter now: seconds since 1970.
    init(_ fields: Fields, policy: CachePolicy?, now: Int) {
        self.init(StatedLife(fields, now: now), policy: policy)
    }

    private init(_ stated: StatedLife, policy: CachePolicy?) {
        let directives = stated.directives
        let own = policy?.ttl.map { min(Int($0.components.seconds), Freshness.longest) }
        let isOverridden = policy?.override == true && own != nil
        age = stated.age
        isForbidden = stated.isForOne
        var life = own
        if !isOverridden {
            if directives.noStore || directives.isPrivate || !directives.privateFields.isEmpty { isForbidden = true }
            let mustAsk = directives.noCache || !directives.noCacheFields.isEmpty
            isForOneRequest = directives.noCache
            life = mustAsk ? 0 : stated.seconds ?? own
        }
        seconds = life.map { $0 - age }
        if isOverridden || !stated.isDirected {
            staleWhileRevalidate = policy?.staleWhileRevalidate.map { Int($0.components.seconds) }
            staleIfError = policy?.staleIfError.map { Int($0.components.seconds) }
        } else {
            staleWhileRevalidate = directives.staleWhileRevalidate
            staleIfError = directives.staleIfError
        }
    }

    /// 68 years, in seconds: no life is longer.
    private static let longest = 1 << 31

    /// What holds for both together: the shorter life, the stricter rule. Where one says nothing, nothing is promised.
    mutating func combine(_ other: Freshness) {
        isForbidden = isForbidden || other.isForbidden
        isForOneRequest = isForOneRequest || other.isForOneRequest
        seconds = Freshness.shorter(seconds, other.seconds)
        staleWhileRevalidate = Freshness.shorter(staleWhileRevalidate, other.staleWhileRevalidate)
        staleIfError = Freshness.shorter(staleIfError, other.staleIfError)
        age = max(age, other.age)
        if let other = other.origin {
            if origin == nil { origin = other } else { origin?.combine(other) }
        }
    }

    private static func shorter(_ one: Int?, _ other: Int?) -> Int? {
        guard let one, let other else { return nil }
        return min(one, other)
    }

    /// The value of `Cache-Control`, for an answer whose `Age` is ``age``: lives are counted from when a part came.
    var directives: String {
        if isForbidden { return "no-store" }
        guard let left = seconds else { return "no-cache" }
        let (sum, isOver) = left.addingReportingOverflow(age)
        let seconds = isOver ? left : max(0, sum)
        return "max-age=\(min(seconds, Freshness.year))" + grace
    }

    /// Whether those who asked meanwhile may have the answer too.
    var isForAll: Bool { !isForbidden && !isForOneRequest }

    /// A year is the most that anybody keeps anything.
    private static let year = 31_536_000

    /// What follows `max-age` in ``directives``: how long a stale answer may still be used.
    var grace: String {
        [("stale-while-revalidate", staleWhileRevalidate ?? 0), ("stale-if-error", staleIfError ?? 0)]
            .filter { $0.1 > 0 }.map { ", \($0.0)=\(min($0.1, Freshness.year))" }.joined()
    }
}
