/// What a shaped value must be besides its type; one that isn't is null.
public struct ValueRules: Sendable {
    /// A text, or another scalar as JSON writes it.
    public enum Scalar: Sendable, Hashable {
        case text(String)
        case token(String)
    }
    /// `enum` and `const`; nil allows everything.
    public var allowed: Set<Scalar>?
    /// The values of `not: {enum: …}`.
    public var refused: Set<Scalar> = []
    public var patterns: [LiteralPattern] = []
    /// The patterns of `not: {pattern: …}`.
    public var refusedPatterns: [LiteralPattern] = []
    /// In Unicode scalars.
    public var minimumLength: Int?
    public var maximumLength: Int?
    public var minimum: Double?
    public var maximum: Double?
    public var exclusiveMinimum: Double?
    public var exclusiveMaximum: Double?
    /// `formatMinimum` and `formatMaximum`: the first and the last date that is one.
    public var earliest: CivilDate?
    public var latest: CivilDate?
    /// What stands where there is no value, as JSON; null without it.
    public var `default`: [UInt8]?
    /// Whether an item that can't be converted stays as null and isn't left out.
    public var allowsNull = false

    public init() {}
}

/// A `pattern` that is literal text, perhaps bound to the beginning or the end: it needs no engine and can't run away.
public struct LiteralPattern: Sendable, Hashable {
    public let text: String
    public let isAtStart: Bool
    public let isAtEnd: Bool

    static let form =
        "literal text, perhaps with ^ before and $ behind it and with a backslash before any of . * + ? ( ) [ ] { } | ^ $ \\ and /"

    /// Nil where `pattern` has a sign that means something else than itself.
    public init?(_ pattern: String) {
        var rest = pattern.unicodeScalars[...]
        isAtStart = rest.first == "^"
        if isAtStart { rest = rest.dropFirst() }
        var text = String.UnicodeScalarView()
        var isAtEnd = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\":
                guard let next = rest.popFirst(), LiteralPattern.signs.contains(next) || next == "/" || next == "-"
                else {
                    return nil
                }
                text.append(next)
            case "$" where rest.isEmpty: isAtEnd = true
            case _ where LiteralPattern.signs.contains(scalar): return nil
            default: text.append(scalar)
            }
        }
        self.text = String(text)
        self.isAtEnd = isAtEnd
    }

    private static let signs = Set(".*+?()[]{}|^$\\".unicodeScalars)

    public func matches(_ value: String) -> Bool {
        let (value, text) = (value.utf8, text.utf8)
        switch (isAtStart, isAtEnd) {
        case (true, true): return value.elementsEqual(text)
        case (true, false): return value.starts(with: text)
        case (false, true): return value.suffix(text.count).elementsEqual(text)
        case (false, false):
            guard let first = text.first else { return true }
            var rest = value[...]
            while let start = rest.firstIndex(of: first) {
                rest = rest[start...]
                if rest.starts(with: text) { return true }
                rest = rest.dropFirst()
            }
            return false
        }
    }
}
