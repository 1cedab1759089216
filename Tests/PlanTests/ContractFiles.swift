import Plan
import Testing

/// The folder of the repository.
private let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

/// What they name as handlers.
private let handlers: Set<String> = ["card", "images"]

/// One of the contracts that ship with the program.
func shippedPlan(_ environment: [String: String] = [:], file: String = "swapi.yaml") throws(ContractMistakes) -> Plan {
    try PlanLoader(handlers: handlers).load(files: [repository + "/openapi/" + file], environment: environment)
}

@Suite("The shipped contracts")
struct ContractFiles {
    @Test("the folder loads as a whole: every operation of each document in it")
    func folder() throws {
        let all = try PlanLoader(handlers: handlers).load(files: [repository + "/openapi"], environment: [:])
        var ids: [String] = []
        for file in ["imgur.yaml", "marvel.yaml", "swapi.yaml", "weather.yaml"] {
            ids += try shippedPlan(file: file).operations.map(\.id)
        }
        #expect(Set(ids).isSubset(of: all.operations.map(\.id)))
        #expect(ids.count == Set(ids).count)
    }

    @Test("Marvel's keys are missing until they are set, by variables or by files")
    func marvelKeys() throws {
        #expect(
            try shippedPlan(file: "marvel.yaml").upstreams.first?.missingVariables == [
                "MARVEL_PUBLIC_KEY", "MARVEL_PRIVATE_KEY",
            ])
        let keys = [
            "MARVEL_PUBLIC_KEY": "1234", "MARVEL_PRIVATE_KEY": "abcd", "MARVEL_URL": "http://127.0.0.1:9/v1/public",
        ]
        let marvel = try #require(try shippedPlan(keys, file: "marvel.yaml").upstreams.first)
        #expect(marvel.missingVariables.isEmpty)
        #expect(marvel.base.text == "http://127.0.0.1:9/v1/public")
        #expect(marvel.credentials.map { $0.reveal() } == ["1234", "abcd"])
    }

    @Test("comics have the defaults of last week's new issues")
    func comicDefaults() throws {
        let comics = try #require(try shippedPlan(file: "marvel.yaml").operations.first { $0.id == "listComics" })
        var defaults: [String: String] = [:]
        for parameter in comics.parameters where parameter.role == .upstream {
            defaults[parameter.name] = parameter.default
        }
        #expect(
            defaults == [
                "format": "comic", "formatType": "comic", "orderBy": "-onsaleDate", "dateDescriptor": "lastWeek",
                "limit": "50",
                "offset": "0",
            ])
        #expect(comics.isShaped)
        #expect(comics.collection?.maximum == 100)
    }
}
