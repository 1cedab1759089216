internal import HTTP

/// What a `Range` means for an answer that we have whole (RFC 9110, section 14).
///
/// One range is cut out. Several are answered with the whole (section 14.2 allows it): a client that wants parts gets them in one piece, and
/// nobody can make us send the same bytes many times.
public enum ByteRange: Sendable, Equatable {
    /// No range, or one that we don't heed: all of it.
    case whole
    /// 206 with these bytes; never empty.
    case part(Range<Int>)
    /// 416: it begins behind the end.
    case unsatisfiable

    /// - Parameters:
    ///   - value: of `Range`; nil where there is none.
    ///   - length: of the whole content.
    public init(_ value: String?, length: Int) {
        self = .whole
        guard let value, let equals = value.firstIndex(of: "="),
            ASCII.trimmed(value[..<equals]).lowercased() == "bytes"
        else { return }
        let ranges = value[value.index(after: equals)...].split(separator: ",").map { ASCII.trimmed($0) }
            .filter { !$0.isEmpty }
        guard ranges.count == 1, let range = ranges.first, let dash = range.firstIndex(of: "-") else { return }
        let (first, last) = (range[..<dash], range[range.index(after: dash)...])
        if first.isEmpty {
            guard let count = ByteRange.position(last) else { return }
            self = count == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - count)..<length)
        } else if let start = ByteRange.position(first) {
            let end = last.isEmpty ? Int.max : ByteRange.position(last)
            guard let end, end >= start else { return }
            self = start >= length ? .unsatisfiable : .part(start..<min(end, length - 1) + 1)
        }
    }

    /// A number of any length; one that is too large for us is `Int.max`.
    private static func position(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return ASCII.decimal(text.utf8.drop { $0 == 0x30 }) ?? (text.utf8.allSatisfy { $0 == 0x30 } ? 0 : Int.max)
    }

    /// Whether `If-Range` lets the range count (RFC 9110, section 13.1.5): it names the answer's strong tag, or exactly its last change where
    /// that is a strong validator (section 8.8.2.2), a second or more before its `Date`.
    static func isHeeded(_ value: String?, _ validators: Validators, date: Int, now: Int) -> Bool {
        guard let value else { return true }
        if let tag = Tag(value) { return validators.tag.map(tag.isStronglyEqual) ?? false }
        guard let asked = CacheDate.seconds(value, now: now), let changed = validators.lastModified else {
            return false
        }
        return asked == changed && date - changed >= 1
    }
}
