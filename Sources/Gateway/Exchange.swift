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
    let fetches = Flights<Result<Resource, GatewayError>>()
    /// Each composed part once for each place in the tree of links.
    let compositions = Flights<Result<Composed, GatewayError>>()
    /// Which upstreams were asked, as indices into `Plan.upstreams`.
    var upstreams: Set<Int> = []
    private var bytesLeft: Int
    private var partsLeft: Int

    /// - Parameter outer: of the exchange that this is a part of; nil: one of its own.
    init(
        _ operation: Operation, _ request: Request, _ selection: Selection, _ record: ExchangeRecord,
        _ settings: GatewaySettings, within outer: Budget? = nil
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
                deadline: record.started + operation.deadline, calls: operation.limits.links + 1,
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

/// Results that are made once for each key, whoever asks first; the others wait for it. For one loop.
final class Flights<Value: Sendable>: @unchecked Sendable {
    private final class Flight {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }
    private var flights: [String: Flight] = [:]

    /// The value for `key`, made by `make` unless it is there or on its way.
    func value(_ key: String, _ make: () async -> Value) async -> Value {
        if let flight = flights[key] {
            if let value = flight.value { return value }
            return await withCheckedContinuation { flight.waiting.append($0) }
        }
        let flight = Flight()
        flights[key] = flight
        let value = await make()
        flight.value = value
        for continuation in flight.waiting { continuation.resume(returning: value) }
        flight.waiting = []
        return value
    }

    /// Whether `key` was asked for before.
    func contains(_ key: String) -> Bool { flights[key] != nil }
}
