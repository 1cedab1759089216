import GatewayTesting
import Testing

/// Plays every file of `Tests/Exchanges`.
@Suite("Exchanges")
struct ExchangeTests {
    private static let tests = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    private static let folder = ExchangeFolder(
        path: tests + "/Exchanges", contracts: [tests + "/Exchanges/contracts", tests + "/../openapi"])

    @Test("the exchange goes as the file says", arguments: folder.names)
    func exchange(name: String) async throws {
        do {
            let file = try Self.folder.file(name)
            let run = ExchangeRun(file, plan: try Self.folder.plan(of: file))
            for finding in try await LoopThread.run({ await run.findings(on: $0) }) { Self.record(finding, in: name) }
        } catch let finding as ExchangeFile.Finding {
            Self.record(finding, in: name)
        }
    }

    @Test("there are files")
    func count() { #expect(Self.folder.names.count >= 60) }

    private static func record(_ finding: ExchangeFile.Finding, in name: String) {
        let place = SourceLocation(
            fileID: "Exchanges/" + name, filePath: tests + "/Exchanges/" + name, line: finding.line, column: 1)
        Issue.record(Comment(rawValue: finding.text), sourceLocation: place)
    }
}
