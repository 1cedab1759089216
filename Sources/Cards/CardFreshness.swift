internal import HTTP

/// How long a card stays good: no longer than what it was made of.
struct CardFreshness: Equatable {
    /// Seconds from now on; nil where nobody said.
    private(set) var seconds: Int?
    private(set) var isForbidden = false

    /// From the fields of an answer that the card is made of.
    init(_ fields: Fields) {
        let age = fields[.age].flatMap { ASCII.decimal($0.utf8) } ?? 0
        for directive in (fields.list(.cacheControl) ?? "").lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { ASCII.trimmed($0) }
            switch parts.first {
            case "no-store", "private": isForbidden = true
            case "no-cache": seconds = 0
            case "max-age" where parts.count == 2 && seconds == nil:
                let life = ASCII.decimal(parts[1].utf8.filter { $0 != UInt8(ascii: "\"") }) ?? 0
                seconds = life > age ? life - age : 0
            default: break
            }
        }
    }

    /// With a part that is good for as long as `other`, or that says nothing of it.
    mutating func combine(_ other: CardFreshness) {
        isForbidden = isForbidden || other.isForbidden
        if let life = other.seconds { seconds = min(seconds ?? life, life) }
    }

    mutating func forbid() { isForbidden = true }

    /// The value of `Cache-Control`.
    var directives: String {
        if isForbidden { return "no-store" }
        guard let seconds, seconds > 0 else { return "no-cache" }
        return "max-age=\(min(seconds, 31_536_000))"
    }
}
