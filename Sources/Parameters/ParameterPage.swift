extension ParameterTable {
    /// The page `docs/parameters.md`.
    public static func markdown() -> String {
        var page = """
            # Parameters

            Every limit and setting. A flag wins over its environment variable, a variable over the default; an empty variable counts as
            unset. Sizes are whole numbers with a unit (`512B`, `8KiB`, `10MB`), durations too (`500ms`, `2s`, `5m`, `1h`, `7d`).
            This page is made from the table in `Sources/Parameters`.

            """
        for group in Parameter.Group.allCases {
            page += "\n## \(group.rawValue)\n\n"
            page += "| flag | variable | least | default | most | commands | meaning |\n|---|---|---|---|---|---|---|\n"
            for row in all where row.group == group {
                let commands = row.commands.map(\.rawValue).joined(separator: ", ")
                let usage = row.flag + (row.placeholder.map { " " + $0 } ?? "")
                let cells = [
                    code(usage), code(row.environmentVariable), row.minimum ?? "", code(row.default), row.maximum ?? "",
                    commands, row.prose,
                ]
                page += "| " + cells.joined(separator: " | ") + " |\n"
            }
        }
        return page
    }

    /// The flags of `command` as `--help` shows them, 100 columns wide.
    public static func help(_ command: Parameter.Command) -> String {
        var text = ""
        for group in Parameter.Group.allCases {
            let rows = of(command).filter { $0.group == group }
            if rows.isEmpty { continue }
            text += (text.isEmpty ? "" : "\n") + "\(group.rawValue):\n"
            for row in rows {
                text += "  " + row.flag + (row.placeholder.map { " " + $0 } ?? "") + "\n"
                text += wrapped(row.prose + " " + facts(row), indent: "      ", columns: 100)
            }
        }
        return text
    }

    private static func facts(_ row: Parameter) -> String {
        var facts: [String] = []
        if let minimum = row.minimum, let maximum = row.maximum { facts.append("\(minimum) to \(maximum)") }
        facts.append(row.default.isEmpty ? "no default" : "default \(row.default)")
        facts.append(row.environmentVariable)
        return "[" + facts.joined(separator: "; ") + "]"
    }

    private static func code(_ text: String) -> String {
        text.isEmpty ? "" : "`" + String(text.flatMap { $0 == "|" ? ["\\", "|"] : [$0] }) + "`"
    }

    private static func wrapped(_ text: String, indent: String, columns: Int) -> String {
        var lines: [String] = []
        var line = indent
        for word in text.split(separator: " ") {
            if line.count + word.count + 1 > columns, line != indent {
                lines.append(line)
                line = indent
            }
            line += (line == indent ? "" : " ") + word
        }
        lines.append(line)
        return lines.joined(separator: "\n") + "\n"
    }
}
