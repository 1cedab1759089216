/// What a client accepts (RFC 9110, section 12.5.1).
public struct MediaRanges: Sendable {
    private var ranges: [(type: String, quality: Double)] = []

    /// - Parameter accept: the list value of `Accept`; nil accepts everything.
    public init(_ accept: String?) {
        for range in (accept ?? "*/*").lowercased().split(separator: ",") {
            let parts = range.split(separator: ";").map { ASCII.trimmed($0) }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            ranges.append((String(type), weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1))
        }
    }

    /// How much `type` is liked, by the most exact range that names it.
    public func quality(of type: String) -> Double {
        let family = type.prefix { $0 != "/" } + "/*"
        for name in [type, String(family), "*/*"] {
            if let range = ranges.first(where: { $0.type == name }) { return range.quality }
        }
        return 0
    }

    /// Whether `type` is named itself and liked more than `other`, or as much but before it.
    public func prefers(_ type: String, to other: String) -> Bool {
        guard let place = ranges.firstIndex(where: { $0.type == type && $0.quality > 0 }) else { return false }
        let mine = quality(of: type)
        let theirs = quality(of: other)
        if mine != theirs { return mine > theirs }
        return ranges.firstIndex { $0.type == other }.map { place < $0 } ?? true
    }
}
