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
    let linkBase: String
    /// Each upstream address once, however often it is linked.
    let fetches = Flights<Result<Resource, GatewayError>>()
    /// Each composed part once for each place in the tree of links.
    let compositions = Flights<Result<Composed, GatewayError>>()
    private var bytesLeft: Int

    init(
        _ operation: Operation, _ request: Request, _ selection: Selection, _ record: ExchangeRecord,
        _ settings: GatewaySettings
    ) {
        self.operation = operation
        self.request = request
        self.selection = selection
        self.record = record
        json = settings.json
        linkBase = settings.linkBase(for: request)
        bytesLeft = operation.limits.bytes
        budget = Budget(
            deadline: record.started + operation.deadline, calls: operation.limits.links + 1,
            bytes: operation.limits.bytes)
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
    private enum State {
        case inTheAir([CheckedContinuation<Value, Never>])
        case landed(Value)
    }
    private var states: [String: State] = [:]

    /// The value for `key`, made by `make` unless it is there or on its way.
    func value(_ key: String, _ make: () async -> Value) async -> Value {
        switch states[key] {
        case .landed(let value): return value
        case .inTheAir(let waiting):
            return await withCheckedContinuation { states[key] = .inTheAir(waiting + [$0]) }
        case nil:
            states[key] = .inTheAir([])
            let value = await make()
            if case .inTheAir(let waiting) = states.updateValue(.landed(value), forKey: key) {
                for continuation in waiting { continuation.resume(returning: value) }
            }
            return value
        }
    }

    /// Whether `key` was asked for before.
    func contains(_ key: String) -> Bool { states[key] != nil }
}
