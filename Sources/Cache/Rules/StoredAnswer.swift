public import HTTP

/// One answer as it is kept: what the rules need to know about it, worked out once. Immutable, so that any number of threads may hold it;
/// the content is shared and never copied.
public final class StoredAnswer: Sendable {
    public let status: Status
    /// What is given again: without the fields that belong to a connection or that may not be kept, without `Age`, and with a `Date`.
    public let fields: Fields
    public let content: [UInt8]
    /// Which part of the whole the content is; nil where it is all.
    let extent: Extent?
    /// Whether it has a `Vary` that names something.
    let varies: Bool
    public let selection: Selection
    public let directives: ResponseDirectives
    public let lifetime: Lifetime
    /// Words by which it may be dropped together with others.
    public let tags: [String]
    /// When it came, or was last found to be good.
    public let received: Moment
    /// By `Date`, in seconds since 1970: the latest of several that fit is used.
    public let date: Int
    let validators: Validators
    /// In milliseconds, when it came.
    let initialAge: Int
    /// In milliseconds, counted like the age; with the jitter.
    let freshFor: Int
    /// Seconds past its life; nil where it may not be given stale for this cause.
    let staleWhileRevalidate: Int?
    let staleIfError: Int?
    /// Whether anybody may be given it past its life (RFC 9111, section 4.2.4).
    let mayBeStale: Bool
    /// Never given without asking first: `no-cache`, or found to be outdated.
    let mustValidate: Bool
    /// Of an answer that was composed here; nil for an upstream's.
    public let composition: Composition?
    let versionOnDemand: Version
    private let stated: StatedLife

    /// - Parameters:
    ///   - response: an answer that may be kept, see ``Storability``; its fields and status count, its body doesn't.
    ///   - request: the fields that the upstream saw, or that the client sent where they are the same.
    ///   - requested: when the request was sent.
    ///   - received: when the answer's head came.
    ///   - chance: from -1 to 1; how much of the jitter its life gets.
    ///   - keepsLength: `Content-Length` is kept, as of an answer to HEAD, whose content it doesn't count.
    /// - Returns: nil for an answer with `Vary: *`.
    public convenience init?(
        _ response: Response, content: [UInt8], to request: Fields, requested: Moment, received: Moment,
        rules: CacheRules, chance: Double = 0, tags: [String] = [], keepsLength: Bool = false
    ) {
        guard let selection = Selection(of: response.fields, to: request, passed: rules.passed) else { return nil }
        self.init(
            status: response.status, fields: response.fields, content: content, selection: selection,
            requested: requested, received: received, rules: rules, chance: chance, tags: tags, mustValidate: false,
            keepsLength: keepsLength)
    }

    init(
        status: Status, fields: Fields, content: [UInt8], selection: Selection, requested: Moment, received: Moment,
        rules: CacheRules, chance: Double, tags: [String], mustValidate: Bool,
        version: Version = Version(), keepsLength: Bool = false
    ) {
        composition = nil
        versionOnDemand = version
        let directives = ResponseDirectives(fields, targets: rules.targets)
        self.status = status
        self.fields = fields.kept(directives, received: received, keepsLength: keepsLength)
        self.content = content
        let extent = status == .partialContent ? Extent(fields) : nil
        self.extent = extent?.bytes.count == content.count ? extent : nil
        varies = !(Selection.names(fields) ?? []).isEmpty
        self.selection = selection
        self.directives = directives
        self.tags = tags
        self.received = received
        date = Age.date(fields, received: received)
        stated = StatedLife(self.fields, now: received.seconds)
        lifetime = Lifetime(status, fields, directives, date: date, now: received.seconds, rules)
        validators = Validators(fields, received: received)
        initialAge = Age.initial(fields, requested: requested, received: received)
        let share = lifetime.isExplicit && !rules.jittersSaidLives ? 0 : rules.jitter
        freshFor = lifetime.jittered(after: initialAge, share: share, chance: chance)
        let isOverridden = rules.overrides && lifetime.source == .contract
        self.mustValidate = mustValidate || directives.noCache && !isOverridden
        let isBound = directives.mustRevalidate || directives.proxyRevalidate || directives.noCache
        // `s-maxage` forbids it too (RFC 9111, section 5.2.2.10); who composes answers takes the upstream's word for a longer use.
        let isShared = lifetime.source == .sharedMaxAge && rules.statuses == .any
        mayBeStale = isOverridden || !isBound && !isShared
        // With `s-maxage` only the upstream's own word allows it: who says both knows what it means.
        let ours = (
            staleWhileRevalidate: rules.staleWhileRevalidate.map(DeltaSeconds.clamped),
            staleIfError: rules.staleIfError.map(DeltaSeconds.clamped)
        )
        let isOurs = isOverridden || lifetime.source != .sharedMaxAge
        staleWhileRevalidate =
            isOverridden
            ? ours.staleWhileRevalidate
            : directives.staleWhileRevalidate ?? (isOurs ? ours.staleWhileRevalidate : nil)
        staleIfError =
            isOverridden
            ? ours.staleIfError : directives.staleIfError ?? (isOurs ? ours.staleIfError : nil)
    }

    /// The same answer but for what is given; with other content it is an upstream's, which has not been put into forms.
    private init(
        _ other: StoredAnswer, status: Status? = nil, fields: Fields? = nil, content: [UInt8]? = nil, extent: Extent?,
        selection: Selection? = nil, mustValidate: Bool? = nil
    ) {
        self.status = status ?? other.status
        self.fields = fields ?? other.fields
        self.content = content ?? other.content
        self.extent = extent
        varies = other.varies
        self.selection = selection ?? other.selection
        directives = other.directives
        lifetime = other.lifetime
        tags = other.tags
        received = other.received
        date = other.date
        validators = other.validators
        initialAge = other.initialAge
        freshFor = other.freshFor
        staleWhileRevalidate = other.staleWhileRevalidate
        staleIfError = other.staleIfError
        mayBeStale = other.mayBeStale
        self.mustValidate = mustValidate ?? other.mustValidate
        composition = content == nil ? other.composition : nil
        versionOnDemand = content == nil ? other.versionOnDemand : Version()
        stated = other.stated
    }

    /// An answer that was composed here. It is never given past its life: then it is composed again, of parts that may be.
    ///
    /// - Parameters:
    ///   - selection: the client's fields that were handed to upstreams, so that they may have changed it.
    ///   - made: when its parts were looked at.
    ///   - age: of the oldest part then, in milliseconds.
    ///   - life: that is left of the shortest life of a part then, in milliseconds.
    ///   - tags: those of all its parts, and its own.
    public init(
        composed status: Status, _ composition: Composition, selection: Selection, made: Moment, age: Int, life: Int,
        tags: [String]
    ) {
        self.status = status
        self.composition = composition
        fields = composition.forms.first?.fields ?? Fields()
        content = composition.forms.first?.content ?? []
        extent = nil
        varies = fields.contains(.vary)
        self.selection = selection
        directives = ResponseDirectives(Fields(), targets: [])
        lifetime = Lifetime(seconds: DeltaSeconds.clamped(life / 1000), source: .maxAge)
        self.tags = tags
        received = made
        date = made.seconds
        validators = Validators(fields, received: made)
        initialAge = min(max(0, age), DeltaSeconds.maximum * 1000)
        freshFor = initialAge + min(max(0, life), DeltaSeconds.maximum * 1000)
        staleWhileRevalidate = nil
        staleIfError = nil
        mayBeStale = false
        mustValidate = false
        versionOnDemand = Version()
        stated = StatedLife(Fields(), now: made.seconds)
    }

    /// The same composed answer, whose parts have other ages and lives now.
    func recomposed(_ composition: Composition, made: Moment, age: Int, life: Int) -> StoredAnswer {
        StoredAnswer(
            composed: status, composition, selection: selection, made: made, age: age, life: life, tags: tags)
    }

    /// The same composed answer with other forms.
    func with(_ composition: Composition) -> StoredAnswer {
        recomposed(composition, made: received, age: initialAge, life: freshFor - initialAge)
    }

    /// The same answer for another request that it was found to fit.
    func selected(by request: Fields) -> StoredAnswer {
        StoredAnswer(self, extent: extent, selection: selection.values(of: request))
    }

    /// The same answer with its content, which has come meanwhile.
    func with(content: [UInt8]) -> StoredAnswer {
        StoredAnswer(self, content: content, extent: extent(with: content))
    }

    /// Which part of the whole this content is.
    private func extent(with content: [UInt8]) -> Extent? {
        guard status == .partialContent, let extent = Extent(fields), extent.bytes.count == content.count else {
            return nil
        }
        return extent
    }

    /// The same part with the bytes that an older one adds, whose fields stay where the newer one doesn't have them.
    func grown(to extent: Extent, _ content: [UInt8], over older: Fields) -> StoredAnswer {
        var merged = older
        merged.replace(with: fields) { _ in false }
        merged.remove(.contentRange)
        let isWhole = extent.isWhole
        return StoredAnswer(
            self, status: isWhole ? .ok : status, fields: merged, content: content, extent: isWhole ? nil : extent)
    }

    /// The same answer, which nobody may be given any more without asking.
    func outdated() -> StoredAnswer { StoredAnswer(self, extent: extent, mustValidate: true) }

    /// Its age in milliseconds: `current_age` (RFC 9111, section 4.2.3).
    public func milliseconds(at now: Moment) -> Int {
        min(
            initialAge + min(now.milliseconds(since: received), DeltaSeconds.maximum * 1000),
            DeltaSeconds.maximum * 1000)
    }

    /// What its own fields say of its life; those of a composed answer say nothing.
    public func stated(at now: Moment) -> StatedLife {
        stated.aged(max(DeltaSeconds.difference(now.seconds, date), age(at: now)))
    }

    /// Its age in whole seconds, as `Age` says it.
    public func age(at now: Moment) -> Int { milliseconds(at: now) / 1000 }

    /// The milliseconds that it is still fresh; below zero once it is stale.
    public func freshness(at now: Moment) -> Int { freshFor - milliseconds(at: now) }

    /// Whether anything can still be done with it: it can be given, or asked about.
    public func isUsable(at now: Moment) -> Bool {
        if validators.exist { return true }
        if mustValidate { return false }
        let grace = mayBeStale ? max(staleWhileRevalidate ?? 0, staleIfError ?? 0) : 0
        return freshness(at: now) + grace * 1000 > 0
    }
}

extension Lifetime {
    /// The life in milliseconds with a part of what is left of it changed by chance: what the upstream said only becomes shorter, what
    /// we chose becomes longer too. A tenth of less than ten seconds is none that clients could be told, so that stays as it is.
    fileprivate func jittered(after age: Int, share: Double, chance: Double) -> Int {
        let life = seconds * 1000
        let rest = max(0, life - age)
        guard rest >= 10_000 else { return life }
        let bounded = min(max(chance, -1), 1) * min(max(share, 0), 1)
        // Below 2⁴² and far from the limits of either type.
        let change = Int(Double(rest) * (isExplicit ? -abs(bounded) : bounded))
        return life + change
    }
}

extension Fields {
    /// What may be kept of an answer's fields (RFC 9111, sections 3.1 and 5.2.2), with a `Date` (RFC 9110, section 6.6.1).
    fileprivate func kept(_ directives: ResponseDirectives, received: Moment, keepsLength: Bool) -> Fields {
        var dropped = Set(directives.privateFields + directives.noCacheFields)
        dropped.formUnion(UnkeptFields.names)
        if keepsLength { dropped.remove(.contentLength) }
        dropped.insert(.age)
        for value in values(.connection) {
            for name in value.split(separator: ",") {
                if let name = FieldName(String(ASCII.trimmed(name))) { dropped.insert(name) }
            }
        }
        var kept = self
        kept.removeAll { dropped.contains($0) }
        if CacheDate.seconds(kept[.date] ?? "", now: received.seconds) == nil {
            kept.set(.date, HTTPDate.text(received.seconds))
        }
        return kept
    }
}

/// Fields of a connection or of a proxy, which are never kept (RFC 9110, section 7.6.1; RFC 9111, section 3.1).
enum UnkeptFields {
    static let names: Set<FieldName> = [
        .connection, "Keep-Alive", "Proxy-Connection", .te, .trailer, .transferEncoding, .upgrade, .contentLength,
        "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization", "HTTP2-Settings",
    ]
}
