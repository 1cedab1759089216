public import HTTP

/// What an answer's fields say about keeping it (RFC 9111, section 5.2.2; RFC 5861; RFC 8246; RFC 9213).
///
/// Unknown directives are ignored; of several arguments of one directive the first counts; a broken one counts as zero. Of directives
/// that contradict each other the stricter one counts, which is up to who reads this.
public struct ResponseDirectives: Sendable, Equatable {
    public internal(set) var isPublic = false
    /// `private` about the whole answer.
    public internal(set) var isPrivate = false
    /// `private="…"`: fields that a shared cache doesn't keep.
    public internal(set) var privateFields: [FieldName] = []
    public internal(set) var noStore = false
    /// `no-cache` about the whole answer.
    public internal(set) var noCache = false
    /// `no-cache="…"`: fields that may not be used again without asking.
    public internal(set) var noCacheFields: [FieldName] = []
    public internal(set) var mustRevalidate = false
    public internal(set) var proxyRevalidate = false
    public internal(set) var mustUnderstand = false
    public internal(set) var immutable = false
    /// In seconds, at most 2³¹; nil where it isn't said. The same for the next four.
    public internal(set) var maxAge: Int?
    public internal(set) var sharedMaxAge: Int?
    public internal(set) var staleWhileRevalidate: Int?
    public internal(set) var staleIfError: Int?
    /// A targeted field decides: `Cache-Control` and `Expires` don't count (RFC 9213, section 2.2).
    public internal(set) var isTargeted = false

    /// - Parameter targets: names of targeted fields, the most specific first; the first that is there, is sound and isn't empty
    ///   decides, else `Cache-Control` does.
    public init(_ fields: Fields, targets: [FieldName] = []) {
        for target in targets where fields.contains(target) {
            guard let list = StructuredDictionary.directives(fields.values(target)), !list.isEmpty else { continue }
            isTargeted = true
            for directive in list { take(directive) }
            return
        }
        for directive in Directive.list(fields, .cacheControl) { take(directive) }
    }

    private mutating func take(_ directive: Directive) {
        switch directive.name {
        case "public": isPublic = true
        case "private":
            if let names = directive.names { privateFields += names } else { isPrivate = true }
        case "no-store": noStore = true
        case "no-cache":
            if let names = directive.names { noCacheFields += names } else { noCache = true }
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": immutable = true
        case "max-age": maxAge = maxAge ?? directive.seconds
        case "s-maxage": sharedMaxAge = sharedMaxAge ?? directive.seconds
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds
        case "stale-if-error": staleIfError = staleIfError ?? directive.seconds
        default: break
        }
    }
}
