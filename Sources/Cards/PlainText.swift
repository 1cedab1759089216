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

    private static let tags: Set<String> = ["br", "p", "b", "i", "em", "strong", "u"]
    private static let references = [
        "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&apos;": "'", "&#39;": "'", "&nbsp;": " ",
        "&mdash;": "—",
        "&ndash;": "–", "&hellip;": "…", "&rsquo;": "’", "&lsquo;": "‘", "&rdquo;": "”", "&ldquo;": "“",
    ]

    private static func replacement(_ piece: Substring) -> String? {
        if piece.first == "&" { return references[String(piece)] }
        let name = piece.dropFirst().dropLast().filter { $0 != "/" && $0 != " " }.lowercased()
        guard tags.contains(name) else { return nil }
        return name == "br" || name == "p" ? " " : ""
    }
}
