import JSON

func document(_ text: String, _ limits: JSONLimits = JSONLimits()) throws -> JSONDocument {
    try JSONDocument(Array(text.utf8), limits: limits)
}

func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
}

/// Why the bytes are refused; nil if they are accepted.
func refusal(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONError? {
    do {
        _ = try JSONDocument(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

func refusal(_ text: String, _ limits: JSONLimits = JSONLimits()) -> JSONError? {
    refusal(Array(text.utf8), limits)
}

/// SplitMix64: the same numbers in every run.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func roll(_ sides: Int) -> Int {
        Int.random(in: 0..<sides, using: &self)
    }

    mutating func pick<T>(_ from: [T]) -> T {
        from[roll(from.count)]
    }
}

extension Dice {
    /// A random valid text.
    mutating func json(depth: Int = 5) -> String {
        gap() + value(depth: depth) + gap()
    }

    mutating func value(depth: Int) -> String {
        switch roll(depth > 0 ? 12 : 8) {
        case 0...2: string()
        case 3...5: pick(["0", "-0", "1.10", "1e400", "123456789012345678901234567890", "-12.5E+3", "7"])
        case 6: pick(["true", "false"])
        case 7: "null"
        case 8...9: "[" + list(roll(5)) { dice in dice.value(depth: depth - 1) } + "]"
        default:
            "{"
                + list(roll(6)) { dice in
                    dice.string() + dice.gap() + ":" + dice.gap() + dice.value(depth: depth - 1)
                } + "}"
        }
    }

    mutating func string() -> String {
        let parts = [
            "a", "b", "name", "url", "é", "日本", "\\n", "\\\"", "\\\\", "\\u0061", "\\ud83d\\ude00", "\\ud800", "{", "]",
            ",",
            ":", " ",
        ]
        return "\"" + (0..<roll(4)).map { _ in pick(parts) }.joined() + "\""
    }

    mutating func gap() -> String {
        pick(["", "", "", " ", "\n  ", "\t", "\r\n"])
    }

    private mutating func list(_ count: Int, _ element: (inout Dice) -> String) -> String {
        let elements = (0..<count).map { _ in gap() + element(&self) + gap() }
        return elements.isEmpty ? gap() : elements.joined(separator: ",")
    }
}
