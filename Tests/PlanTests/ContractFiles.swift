import Plan
import Testing

/// The folder of the repository.
private let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

/// The contracts that ship with the program.
func shippedPlan(_ environment: [String: String] = [:]) throws(ContractMistakes) -> Plan {
    try PlanLoader().load(files: [repository + "/openapi"], environment: environment)
}

@Suite("The shipped contracts")
struct ContractFiles {
    @Test("the folder loads as a whole, and so does the one document in it")
    func folder() throws {
        let all = try shippedPlan()
        let one = try PlanLoader().load(files: [repository + "/openapi/swapi.yaml"], environment: [:])
        #expect(all.operations.map(\.id) == one.operations.map(\.id))
        #expect(all.document == one.document)
    }
}
