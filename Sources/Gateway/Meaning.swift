internal import HTTP
internal import Plan
internal import Threads

/// What the target of a request asks of a route, checked. It depends on the method and the target alone.
final class Meaning: Sendable {
    let operation: Operation
    let arguments: Arguments
    let selection: Selection
    /// What of the key of its kept answer the target decides; nil where no answer is kept.
    let keyText: String?

    init(operation: Operation, arguments: Arguments, selection: Selection, keyText: String?) {
        self.operation = operation
        self.arguments = arguments
        self.selection = selection
        self.keyText = keyText
    }
}

/// What targets of GET and HEAD were found to mean, so that the next request for the same thing is neither matched nor checked again.
final class Meanings: Sendable {
    private let table = Locked<[Target: Meaning]>([:])

    /// Where so many are known all are forgotten: those that are asked for often are soon known again.
    static let limit = 1024
    /// Longer targets are checked each time, in bytes.
    static let longestTarget = 512

    subscript(request: Request) -> Meaning? {
        guard Meanings.isRemembered(request) else { return nil }
        return table.withLock { $0[request.target] }
    }

    func remember(_ meaning: Meaning, for request: Request) {
        guard Meanings.isRemembered(request) else { return }
        table.withLock { table in
            if table.count >= Meanings.limit { table = [:] }
            table[request.target] = meaning
        }
    }

    var count: Int { table.withLock { $0.count } }

    private static func isRemembered(_ request: Request) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        return request.target.path.utf8.count + (request.target.query?.utf8.count ?? 0) <= longestTarget
    }
}
