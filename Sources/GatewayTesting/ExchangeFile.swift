public import HTTP

/// One scenario: a contract, what the upstreams answer, and exchanges with what is expected of them. `Tests/Exchanges/README.md` describes
/// the form of the files.
public struct ExchangeFile: Sendable {
    /// Where the plan comes from.
    public enum Contract: Sendable, Equatable {
        /// Names of files.
        case files([String])
        case inline(String)
    }

    /// One answer of an upstream.
    public struct Scripted: Sendable {
        public var line: Int
        public var upstream: String
        /// `GET /films/1/`
        public var request: String
        public var answer: ScriptedUpstream.Answer
    }

    public enum Kept: String, Sendable {
        case nothing = "off"
        case upstream
        case all
    }

    /// What a client sends and what it gets.
    public struct Exchange: Sendable {
        public var line: Int
        public var method: Method
        public var target: String
        /// That passes before it, on the manual clock.
        public var delay: Duration
        public var fields: [(name: FieldName, value: String)]
        /// Nil: the request has no content.
        public var body: String?
        public var expected: Expected?
        public var seen: [Seen] = []
    }

    public struct Expected: Sendable {
        public var line: Int
        public var status: Int
        public var fields: [FieldCheck]
        /// Nil: the answer has no content.
        public var body: String?
        /// Whether `…` in the body stands for any text.
        public var isAbridged: Bool
        /// On the manual clock, from the request.
        public var time: Duration?
    }

    public struct FieldCheck: Sendable {
        public enum Rule: Sendable, Equatable {
            case value(String)
            case anyValue
            case absent
        }
        public var line: Int
        public var name: FieldName
        public var rule: Rule
    }

    /// What an upstream must have been asked since the request, no more and no less.
    public struct Seen: Sendable {
        public var line: Int
        public var upstream: String
        public var isOrdered: Bool
        public var requests: [Request]

        public struct Request: Sendable {
            public var text: String
            public var fields: [FieldCheck] = []
            /// What its content must have been, with the line that says so.
            public var body: (line: Int, text: String)?
        }
    }

    public var title: String
    public var contract: Contract
    var contractLine: Int
    /// What links in answers begin with.
    public var publicURL: String
    public var isDraining = false
    /// What is kept, nothing as a rule.
    public var kept = Kept.nothing
    public var environment: [String: String] = [:]
    public var scripted: [Scripted] = []
    public var exchanges: [Exchange] = []

    /// A mistake in a file, or something that turned out differently than it says.
    public struct Finding: Error, Sendable, CustomStringConvertible {
        public var line: Int
        public var text: String
        public var description: String { "line \(line): \(text)" }
    }
}
