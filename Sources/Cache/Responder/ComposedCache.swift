public import HTTP
internal import Synchronization

/// The layer of composed answers over what all workers share. One for each worker.
///
/// It holds nothing that isn't made of kept answers of upstreams alone, and nothing longer than any of them is fresh. What is dropped
/// of them is dropped here too: they have their parts' tags.
public struct ComposedCache: Sendable {
    public typealias Lease = Flights<CacheKey, Landing, GatewayError>.Lease

    /// What a flight brings to those who waited.
    public struct Landing: Sendable {
        public let answer: StoredAnswer
        /// What `Cache-Control` and `Cache-Status` say of it.
        public let directives: String
        public let status: String
        /// Links that were asked for and not followed.
        public let missingParts: Int

        public init(answer: StoredAnswer, directives: String, status: String, missingParts: Int = 0) {
            self.answer = answer
            self.directives = directives
            self.status = status
            self.missingParts = missingParts
        }
    }

    private let shared: SharedCache
    private let host: CacheHost

    public init(_ shared: SharedCache, host: CacheHost) {
        self.shared = shared
        self.host = host
    }

    public var now: Moment { host.clock() }

    // MARK: Reading

    /// The kept answer that fits a request and is fresh; one whose parts were renewed unchanged lives on. Nil where there is none, or where
    /// the client wants a newer one. Without waiting.
    public func find(_ key: CacheKey, for request: Fields, at now: Moment) -> StoredAnswer? {
        let variants = shared.store.variants(of: key)
        guard var answer = variants.last(where: { $0.selection.matches(request) }) else { return nil }
        if answer.freshness(at: now) <= 0 {
            guard let extended = extended(answer, key, at: now) else { return nil }
            answer = extended
        }
        return answer.suits(request, at: now) ? answer : nil
    }

    /// An answer past its life with the lives that its parts have now; nil where one of them is gone, has changed or is stale.
    private func extended(_ answer: StoredAnswer, _ key: CacheKey, at now: Moment) -> StoredAnswer? {
        guard let composition = answer.composition, composition.failure == nil, composition.directives == nil,
            !composition.parts.isEmpty
        else {
            return nil
        }
        var life = Int.max
        var age = 0
        for part in composition.parts {
            guard let current = shared.current(part), current.version == part.version, !current.mustValidate else {
                return nil
            }
            life = min(life, current.freshness(at: now))
            age = max(age, current.milliseconds(at: now))
            if life <= 0 { return nil }
        }
        let extended = answer.recomposed(composition, made: now, age: age, life: life)
        shared.store.apply([Validation.Update(old: answer, new: extended)], to: key)
        return extended
    }

    /// The form in this coding that another request has added to the kept answer since `answer` was taken; nil where none has.
    public func form(_ coding: String, of answer: StoredAnswer, _ key: CacheKey) -> Composition.Form? {
        let same = shared.store.variants(of: key).first {
            $0.selection == answer.selection && $0.fields[.etag] == answer.fields[.etag]
        }
        return same?.form(coding)
    }

    /// Adds a form in another coding to a kept answer.
    public func add(_ form: Composition.Form, to answer: StoredAnswer, _ key: CacheKey) {
        guard var composition = answer.composition else { return }
        composition.forms.append(form)
        shared.store.apply([Validation.Update(old: answer, new: answer.with(composition))], to: key)
    }

    // MARK: Composing

    /// The state of purging, to be taken before the first part is asked for.
    public var mark: UInt64 { shared.purges.load(ordering: .acquiring) }

    /// Counts a look-up, once for each request.
    public func count(_ outcome: CacheCounts.Outcome, _ key: CacheKey) { shared.store.count(outcome, key) }

    /// Keeps an answer, unless something that it is made of was purged or has changed meanwhile.
    @discardableResult
    public func keep(_ answer: StoredAnswer, _ key: CacheKey, since mark: UInt64) -> Bool {
        guard answer.freshness(at: now) > 0, shared.store.insert(answer, for: key) else { return false }
        // Whoever purges counts first and drops then, whoever renews a part keeps first and drops then: one of the two sees the other.
        let isOutdated =
            mark != self.mark
            || (answer.composition?.parts ?? []).contains { part in
                shared.current(part).map { $0.version != part.version } ?? false
            }
        if isOutdated { shared.store.remove(key) }
        return !isOutdated
    }

    /// One flight for all who want the same, like that of an upstream's answer: see ``Flights/enter(_:onWait:)``.
    /// - Parameter deadline: of this client; it waits no longer.
    public func enter(_ key: CacheKey, until deadline: ContinuousClock.Instant) async
        -> Flights<CacheKey, Landing, GatewayError>.Turn
    {
        var alarm: AnyObject?
        let turn = await shared.compositions.enter(key) { waiter in
            alarm = host.alarm(deadline) { waiter.expire() }
        }
        withExtendedLifetime(alarm) {}
        return turn
    }

    /// Whether nobody should wait for this key: what was last composed was nobody else's.
    public func isUnshared(_ key: CacheKey, at now: Moment) -> Bool { shared.unshared.contains(key, at: now) }

    /// Sends those who wait on their own ways, and lets nobody wait for the next one: the answer was one client's alone.
    public func unshare(_ key: CacheKey, _ lease: Lease, at now: Moment) {
        shared.unshared.add(key, at: now)
        lease.disperse()
    }

    public static var crowded: GatewayError { .crowded }
    public static var waitedTooLong: GatewayError { .waitedTooLong }
    public static var givenUp: GatewayError { .givenUp }
}

extension SharedCache {
    /// What is kept now in the place of a part.
    func current(_ part: Composition.Part) -> StoredAnswer? {
        store.variants(of: part.key).first { $0.selection == part.selection }
    }

    /// Keeps an upstream's answer. What was composed of another content in its place is dropped.
    /// - Parameter old: in whose place it is given; goes too.
    func keep(
        _ answer: StoredAnswer, _ key: CacheKey, _ url: CacheURL, replacing old: StoredAnswer? = nil,
        since mark: CacheStore.Mark
    ) -> Bool {
        let isKept = store.insert(answer, for: key, replacing: old, since: mark)
        dropComposed(of: answer, key, url)
        return isKept
    }

    /// Drops what was composed of another content in an answer's place.
    func dropComposed(of answer: StoredAnswer, _ key: CacheKey, _ url: CacheURL) {
        store.remove(tag: url.text) { composed in
            composed.composition?.parts.contains {
                $0.key == key && $0.selection == answer.selection && $0.version != answer.version
            } ?? false
        }
    }
}
