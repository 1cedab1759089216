import Parameters
import Testing

@Suite("The parameter table")
struct TableTests {
    @Test("names, flags and variables are unique and well-formed")
    func names() {
        #expect(Set(ParameterTable.all.map(\.name)).count == ParameterTable.all.count)
        for row in ParameterTable.all {
            #expect(row.name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D })
            #expect(row.environmentVariable.hasPrefix("SLUICE_"))
            #expect(!row.commands.isEmpty)
            #expect(row.prose.hasSuffix("."))
        }
        #expect(ParameterTable["idle-timeout"]?.environmentVariable == "SLUICE_IDLE_TIMEOUT")
        #expect(ParameterTable["sample"]?.environmentVariable == "SLUICE_SAMPLE")
        #expect(ParameterTable["contracts"]?.environmentVariable == "SLUICE_CONTRACTS")
    }

    @Test("each default is a value that its own row takes and that changes nothing")
    func defaults() throws {
        for row in ParameterTable.all where !row.default.isEmpty {
            var settings = Settings()
            try row.set(row.default, in: &settings, source: row.flag)
            #expect(settings == Settings())
        }
    }

    @Test("the least and the most of each row are taken, and each row writes to a place of its own")
    func bounds() throws {
        for row in ParameterTable.all {
            guard let minimum = row.minimum, let maximum = row.maximum else { continue }
            var settings = Settings()
            try row.set(minimum, in: &settings, source: row.flag)
            #expect(row.text(in: settings) == minimum)
            try row.set(maximum, in: &settings, source: row.flag)
            #expect(row.text(in: settings) == maximum)
            for other in ParameterTable.all where other.name != row.name {
                #expect(other.text(in: settings) == other.default)
            }
        }
    }

    @Test(
        "the defaults are those of the design",
        arguments: [
            ("host", "127.0.0.1"), ("port", "8080"), ("max-request-line", "8KiB"), ("max-head", "32KiB"),
            ("max-field-lines", "100"), ("max-body", "1MiB"), ("max-chunk-extension", "256B"),
            ("max-chunk-extensions", "4KiB"), ("max-trailer", "8KiB"), ("head-deadline", "10s"), ("body-rate", "240B"),
            ("body-grace", "5s"), ("body-deadline", "30s"), ("idle-timeout", "1m"), ("write-stall", "30s"),
            ("max-pipelined", "100"), ("drain-accept", "1s"), ("drain-limit", "25s"), ("max-answer", "8MiB"),
            ("max-json-depth", "64"), ("max-json-values", "250000"), ("max-links", "256"), ("max-depth", "4"),
            ("max-upstream-bytes", "32MiB"), ("request-deadline", "10s"),
        ])
    func design(name: String, value: String) {
        #expect(ParameterTable[name]?.default == value)
    }

    @Test("the page lists every flag and variable with its range")
    func markdown() {
        let page = ParameterTable.markdown()
        for row in ParameterTable.all {
            #expect(page.contains("| `\(row.flag)"))
            #expect(page.contains("`\(row.environmentVariable)`"))
        }
        #expect(page.contains("| `--idle-timeout DURATION` | `SLUICE_IDLE_TIMEOUT` | 100ms | `1m` | 1h | serve |"))
    }

    @Test("the help of a command lists its own flags only, in lines of 100 columns")
    func help() {
        let help = ParameterTable.help(.sample)
        #expect(help.contains("--port PORT"))
        #expect(!help.contains("--workers"))
        #expect(help.contains("default 8080; SLUICE_PORT]"))
        #expect(ParameterTable.help(.serve).split(separator: "\n").allSatisfy { $0.count <= 100 })
    }
}
