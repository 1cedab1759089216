/// Where a value lies in an upstream's answer: steps down from an object, or from the root of the whole answer.
public struct AnswerPlace: Sendable, Hashable {
    /// One step down. What the value at hand is decides how it is read: an object has a member of this name, an array an element at this
    /// position or one that is found by a member of it.
    public struct Step: Sendable, Hashable {
        /// The name of an object's member.
        public var name: String
        /// An array's element by its position, where the name is one.
        public var position: Int?
        /// An array's first element whose member has this text (`type=onsaleDate`), where the name says so.
        public var member: String?
        public var text: String

        init(_ name: String) {
            self.name = name
            let isPosition =
                name.utf8.allSatisfy { (0x30...0x39).contains($0) } && (name == "0" || !name.hasPrefix("0"))
            position = isPosition ? Int(name) : nil
            let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            member = parts.count == 2 && !parts[0].isEmpty ? String(parts[0]) : nil
            text = parts.count == 2 ? String(parts[1]) : ""
        }
    }
    /// Whether the steps begin at the root of the whole answer.
    public var isFromRoot: Bool
    /// Empty for the object itself.
    public var steps: [Step]

    /// Reads `areaName/0/value`, `/attributionText`, `dates/type=onsaleDate/date`, or `.` for the object itself. In a name `~1` stands for
    /// a slash and `~0` for a tilde. Nil where a step is empty or a tilde stands alone.
    public init?(_ text: String) {
        isFromRoot = text.hasPrefix("/")
        steps = []
        if text == "." { return }
        for part in (isFromRoot ? text.dropFirst() : text[...]).split(separator: "/", omittingEmptySubsequences: false)
        {
            guard !part.isEmpty, let name = AnswerPlace.unescaped(part) else { return nil }
            steps.append(Step(name))
        }
    }

    private static func unescaped(_ part: Substring) -> String? {
        var text = ""
        var rest = part[...]
        while let tilde = rest.firstIndex(of: "~") {
            text += rest[..<tilde]
            let after = rest[rest.index(after: tilde)...]
            switch after.first {
            case "0": text += "~"
            case "1": text += "/"
            default: return nil
            }
            rest = after.dropFirst()
        }
        return text + rest
    }
}

/// What a value is made from.
public enum ValueSource: Sendable, Hashable {
    public enum Piece: Sendable, Hashable {
        case text(String)
        case place(AnswerPlace)
    }
    case place(AnswerPlace)
    /// A text with the scalars at some places put in: `{thumbnail/path}.{thumbnail/extension}`.
    case template([Piece])

    static let form =
        "names with slashes between them such as areaName/0/value or dates/type=onsaleDate/date, or a text with such places in braces"

    /// Reads a place, or a text with places in braces.
    init?(_ text: String) {
        guard let pieces = Braces.split(text) else { return nil }
        if pieces.contains(where: \.isName) {
            var parts: [Piece] = []
            for piece in pieces {
                switch piece {
                case .text(let text): parts.append(.text(text))
                case .name(let name):
                    guard let place = AnswerPlace(name) else { return nil }
                    parts.append(.place(place))
                }
            }
            self = .template(parts)
        } else {
            guard let place = AnswerPlace(text) else { return nil }
            self = .place(place)
        }
    }

    /// Whether it stays where it is, or goes back to the root: no step down from the object at hand.
    var isStill: Bool {
        guard case .place(let place) = self else { return false }
        return place.isFromRoot || place.steps.isEmpty
    }
}

/// A text with names in braces.
enum Braces {
    enum Piece: Hashable {
        case text(String)
        case name(String)

        var isName: Bool { if case .name = self { true } else { false } }
    }

    /// The pieces of `text`; nil where a brace has no partner or encloses nothing.
    static func split(_ text: String) -> [Piece]? {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { return nil }
            let name = rest[rest.index(after: open)..<close]
            guard !name.isEmpty, !name.contains("{") else { return nil }
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            pieces.append(.name(String(name)))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }
}
