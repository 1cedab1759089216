internal import HTTP
internal import Parameters
internal import Plan

/// `sluice routes`: a table of what the contracts serve.
struct RoutesCommand {
    let contracts: Contracts
    init(_ contracts: Contracts) { self.contracts = contracts }

    func run() -> Int32 {
        do throws(ContractMistakes) {
            let plan = try contracts.load()
            Terminal.out(RoutesCommand.table(plan))
            return Tool.Exit.success
        } catch {
            Terminal.error("\(error)\n")
            return Tool.Exit.failure
        }
    }

    static func table(_ plan: Plan) -> String {
        var rows = [["METHOD", "PATH", "UPSTREAM", "EXPAND", "CACHE"]]
        for operation in plan.operations.sorted(by: { $0.path.text < $1.path.text }) {
            let upstream = operation.upstream.map { plan.upstreams[$0].name } ?? "-"
            let links = operation.resource.map { ExpandPaths.allowed(from: $0, in: plan) } ?? []
            let own = operation.cache ?? operation.upstream.flatMap { plan.upstreams[$0].cache }
            let policy = operation.method.isSafe ? own : nil
            rows.append([
                operation.mirror == nil ? operation.method.rawValue : "*", operation.path.text, upstream,
                links.isEmpty ? "-" : links.joined(separator: ","),
                policy?.ttl.map { Quantity.text($0) } ?? "-",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
            return cells.joined(separator: "  ").trimmingBlanks() + "\n"
        }.joined()
    }
}

extension String {
    /// Without blanks at the end.
    fileprivate func trimmingBlanks() -> String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
