public import HTTP

/// What a client asks of caches on the way (RFC 9111, sections 5.2.1 and 5.4; RFC 5861, section 4).
public struct RequestDirectives: Sendable, Equatable {
    public internal(set) var noCache = false
    public internal(set) var noStore = false
    public internal(set) var onlyIfCached = false
    /// In seconds; a broken argument is 0.
    public internal(set) var maxAge: Int?
    /// In seconds; a broken argument is 0.
    public internal(set) var minFresh: Int?
    /// How many seconds past its life an answer may be; 2³¹ where any number is fine.
    public internal(set) var maxStale: Int?
    public internal(set) var staleIfError: Int?

    /// `Pragma: no-cache` counts where there is no `Cache-Control`.
    public init(_ fields: Fields) {
        guard fields.contains(.cacheControl) else {
            noCache = Directive.list(fields, .pragma).contains { $0.name == "no-cache" }
            return
        }
        for directive in Directive.list(fields, .cacheControl) {
            switch directive.name {
            case "no-cache": noCache = true
            case "no-store": noStore = true
            case "only-if-cached": onlyIfCached = true
            case "max-age": maxAge = maxAge ?? directive.seconds
            case "min-fresh": minFresh = minFresh ?? directive.seconds
            case "max-stale":
                maxStale = maxStale ?? (directive.argument == .none ? DeltaSeconds.maximum : directive.seconds)
            case "stale-if-error": staleIfError = staleIfError ?? directive.seconds
            default: break
            }
        }
    }

    init() {}
}
