internal import Cache
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

    /// How the cache came by it, as ``CacheStatus/word(of:)`` says it; `failed` where it didn't.
    private static func word(_ part: PartRecord) -> String {
        if part.failure != nil { return "failed" }
        return part.cacheStatus.flatMap(CacheStatus.word) ?? "asked"
    }
}
