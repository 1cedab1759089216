extension Parameter {
    /// Reads `text` into `settings`.
    ///
    /// - Parameter source: the flag or variable that `text` comes from, for the message.
    /// - Throws: `ParameterMistake` where `text` is no value of this kind or outside the range; `settings` is then unchanged.
    public func set(_ text: String, in settings: inout Settings, source: String) throws(ParameterMistake) {
        guard apply(text, to: &settings) else {
            var found = Parameter.shown(text)
            if case .address = kind { found = "a text that isn't shown, for it may hold a password" }
            throw ParameterMistake(source: source, found: found, expected: expected)
        }
    }

    private func apply(_ text: String, to settings: inout Settings) -> Bool {
        switch kind {
        case .count(let field, let range, _):
            return assign(Quantity.count(text).flatMap { range.contains($0) ? $0 : nil }, field, &settings)
        case .bytes(let field, let range):
            return assign(Quantity.bytes(text).flatMap { range.contains($0) ? $0 : nil }, field, &settings)
        case .duration(let field, let range):
            return assign(Quantity.duration(text).flatMap { range.contains($0) ? $0 : nil }, field, &settings)
        case .port(let field):
            return assign(Quantity.count(text).flatMap { $0 <= 65_535 ? $0 : nil }, field, &settings)
        case .text(let field): return assign(Parameter.isPlain(text) ? text : nil, field, &settings)
        case .word(let field, let words): return assign(words.contains(text) ? text : nil, field, &settings)
        case .address(let field):
            return assign(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? text : nil, field, &settings)
        case .path(let field): return assign(Parameter.isPlain(text) ? text : nil, field, &settings)
        case .flag(let field): return assign(Parameter.truth(text), field, &settings)
        case .list(let field):
            let paths = text.split(separator: ":").map(String.init)
            return assign(paths.isEmpty || !Parameter.isPlain(text) ? nil : paths, field, &settings)
        }
    }

    private func assign<Value>(_ value: Value?, _ field: Field<Value>, _ settings: inout Settings) -> Bool {
        guard let value else { return false }
        settings[keyPath: field] = value
        return true
    }

    private static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "true", "yes", "on": true
        case "0", "false", "no", "off": false
        default: nil
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7F}" }
    }

    /// A text from outside in quotes, cut so that a message stays one short line.
    static func shown(_ text: String) -> String {
        var cut = ""
        for scalar in text.unicodeScalars.prefix(60) { cut += scalar.escaped(asASCII: false) }
        return "\"" + cut + (text.unicodeScalars.count > 60 ? "…" : "") + "\""
    }
}

extension Settings {
    /// Reads a command's arguments and the environment: a flag wins over its variable, a variable over the default. An empty variable
    /// counts as unset.
    ///
    /// Flags are `--name VALUE` or `--name=VALUE`; those of kind flag need no value (`--sample`, `--sample=false`). `--` ends them.
    ///
    /// - Returns: the settings, and the arguments that are no flags, in order.
    /// - Throws: `ParameterMistakes` with everything that is wrong.
    public static func resolve(
        _ command: Parameter.Command, arguments: [String], environment: [String: String]
    ) throws(ParameterMistakes) -> (settings: Settings, operands: [String]) {
        var settings = Settings()
        var mistakes: [ParameterMistake] = []
        var given: Set<String> = []
        var operands: [String] = []
        let rows = ParameterTable.of(command)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument.count > 1 else {
                operands.append(argument)
                continue
            }
            guard argument.hasPrefix("--") || argument == "-v" && rows.contains(where: { $0.name == "verbose" }) else {
                mistakes.append(
                    ParameterMistake(
                        source: Parameter.shown(argument), found: "a short flag",
                        expected: "flags with two dashes, such as --port"))
                continue
            }
            do throws(ParameterMistake) {
                let name = try settings.take(argument == "-v" ? "--verbose" : argument, rows, &rest)
                guard given.insert(name).inserted else {
                    throw ParameterMistake(source: "--" + name, found: "it twice", expected: "it once")
                }
            } catch {
                mistakes.append(error)
            }
        }
        for row in rows where !given.contains(row.name) {
            guard let text = environment[row.environmentVariable], !text.isEmpty else { continue }
            do throws(ParameterMistake) {
                try row.set(text, in: &settings, source: row.environmentVariable)
            } catch {
                mistakes.append(error)
            }
        }
        guard mistakes.isEmpty else { throw ParameterMistakes(mistakes) }
        return (settings, operands)
    }

    /// Reads one flag, with its value from `rest` where it needs one.
    /// - Returns: the name of its parameter.
    private mutating func take(
        _ argument: String, _ rows: [Parameter], _ rest: inout ArraySlice<String>
    ) throws(ParameterMistake) -> String {
        let name = String(argument.dropFirst(2).prefix { $0 != "=" })
        guard let row = rows.first(where: { $0.name == name }) else {
            throw ParameterMistake(
                source: "--" + name.prefix(60), found: "an unknown flag",
                expected: "one of: " + rows.map(\.flag).joined(separator: ", "))
        }
        if argument.utf8.count > name.utf8.count + 2 {
            try row.set(String(argument.dropFirst(name.count + 3)), in: &self, source: row.flag)
        } else if case .flag = row.kind {
            try row.set("true", in: &self, source: row.flag)
        } else if let value = rest.popFirst() {
            try row.set(value, in: &self, source: row.flag)
        } else {
            throw ParameterMistake(source: row.flag, found: "no value", expected: row.expected)
        }
        return name
    }
}
