internal import HTTP
internal import Plan

/// How long an answer stays good (RFC 9111, section 4.2), as far as its upstream and the contract say.
struct Freshness: Sendable, Equatable {
    /// Seconds from now on; nil where nobody said.
    var seconds: Int?
    /// Whether it must not be kept by anybody else.
    var isForbidden = false

    /// Of an answer that nothing went into yet.
    init() { seconds = .max }

    /// From an upstream's fields; `policy` counts where they say nothing, or wins where it says so.
    init(_ fields: Fields, policy: CachePolicy?) {
        let own = policy?.ttl.map { Int($0.components.seconds) }
        if policy?.override == true, let own {
            seconds = own
            return
        }
        guard fields.contains(.cacheControl) else {
            seconds = own
            return
        }
        var lifetime: Int?
        var shared: Int?
        for directive in (fields.list(.cacheControl) ?? "").lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { ASCII.trimmed($0) }
            let number = parts.count == 2 ? ASCII.decimal(parts[1].utf8.filter { $0 != 0x22 }) : nil
            switch parts.first {
            case "no-store", "private": isForbidden = true
            case "no-cache": lifetime = 0
            case "max-age": lifetime = lifetime == 0 ? 0 : number ?? 0
            case "s-maxage": shared = number ?? 0
            default: break
            }
        }
        if let said = shared ?? lifetime {
            let age = fields[.age].flatMap { ASCII.decimal($0.utf8) } ?? 0
            seconds = max(0, said - age)
        } else {
            seconds = own
        }
    }

    /// What holds for both together: the shorter life, the stricter rule. Where one says nothing, nothing is promised.
    mutating func combine(_ other: Freshness) {
        isForbidden = isForbidden || other.isForbidden
        if let mine = seconds, let theirs = other.seconds { seconds = min(mine, theirs) } else { seconds = nil }
    }

    /// The value of `Cache-Control`.
    var directives: String {
        if isForbidden { return "no-store" }
        // A year is the most that anybody keeps anything.
        return seconds.map { "max-age=\(min($0, 31_536_000))" } ?? "no-cache"
    }
}
