internal import HTTP

/// An entity tag as others write it (RFC 9110, section 8.8.3): weak or strong.
public struct Tag: Sendable, Hashable {
    public var isWeak: Bool
    /// With its quotes.
    public var opaque: String

    /// Nil where `text` is no entity tag.
    public init?(_ text: some StringProtocol) {
        var rest = ASCII.trimmed(Substring(text))
        isWeak = rest.hasPrefix("W/")
        if isWeak { rest = rest.dropFirst(2) }
        let bytes = rest.utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22,
            bytes.dropFirst().dropLast().allSatisfy({ $0 != 0x22 && $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        opaque = String(rest)
    }

    public var text: String { isWeak ? "W/" + opaque : opaque }

    /// RFC 9110, section 8.8.3.2: the same bytes.
    public func isStronglyEqual(to other: Tag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }
    /// RFC 9110, section 8.8.3.2: as good as the same.
    public func isWeaklyEqual(to other: Tag) -> Bool { opaque == other.opaque }
}

/// The value of `If-Match` or `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).
enum TagList: Equatable {
    /// `*`
    case any
    case tags([Tag])

    /// Nil where there is no such field. What is no tag names nothing.
    init?(_ fields: Fields, _ name: FieldName) {
        guard let value = fields.list(name) else { return nil }
        if ASCII.trimmed(value[...]) == "*" {
            self = .any
            return
        }
        var tags: [Tag] = []
        var rest = ASCII.trimmed(value[...])
        while !rest.isEmpty {
            // A tag may hold a comma, but no quote.
            guard let open = rest.firstIndex(of: "\""),
                let close = rest[rest.index(after: open)...].firstIndex(of: "\"")
            else { break }
            let before = rest[..<open].split(separator: ",", omittingEmptySubsequences: false).last ?? ""
            if let tag = Tag(ASCII.trimmed(before) + rest[open...close]) { tags.append(tag) }
            rest = rest[rest.index(after: close)...]
        }
        self = .tags(tags)
    }

    func names(_ tag: Tag?, strongly: Bool) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags):
            tag.map { tag in
                tags.contains { strongly ? $0.isStronglyEqual(to: tag) : $0.isWeaklyEqual(to: tag) }
            } ?? false
        }
    }
}

/// By what an answer can be told from another of the same resource (RFC 9110, section 8.8).
struct Validators: Sendable, Equatable {
    var tag: Tag?
    /// Seconds since 1970.
    var lastModified: Int?
    /// As it came.
    var lastModifiedText: String?

    /// - Parameter received: by which a year of two digits is read; nil where only existence matters.
    init(_ fields: Fields, received: Moment?) {
        tag = fields[.etag].flatMap { Tag($0) }
        guard let text = fields[.lastModified],
            let seconds = CacheDate.seconds(text, now: received?.seconds ?? 1 << 31)
        else { return }
        lastModified = seconds
        lastModifiedText = text
    }

    var exist: Bool { tag != nil || lastModified != nil }
}
