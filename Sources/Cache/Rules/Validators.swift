internal import HTTP

/// An entity tag as others write it (RFC 9110, section 8.8.3): weak or strong. An odd one, such as without quotes, is as good a name as
/// others: it is sent as it came and compared byte by byte.
public struct Tag: Sendable, Hashable {
    public var isWeak: Bool
    /// With its quotes.
    public var opaque: String

    /// Nil where `text` names nothing: it is empty, or would be read as `*` in a condition.
    public init?(_ text: some StringProtocol) {
        var rest = ASCII.trimmed(Substring(text))
        isWeak = rest.hasPrefix("W/")
        if isWeak { rest = rest.dropFirst(2) }
        guard !rest.isEmpty else { return nil }
        opaque = String(rest)
        guard isSound || !rest.split(separator: ",").contains(where: { ASCII.trimmed($0) == "*" }) else { return nil }
    }

    /// Whether it is written as it should be.
    var isSound: Bool {
        let bytes = opaque.utf8
        return bytes.count >= 2 && bytes.first == 0x22 && bytes.last == 0x22
            && bytes.dropFirst().dropLast().allSatisfy { $0 != 0x22 && $0 > 0x20 && $0 != 0x7F }
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

    /// Nil where there is no such field.
    init?(_ fields: Fields, _ name: FieldName) {
        guard let value = fields.list(name) else { return nil }
        if ASCII.trimmed(value[...]) == "*" {
            self = .any
            return
        }
        // An odd tag may hold a comma too: the whole may be one.
        var tags = [Tag(value)].compactMap { $0 }
        var rest = ASCII.trimmed(value[...])
        while !rest.isEmpty {
            let member = TagList.first(of: rest)
            if let tag = Tag(member), !tags.contains(tag) { tags.append(tag) }
            rest = ASCII.trimmed(rest[member.endIndex...].dropFirst())
        }
        self = .tags(tags)
    }

    /// What stands in front of the first comma that isn't in quotes. A tag may hold a comma, but no quote.
    private static func first(of list: Substring) -> Substring {
        let start = list.hasPrefix("W/") ? list.index(list.startIndex, offsetBy: 2) : list.startIndex
        guard list[start...].hasPrefix("\""),
            let close = list[list.index(after: start)...].firstIndex(of: "\"")
        else { return list.prefix { $0 != "," } }
        let behind = list[close...].dropFirst()
        return list[..<behind.prefix { $0 != "," }.endIndex]
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
