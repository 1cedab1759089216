/// A limit or setting: one row of `ParameterTable`. From it come the flag, the environment variable, the check of a
/// value, `--help` and the page of parameters.
public struct Parameter: Sendable {
    /// The commands that have parameters.
    public enum Command: String, Sendable, CaseIterable { case serve, check, routes, get, upload, sample, health }

    public enum Group: String, Sendable, CaseIterable {
        case general = "General"
        case clients = "Clients"
        case upstreams = "Upstreams"
        case cache = "Cache"
        case request = "One request"
        case cards = "Cards"
        case upload = "Upload"
        case log = "Log"
        case admin = "Admin port"
    }

    /// What a value is, the range it must lie in (bounds included), and the place in `Settings` that it goes to. The defaults are
    /// what a fresh `Settings` holds.
    public enum Kind: Sendable {
        /// A whole number; `unit` is its plural, such as `links`.
        case count(Field<Int>, ClosedRange<Int>, unit: String)
        case bytes(Field<Int>, ClosedRange<Int>)
        case duration(Field<Duration>, ClosedRange<Duration>)
        case port(Field<Int>)
        case text(Field<String>)
        /// An address that may hold a password: no message shows it.
        case address(Field<String>)
        /// One of a few words.
        case word(Field<String>, [String])
        /// A file or folder.
        case path(Field<String>)
        case flag(Field<Bool>)
        /// Files or folders; in an environment variable with colons between them.
        case list(Field<[String]>)
    }

    public typealias Field<Value> = any WritableKeyPath<Settings, Value> & Sendable

    /// With dashes, `idle-timeout`.
    public let name: String
    public let kind: Kind
    /// What it means, as whole sentences.
    public let prose: String
    public let commands: [Command]
    public let group: Group

    /// `--idle-timeout`.
    public var flag: String { "--" + name }

    /// `SLUICE_IDLE_TIMEOUT`.
    public var environmentVariable: String {
        "SLUICE_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// What stands for a value in `--help`; nil for a flag that needs none.
    public var placeholder: String? {
        switch kind {
        case .count: "N"
        case .bytes: "SIZE"
        case .duration: "DURATION"
        case .port: "PORT"
        case .text: "TEXT"
        case .address: "URL"
        case .word(_, let words): words.joined(separator: "|")
        case .path: "PATH"
        case .flag: nil
        case .list: "PATHS"
        }
    }

    /// The smallest value as text; nil where there is no range.
    public var minimum: String? { bounds?.minimum }
    /// The largest value as text; nil where there is no range.
    public var maximum: String? { bounds?.maximum }

    private var bounds: (minimum: String, maximum: String)? {
        switch kind {
        case .count(_, let range, _): (String(range.lowerBound), String(range.upperBound))
        case .bytes(_, let range): (Quantity.text(bytes: range.lowerBound), Quantity.text(bytes: range.upperBound))
        case .duration(_, let range): (Quantity.text(range.lowerBound), Quantity.text(range.upperBound))
        case .port: ("0", "65535")
        case .text, .address, .word, .path, .flag, .list: nil
        }
    }

    /// The default as text; empty for none.
    public var `default`: String { text(in: Settings()) }

    /// The value in `settings` as it would be written.
    public func text(in settings: Settings) -> String {
        switch kind {
        case .count(let field, _, _), .port(let field): String(settings[keyPath: field])
        case .bytes(let field, _): Quantity.text(bytes: settings[keyPath: field])
        case .duration(let field, _): Quantity.text(settings[keyPath: field])
        case .text(let field), .address(let field), .word(let field, _), .path(let field): settings[keyPath: field]
        case .flag(let field): settings[keyPath: field] ? "true" : "false"
        case .list(let field): settings[keyPath: field].joined(separator: ":")
        }
    }

    /// What a value must be: `a size such as … from 256B to 64KiB`.
    public var expected: String {
        let range = bounds.map { " from \($0.minimum) to \($0.maximum)" } ?? ""
        return switch kind {
        case .count(_, _, let unit): "a number of \(unit)\(range)"
        case .bytes: Quantity.bytesForm + "," + range
        case .duration: Quantity.durationForm + "," + range
        case .port: "a port\(range)"
        case .text: "text without control characters"
        case .address: "an address without blanks"
        case .word(_, let words): "one of: " + words.joined(separator: ", ")
        case .path: "a path"
        case .flag: "true or false"
        case .list: "paths with colons between them"
        }
    }
}

/// A value that can't be used.
public struct ParameterMistake: Error, Sendable, Equatable, CustomStringConvertible {
    /// The flag (`--port`) or the environment variable (`SLUICE_PORT`).
    public var source: String
    public var found: String
    public var expected: String

    public init(source: String, found: String, expected: String) {
        self.source = source
        self.found = found
        self.expected = expected
    }

    public var description: String { "\(source): found \(found), expected \(expected)" }
}

/// Every mistake of a command line and its environment, in the order of the flags and then of the table.
public struct ParameterMistakes: Error, Sendable, Equatable, CustomStringConvertible {
    public var all: [ParameterMistake]
    public init(_ all: [ParameterMistake]) { self.all = all }
    public var description: String { all.map(\.description).joined(separator: "\n") }
}
