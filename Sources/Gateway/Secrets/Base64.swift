/// Base64 (RFC 4648, section 4), as `Authorization: Basic` has it: to find a text in it, not to write it.
enum Base64 {
    private static let signs = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The signs that stand for `bytes` wherever they are in a longer text (which puts them at one of three places in a group), without
    /// those at the ends that also depend on the neighbours; with `-` and `_` in place of `+` and `/` (section 5) where that is another text.
    static func inner(_ bytes: [UInt8]) -> [String] {
        (0..<3).flatMap { shift -> [String] in
            let bits = [UInt8](repeating: 0, count: shift) + bytes
            var found: [UInt8] = []
            // The first sign whose six bits are all ours, and the last.
            let first = (shift * 8 + 5) / 6
            let end = bits.count * 8 / 6
            for sign in first..<max(first, end) {
                var value = 0
                for bit in sign * 6..<sign * 6 + 6 { value = value << 1 | Int(bits[bit / 8] >> UInt8(7 - bit % 8) & 1) }
                found.append(signs[value])
            }
            let text = String(decoding: found, as: UTF8.self)
            let safe = String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
            return text == safe ? [text] : [text, safe]
        }
    }
}
