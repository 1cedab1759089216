/// A place in a text; line and column (in characters) count from 1.
struct Mark: Sendable, Hashable {
    var line: Int
    var column: Int

    static let start = Mark(line: 1, column: 1)
}

/// A value of a YAML (or JSON) document that knows where it stands.
struct YAMLNode: Sendable {
    enum Value: Sendable {
        case scalar(YAMLScalar)
        case list([YAMLNode])
        /// In the document's order; no key stands twice.
        case map([Entry])
    }
    struct Entry: Sendable {
        var key: String
        var keyMark: Mark
        var node: YAMLNode
    }
    var mark: Mark
    var value: Value

    var isNull: Bool { if case .scalar(.null) = value { true } else { false } }
}

/// A scalar by the core schema of YAML 1.2 (section 10.3.2): what is quoted is text, whatever it looks like.
enum YAMLScalar: Sendable, Hashable {
    case null
    case flag(Bool)
    /// In the form that JSON has for it: `0x1F` is `31`, `.5` is `0.5`.
    case number(String)
    /// `.inf` or `.nan`, which JSON has no form for, as it stands.
    case notFinite(String)
    case text(String)

    /// Reads a plain scalar.
    init(plain text: String) {
        switch text {
        case "", "~", "null", "Null", "NULL": self = .null
        case "true", "True", "TRUE": self = .flag(true)
        case "false", "False", "FALSE": self = .flag(false)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN":
            self = .notFinite(text)
        default: self = YAMLScalar.number(of: text).map(YAMLScalar.number) ?? .text(text)
        }
    }

    private static func number(of text: String) -> String? {
        if text.hasPrefix("0o") { return Int(text.dropFirst(2), radix: 8).flatMap { unsigned(text, $0) } }
        if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16).flatMap { unsigned(text, $0) } }
        var rest = text[...]
        let sign = rest.first == "-" ? "-" : ""
        if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
        let whole = takeDigits(&rest)
        var fraction = ""
        if rest.first == "." {
            rest = rest.dropFirst()
            fraction = takeDigits(&rest)
        }
        guard !whole.isEmpty || !fraction.isEmpty, let exponent = takeExponent(&rest), rest.isEmpty else { return nil }
        let significant = whole.drop { $0 == "0" }
        return sign + (significant.isEmpty ? "0" : significant) + (fraction.isEmpty ? "" : "." + fraction) + exponent
    }

    /// Empty where there is none; nil where it has no digits.
    private static func takeExponent(_ rest: inout Substring) -> String? {
        guard let letter = rest.first, letter == "e" || letter == "E" else { return "" }
        rest = rest.dropFirst()
        let sign = rest.first == "-" ? "-" : ""
        if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
        let digits = takeDigits(&rest)
        return digits.isEmpty ? nil : "e" + sign + digits
    }

    /// `Int(_:radix:)` takes a sign, YAML doesn't.
    private static func unsigned(_ text: String, _ value: Int) -> String? {
        text.contains("-") || text.contains("+") ? nil : String(value)
    }

    private static func takeDigits(_ text: inout Substring) -> String {
        let digits = text.prefix { $0 >= "0" && $0 <= "9" }
        text = text[digits.endIndex...]
        return String(digits)
    }
}
