internal import Cache
internal import HTTP
internal import JSON
internal import Plan

/// The state of one request on its way: what it may still cost, what was fetched already, what is missing. It stays on one
/// loop, so it needs no lock; parts that are fetched side by side are tasks of that loop.
final class Exchange: @unchecked Sendable {
    let operation: Operation
    let request: Request
    let selection: Selection
    let record: ExchangeRecord
    let budget: Budget
    let json: JSONLimits
    /// What links in the answer begin with.
    let linkBase: LinkBase
    /// Each upstream address once, however often it is linked.
    let fetches = Once<Result<Resource, GatewayError>>()
    /// Each composed part once for each place in the tree of links.
    let compositions = Once<Result<Composed, GatewayError>>()
    /// Which upstreams were asked, as indices into `Plan.upstreams`.
    var upstreams: Set<Int> = []
    /// The kept answers that went into this one; nil once something did that isn't kept.
    private(set) var parts: [(answer: StoredAnswer, key: CacheKey)]? = []
    /// What all answers together are like, those that became errors too.
    private(set) var seen = Freshness()
    /// Documents that were read when their answers were judged, by the keys of their addresses.
    var read: [String: JSONDocument] = [:]
    private var bytesLeft: Int
    private var partsLeft: Int

    /// - Parameters:
    ///   - outer: of the exchange that this is a part of; nil: one of its own.
    ///   - start: when the operation's time begins; nil: with the request.
    init(
        _ operation: Operation, _ request: Request, _ selection: Selection, _ record: ExchangeRecord,
        _ settings: GatewaySettings, within outer: Budget? = nil, from start: ExchangeRecord.Instant? = nil
    ) {
        self.operation = operation
        self.request = request
        self.selection = selection
        self.record = record
        json = settings.json
        linkBase = LinkBase(settings.linkBase(for: request))
        bytesLeft = operation.limits.bytes
        partsLeft = (operation.limits.links + 1) * Exchange.partsPerCall
        budget =
            outer
            ?? Budget(
                deadline: (start ?? record.started) + operation.deadline, calls: operation.limits.links + 1,
                bytes: operation.limits.bytes,
                onAsked: { [progress = settings.progress] change in
                    record.calls += change
                    if change > 0 { progress?(record) }
                })
    }

    /// Kept answers cost no call, but each has to be read and put in its place.
    private static let partsPerCall = 4

    /// Links that may still be followed. Where the first answer was kept and cost no call, there are no more of them for that.
    var linksLeft: Int { operation.upstream == nil ? budget.calls : min(budget.calls, operation.limits.links) }

    /// Takes one of the answers that may go into this one, kept ones included. False where none is left.
    func spendPart() -> Bool {
        partsLeft -= 1
        return partsLeft >= 0
    }

    /// Takes `count` bytes of the answer's size, which is bounded like what is read: a part may be put in many places.
    func spendAnswer(_ count: Int) -> Bool {
        guard count <= bytesLeft else { return false }
        bytesLeft -= count
        return true
    }
}

extension Exchange {
    /// Notes an answer that came through a cache.
    func note(_ answer: CachingResponder.Answer, at key: CacheKey, _ freshness: Freshness) {
        seen.combine(freshness)
        if let stored = answer.stored, answer.status.isHit || answer.status.isStored {
            parts?.append((stored, key))
        } else {
            parts = nil
        }
    }

    /// Notes an answer that came without one.
    func note(_ freshness: Freshness) {
        seen.combine(freshness)
        parts = nil
    }

    /// What is left of the shortest life of the kept answers, and the age of the oldest, in milliseconds; nil where something isn't kept.
    func kept(at now: Moment) -> (age: Int, life: Int)? {
        guard let parts, !parts.isEmpty else { return nil }
        return parts.reduce((0, Int.max)) { sum, part in
            (max(sum.0, part.answer.milliseconds(at: now)), min(sum.1, part.answer.freshness(at: now)))
        }
    }

    var keptParts: [Composition.Part] { (parts ?? []).map { Composition.Part($0.answer, at: $0.key) } }

    /// By which the answer is dropped: its own route, and all by which its parts are.
    var tags: [String] {
        Array((parts ?? []).reduce(into: Set([operation.path.text])) { $0.formUnion($1.answer.tags) })
    }

    /// An error with what `Cache-Status` and `Age` say of the answers that led to it.
    func told(_ error: GatewayError, isCached: Bool) -> GatewayError {
        guard case .upstream = error.source, !error.fields.contains(.cacheStatus) else { return error }
        var error = error
        error.fields.append(.cacheStatus, seen.origin?.text ?? "sluice; fwd=" + (isCached ? "miss" : "bypass"))
        if seen.origin?.isFromMemory == true { error.fields.append(.age, String(seen.age)) }
        // That there is no content is an answer, not a failure.
        if error.status == .noContent { error.fields.append(.cacheControl, seen.directives) }
        return error
    }
}

/// Results that are made once for each key, whoever asks first; the others wait for it, and whoever comes later gets it too. For one
/// loop and one exchange: an answer that was asked for twice by one request is the same both times, whatever a cache does meanwhile.
final class Once<Value: Sendable>: @unchecked Sendable {
    private final class Entry {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }
    private var entries: [String: Entry] = [:]

    /// The value for `key`, made by `make` unless it is there or on its way.
    func value(_ key: String, _ make: () async -> Value) async -> Value {
        if let entry = entries[key] {
            if let value = entry.value { return value }
            return await withCheckedContinuation { entry.waiting.append($0) }
        }
        let entry = Entry()
        entries[key] = entry
        let value = await make()
        entry.value = value
        for continuation in entry.waiting { continuation.resume(returning: value) }
        entry.waiting = []
        return value
    }

    /// Whether `key` was asked for before.
    func contains(_ key: String) -> Bool { entries[key] != nil }
}
