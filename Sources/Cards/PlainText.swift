/// Marvel's descriptions are text with a little HTML in it.
enum PlainText {
    /// `html` with a blank for each tag that is known to occur, and characters for the references that are. All else stays as it is: `<` alone
    /// is a sign like others.
    static func text(ofHTML html: String) -> String {
        var text = ""
        var rest = html[...]
        while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
            text += rest[..<start]
            let end: Character = rest[start] == "<" ? ">" : ";"
            // No tag and no reference that is known is longer.
            let window = rest[start...].prefix(12)
            if let close = window.firstIndex(of: end), let replacement = replacement(rest[start...close]) {
                text += replacement
                rest = rest[rest.index(after: close)...]
            } else {
                text.append(rest[start])
                rest = rest[rest.index(after: start)...]
            }
        }
        return text + rest
    }

    /// The character of `&#65;` or `&#x41;`; nil where it is none that is shown.
    private static func character(numbered piece: Substring) -> String? {
        guard piece.hasPrefix("&#") else { return nil }
        let digits = piece.dropFirst(2).dropLast()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.properties.generalCategory != .control else {
            return nil
        }
        return String(Character(scalar))
    }

    private static let tags: Set<String> = ["br", "p", "b", "i", "em", "strong", "u"]
    private static let references = [
        "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&apos;": "'", "&#39;": "'", "&nbsp;": " ",
        "&mdash;": "—", "&copy;": "©", "&reg;": "®", "&trade;": "™", "&bull;": "•", "&eacute;": "é",
        "&ndash;": "–", "&hellip;": "…", "&rsquo;": "’", "&lsquo;": "‘", "&rdquo;": "”", "&ldquo;": "“",
    ]

    private static func replacement(_ piece: Substring) -> String? {
        if piece.first == "&" { return references[String(piece)] ?? character(numbered: piece) }
        let name = piece.dropFirst().dropLast().filter { $0 != "/" && $0 != " " }.lowercased()
        guard tags.contains(name) else { return nil }
        return name == "br" || name == "p" ? " " : ""
    }
}
