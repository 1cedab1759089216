internal import Gateway
internal import HTTP

/// The parts of one answer, for `sluice get -v`. On one loop, or after it.
final class Parts: @unchecked Sendable {
    private(set) var lines = ""

    func note(_ part: PartRecord) {
        let result = part.status.map { String($0.code) } ?? part.failure ?? "-"
        let tenths = Int((part.duration / .microseconds(100)).rounded())
        lines += "\(Parts.word(part)) \(part.url) (\(part.upstream)): \(result), \(tenths / 10).\(tenths % 10) ms\n"
    }

    /// How the cache came by it (RFC 9211): `hit`, `stale`, `collapsed`, `miss`, `renewed` (it was old, and asked about), or
    /// `asked` where nothing is kept.
    private static func word(_ part: PartRecord) -> String {
        if part.failure != nil { return "failed" }
        guard let text = part.cacheStatus else { return "asked" }
        let words = text.split(separator: ";").map { ASCII.trimmed($0) }
        if words.contains("collapsed") { return "collapsed" }
        if words.contains("detail=stale-if-error") || words.contains(where: { $0.hasPrefix("ttl=-") }) {
            return "stale"
        }
        if words.contains("hit") { return "hit" }
        if words.contains("fwd=bypass") { return "asked" }
        return words.contains("fwd=stale") ? "renewed" : "miss"
    }
}
