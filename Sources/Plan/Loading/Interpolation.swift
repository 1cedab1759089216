/// Fills `${NAME}` and `${NAME:-default}` in the values of upstreams from the environment. A variable that is empty counts as unset,
/// and where NAME is unset but NAME_FILE is set, the value is what that file holds.
struct Interpolation {
    let environment: [String: String]
    /// Reads the files that `NAME_FILE` names.
    let secrets: FileSource
    let mistakes: MistakeList

    struct Filled {
        var text: String
        /// Every variable that the text names.
        var variables: [String] = []
        /// Those without a value and without a default; `text` then lacks them.
        var missing: [String] = []
        /// What variables brought in; defaults are not among them.
        var values: [String] = []
        /// Whether the contract itself holds a default.
        var hasDefault = false
    }

    /// The value of the scalar at `place`; nil, and a mistake, where the braces are wrong or a secret's file can't be read.
    func fill(_ place: Place) -> Filled? {
        guard let text = place.scalarText else { return nil }
        var filled = Filled(text: "")
        var rest = text[...]
        while let start = rest.firstIndex(of: "$") {
            filled.text += rest[..<start]
            let after = rest[rest.index(after: start)...]
            guard after.first == "{" else {
                filled.text += "$"
                rest = after
                continue
            }
            guard let end = after.firstIndex(of: "}"), take(after[..<end].dropFirst(), &filled) else {
                mistakes.add(
                    at: place, found: "a \"${\" that names no variable", expected: "${NAME} or ${NAME:-default}")
                return nil
            }
            rest = after[after.index(after: end)...]
        }
        filled.text += rest
        return filled.variables.contains { !isReadable($0, place) } ? nil : filled
    }

    /// Puts one variable in. False where `body` isn't `NAME` or `NAME:-default`.
    private func take(_ body: Substring, _ filled: inout Filled) -> Bool {
        let name = body.prefix { $0 != ":" }
        let tail = body[name.endIndex...]
        guard Interpolation.isName(name), tail.isEmpty || tail.hasPrefix(":-") else { return false }
        let variable = String(name)
        filled.variables.append(variable)
        filled.hasDefault = filled.hasDefault || !tail.isEmpty
        if let value = value(of: variable) {
            filled.text += value
            filled.values.append(value)
        } else if !tail.isEmpty {
            filled.text += tail.dropFirst(2)
        } else if !filled.missing.contains(variable) {
            filled.missing.append(variable)
        }
        return true
    }

    private func value(of name: String) -> String? {
        if let value = environment[name], !value.isEmpty { return value }
        guard let path = file(of: name), case .success(let bytes) = secrets(path) else { return nil }
        let value = Interpolation.trimmed(bytes)
        return value?.isEmpty == true ? nil : value
    }

    /// The path that holds the variable's value, where one does.
    private func file(of name: String) -> String? {
        guard environment[name, default: ""].isEmpty, let path = environment[name + "_FILE"], !path.isEmpty else {
            return nil
        }
        return path
    }

    /// False, and a mistake, where `name` comes from a file that holds no text.
    private func isReadable(_ name: String, _ place: Place) -> Bool {
        guard let path = file(of: name) else { return true }
        switch secrets(path) {
        case .success(let bytes) where Interpolation.trimmed(bytes) != nil: return true
        case .success:
            mistakes.add(
                at: place, found: "\(name)_FILE=\(shown(path)) with bytes that are no UTF-8", expected: "a file of text"
            )
        case .failure(let failure):
            mistakes.add(
                at: place, found: "\(name)_FILE=\(shown(path)) (\(failure.reason))", expected: "a file that can be read"
            )
        }
        return false
    }

    /// Without one line end; nil for what is no UTF-8.
    private static func trimmed(_ bytes: [UInt8]) -> String? {
        var bytes = bytes[...]
        if bytes.last == 0x0A {
            bytes = bytes.dropLast()
            if bytes.last == 0x0D { bytes = bytes.dropLast() }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
        }
    }
}
