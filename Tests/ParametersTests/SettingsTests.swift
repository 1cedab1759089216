import Parameters
import Testing

@Suite("Settings")
struct SettingsTests {
    private func mistakes(
        _ arguments: [String], _ environment: [String: String] = [:], command: Parameter.Command = .serve
    ) -> [ParameterMistake] {
        do {
            _ = try Settings.resolve(command, arguments: arguments, environment: environment)
            return []
        } catch {
            return error.all
        }
    }

    @Test("a flag wins over its variable, and a variable over the default")
    func precedence() throws {
        let environment = ["SLUICE_PORT": "9000", "SLUICE_IDLE_TIMEOUT": "5s", "SLUICE_HOST": ""]
        let (settings, operands) = try Settings.resolve(
            .serve, arguments: ["--port", "9001", "a.yaml", "--workers=3", "b.yaml"], environment: environment)
        #expect(settings.port == 9001)
        #expect(settings.idleTimeout == .seconds(5))
        #expect(settings.host == "127.0.0.1")
        #expect(settings.workers == 3)
        #expect(operands == ["a.yaml", "b.yaml"])
    }

    @Test("a bad variable is no mistake where a flag wins over it")
    func overruled() {
        #expect(mistakes(["--port=80"], ["SLUICE_PORT": "nothing"]).isEmpty)
    }

    @Test("a flag of yes or no needs no value and takes one behind an equals sign")
    func flags() throws {
        #expect(try Settings.resolve(.serve, arguments: ["--sample"], environment: [:]).settings.isSample)
        #expect(
            try !Settings.resolve(.serve, arguments: ["--sample=false"], environment: ["SLUICE_SAMPLE": "1"]).settings
                .isSample)
        #expect(try Settings.resolve(.serve, arguments: [], environment: ["SLUICE_SAMPLE": "1"]).settings.isSample)
        #expect(
            try Settings.resolve(.serve, arguments: ["--sample", "x.yaml"], environment: [:]).operands == ["x.yaml"])
    }

    @Test("two dashes end the flags, and one dash is an argument")
    func end() throws {
        let resolved = try Settings.resolve(.get, arguments: ["-", "--", "--port"], environment: [:])
        #expect(resolved.operands == ["-", "--port"])
    }

    @Test("a variable holds several contracts with colons between them")
    func lists() throws {
        let environment = ["SLUICE_CONTRACTS": "openapi/swapi.yaml:more"]
        #expect(
            try Settings.resolve(.serve, arguments: [], environment: environment).settings.contracts
                == ["openapi/swapi.yaml", "more"])
    }

    @Test("an empty value of a flag is kept where it may be empty")
    func empty() throws {
        #expect(try Settings.resolve(.serve, arguments: ["--public-url="], environment: [:]).settings.publicURL == "")
    }

    @Test(
        "a wrong value is refused with the flag, what was found and what was expected",
        arguments: [
            (["--port", "70000"], "--port", "\"70000\"", "a port from 0 to 65535"),
            (["--port", "-1"], "--port", "\"-1\"", "a port from 0 to 65535"),
            (["--workers", "257"], "--workers", "\"257\"", "a number of threads from 0 to 256"),
            (["--idle-timeout", "60"], "--idle-timeout", "\"60\"", Quantity.durationForm + ", from 100ms to 1h"),
            (["--max-head=8"], "--max-head", "\"8\"", Quantity.bytesForm + ", from 1KiB to 1MiB"),
            (["--log-level", "loud"], "--log-level", "\"loud\"", "one of: error, warning, info, debug"),
            (["--sample=perhaps"], "--sample", "\"perhaps\"", "true or false"),
            (["--host", "a\u{1B}b"], "--host", "\"a\\u{1B}b\"", "text without control characters"),
            (["--contracts", ":"], "--contracts", "\":\"", "paths with colons between them"),
            (["--port"], "--port", "no value", "a port from 0 to 65535"),
            (["--port=1", "--port=2"], "--port", "it twice", "it once"),
        ])
    func refused(arguments: [String], source: String, found: String, expected: String) {
        #expect(mistakes(arguments) == [ParameterMistake(source: source, found: found, expected: expected)])
    }

    @Test("an unknown flag names the known ones")
    func unknown() throws {
        let mistake = try #require(mistakes(["--prot", "80"], command: .sample).first)
        #expect(mistake.source == "--prot")
        #expect(mistake.found == "an unknown flag")
        #expect(mistake.expected.contains("--port"))
        #expect(!mistake.expected.contains("--workers"))
    }

    @Test("every mistake is told at once, variables by their names")
    func all() {
        let found = mistakes(["--port", "x", "--workers", "y"], ["SLUICE_MAX_LINKS": "many"])
        #expect(found.map(\.source) == ["--port", "--workers", "SLUICE_MAX_LINKS"])
        #expect(
            ParameterMistakes(found).description.hasSuffix(
                "SLUICE_MAX_LINKS: found \"many\", expected a number of links from 0 to 10000"))
    }

    @Test("a long value is cut in the message")
    func long() {
        #expect(mistakes(["--port", String(repeating: "9", count: 5000)]).first?.found.count == 63)
    }
}
