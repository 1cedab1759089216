internal import HTTP

/// A store behind memory that several machines share. From any thread. It may be slow, gone or full at any time; then it holds nothing.
public protocol SecondLayer: Sendable {
    /// The state of invalidation, to be taken before an upstream is asked; nil while the store isn't worth asking.
    var mark: UInt64? { get }

    /// Looks for an entry, and where there is none, for another machine that is fetching it. It takes its own budget of time at the most, but that
    /// it waits for another machine as long as that one is known to be alive.
    /// - Parameters:
    ///   - choice: which variant.
    ///   - end: when the answer is due.
    ///   - host: of the worker that asks.
    func board(
        _ name: String, _ choice: VariantChoice, until end: ContinuousClock.Instant?, host: CacheHost
    ) async -> Boarding

    /// Keeps an entry, beside a bounded number of other variants. Returns at once.
    /// - Parameters:
    ///   - choice: which variant it is.
    ///   - milliseconds: after which nobody needs it.
    ///   - mark: from before the upstream was asked: an entry that was on its way while one of its tags was dropped is no longer good.
    func keep(
        _ entry: [UInt8], as name: String, _ choice: VariantChoice, tags: [String], for milliseconds: Int,
        since mark: UInt64)

    /// Ends the turn of ``Boarding/lead(_:)``. Returns at once.
    func release(_ turn: String)

    /// Drops everything with this tag, or everything, also in the memory of the other machines. Returns at once.
    func drop(tag: String?)
}

/// What comes of looking into a ``SecondLayer``.
public enum Boarding: Sendable {
    /// - Parameter isAwaited: nobody had it at first, and another machine has fetched it meanwhile.
    case found(entry: [UInt8], tags: [String], isAwaited: Bool)
    /// Nobody has it: fetch it while others wait a little, then release the turn.
    case lead(String)
    /// Fetch it without a word to others.
    case alone
}

extension CachingResponder {
    /// A turn among machines: what is fetched in it is for all of them.
    struct SharedTurn {
        fileprivate let layer: any SecondLayer
        fileprivate let name: String
        /// By which the URL's answers can be dropped everywhere.
        fileprivate let tag: String
        fileprivate let mark: UInt64
        fileprivate let turn: String?
        /// What `Cache-Status` says of the answer that the layer has brought to memory; nil where it has brought none.
        fileprivate(set) var brought: CacheStatus?
    }

    /// Brings an answer from the second layer to memory, where it holds a fresher one than what is selected.
    /// - Parameter lookup: into memory.
    /// - Returns: the turn to ask the upstream in, where that is still needed; nil where there is no such layer now.
    func board(_ request: Request, _ key: CacheKey, _ lookup: Lookup) async -> SharedTurn? {
        guard let layer = shared.second, let mark = layer.mark else { return nil }
        let kept = shared.store.mark(of: key)
        let tag = url(of: request.target).text
        let name = key.text
        let choice = VariantChoice(request, passed: rules.passed)
        switch await layer.board(name, choice, until: request.budget?.deadline, host: host) {
        case .alone: return SharedTurn(layer: layer, name: name, tag: tag, mark: mark, turn: nil)
        case .lead(let turn): return SharedTurn(layer: layer, name: name, tag: tag, mark: mark, turn: turn)
        case .found(let entry, let tags, let isAwaited):
            let now = host.clock()
            var turn = SharedTurn(layer: layer, name: name, tag: tag, mark: mark, turn: nil)
            if let answer = StoredAnswer(entry: entry, rules: rules, tags: tags, chance: host.chance(), at: now),
                answer.freshness(at: now) > lookup.selected?.freshness(at: now) ?? Int.min,
                shared.keep(answer, key, url(of: request.target), since: kept)
            {
                var status = answer.hitStatus(at: now)
                if isAwaited {
                    status = .forwarded(lookup.reason ?? .uriMiss)
                    status.isStored = true
                    status.isCollapsed = true
                }
                status.detail = CacheStatus.redis
                turn.brought = status
            }
            // What is too old to be given is still worth asking about, and its successor worth keeping.
            return turn
        }
    }

    /// Ends a turn; gives the other machines what was kept.
    func end(_ turn: SharedTurn?, with answer: Answer?) {
        guard let turn else { return }
        let now = host.clock()
        if let answer, answer.status.isStored, let stored = answer.stored, let entry = stored.entry(at: now) {
            let time = stored.usefulTime(at: now)
            if time > 0 {
                let tags = stored.tags.filter { $0 != turn.tag } + [turn.tag]
                let choice = VariantChoice(stored.selection)
                turn.layer.keep(entry, as: turn.name, choice, tags: tags, for: time, since: turn.mark)
            }
        }
        if let word = turn.turn { turn.layer.release(word) }
    }
}
