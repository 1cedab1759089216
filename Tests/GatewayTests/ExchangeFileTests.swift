import GatewayTesting
import Testing

@Suite("Exchange files")
struct ExchangeFileTests {
    private static let good = """
        # A title

        A sentence.

        Contract: swapi.yaml

        ```http upstream swapi
        GET /films/1/
        200

        {}
        ```

        ```http request
        GET /films/1
        Accept: text/html
        ```

        ```http answer abridged at 20ms
        200
        ETag: …
        -Age

        {…}
        ```

        ```text seen by swapi in order
        GET /films/1/
          Accept: application/json
        ```
        """

    @Test("a file is read")
    func reading() throws {
        let file = try ExchangeFile(Self.good)
        #expect(file.title == "A title")
        #expect(file.contract == .files(["swapi.yaml"]))
        #expect(file.scripted.map(\.request) == ["GET /films/1/"])
        let exchange = try #require(file.exchanges.first)
        #expect(exchange.target == "/films/1")
        #expect(exchange.expected?.time == .milliseconds(20))
        #expect(exchange.expected?.isAbridged == true)
        #expect(exchange.expected?.fields.map(\.rule) == [.anyValue, .absent])
        #expect(exchange.seen.first?.isOrdered == true)
    }

    @Test(
        "a mistake is told with its line",
        arguments: [
            ("# A title", "A title", 1), ("A sentence.", "", 3), ("Contract: swapi.yaml", "", 1),
            ("```http upstream swapi", "```http upstreams swapi", 7), ("GET /films/1/\n200\n", "GET\n200\n", 8),
            ("GET /films/1/\n200\n", "GRAB /films/1/\n200\n", 8), ("1/\n200\n", "1/\n2000\n", 9),
            ("1/\n200\n", "1/\nafter 5s\n200\n", 9), ("1/\n200\n", "1/\nfails\n", 9),
            ("Accept: text/html", "Accept", 16),
            ("answer abridged at 20ms", "answer shortened", 19), ("at 20ms\n200\n", "at 20ms\nOK\n", 20),
            ("-Age", "Age", 22), ("{…}\n```", "{…}", 19), ("seen by swapi in order", "seen swapi", 27),
            ("  Accept: application/json", "  Accept", 29), ("```http request\n", "```http answer\n", 14),
        ])
    func mistakes(part: String, replacement: String, line: Int) throws {
        #expect(Self.good.contains(part))
        let range = try #require(Self.good.firstRange(of: part))
        let text = Self.good.replacingCharacters(in: range, with: replacement)
        let finding = #expect(throws: ExchangeFile.Finding.self) { try ExchangeFile(text) }
        #expect(finding?.line == line)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
