internal import HTTP
internal import JSON

/// The links of a composed piece that were not followed: a bounded number of them one by one, all of them by count. A few upstream
/// answers can hold the same failed link thousands of times, and the client should pay for that as little as we do.
struct PartFailures: Sendable {
    /// The most that are kept one by one.
    static let limit = 1000

    private(set) var named: [PartFailure] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ failure: PartFailure) {
        count += 1
        if named.count < PartFailures.limit { named.append(failure) }
    }

    /// Adds the failures of a part that stands at `parent`.
    mutating func append(_ others: PartFailures, below parent: JSONPointer) {
        count += others.count
        for failure in others.named.prefix(PartFailures.limit - named.count) { named.append(failure.below(parent)) }
    }

    /// The same failures with other pointers.
    func moved(_ move: (JSONPointer) -> JSONPointer) -> PartFailures {
        var moved = self
        moved.named = named.map { PartFailure(pointer: move($0.pointer), href: $0.href, error: $0.error) }
        return moved
    }

    /// The entries of `_errors`; where there are too many, the last one says how many are left out.
    var json: [UInt8] {
        JSONWriter.array { array in
            for failure in named { failure.write(to: &array) }
            guard count > named.count else { return }
            let error = GatewayError(
                source: .gateway, code: "more-errors", status: .badGateway,
                detail: "\(count - named.count) more parts are missing.")
            PartFailure(pointer: JSONPointer(), href: nil, error: error).write(to: &array)
        }
    }
}
