internal import Parameters
internal import Plan

/// `sluice check`: every mistake of the contracts at once.
struct CheckCommand {
    let contracts: Contracts
    init(_ contracts: Contracts) { self.contracts = contracts }

    func run() -> Int32 {
        do throws(ContractMistakes) {
            let plan = try contracts.load()
            let counts = [
                Quantity.text(plan.operations.count, "operation"), Quantity.text(plan.upstreams.count, "upstream"),
            ]
            Terminal.out(counts.joined(separator: ", ") + ", no mistakes.\n")
            for upstream in plan.upstreams where !upstream.missingVariables.isEmpty {
                let names = upstream.missingVariables.joined(separator: ", ")
                Terminal.out("\(upstream.name): not set: \(names). Its routes answer 503 until that is done.\n")
            }
            return Tool.Exit.success
        } catch {
            Terminal.error("\(error)\n")
            return Tool.Exit.failure
        }
    }
}
