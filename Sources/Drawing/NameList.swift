/// Some names of many, as a line.
enum NameList {
    /// As many names as fit, and how many more there are: "Ann, Bo and 3 more".
    /// - Parameters:
    ///   - count: how many there are in all; at least as many as `names`.
    ///   - fits: asked of texts that grow.
    static func text(_ names: [String], of count: Int, fits: (String) -> Bool) -> String {
        guard let first = names.first else {
            return count > 0 ? "\(count) \(count == 1 ? "character" : "characters")" : ""
        }
        let all = text(names[...], of: count)
        if fits(all) { return all }
        var best = text([first], of: count)
        for shown in names.indices.dropFirst() {
            let candidate = text(names[..<shown], of: count)
            guard fits(candidate) else { break }
            best = candidate
        }
        return best
    }

    private static func text(_ names: ArraySlice<String>, of count: Int) -> String {
        // Each name keeps its own direction, and the list runs from the left whatever the first name is.
        var parts = names.map { "\u{2068}\(whole($0))\u{2069}" }
        let more = count - parts.count
        let last = more > 0 ? "\(more)\u{A0}more" : parts.popLast() ?? ""
        return "\u{200E}" + (parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last)
    }

    /// A name that stays on one line, where it is short enough to find room there.
    private static func whole(_ name: String) -> String {
        guard name.unicodeScalars.count <= 24 else { return name }
        return String(name.map { $0 == " " ? "\u{A0}" : $0 })
    }
}
