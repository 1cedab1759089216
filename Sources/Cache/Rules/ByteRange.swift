internal import HTTP

/// What a `Range` means for an answer that we have whole (RFC 9110, section 14).
///
/// Ranges that are many or overlap are answered with the whole (section 14.2 allows it), so that nobody can make us send the same bytes
/// many times.
public enum ByteRange: Sendable, Equatable {
    /// No range, or one that we don't heed: all of it.
    case whole
    /// 206 with these bytes; never empty.
    case part(Range<Int>)
    /// 206 with each of these in a part of its own, in this order; two or more.
    case parts([Range<Int>])
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
        guard !ranges.isEmpty, ranges.count <= Self.most else { return }
        var wanted: [Range<Int>] = []
        for range in ranges {
            switch ByteRange(one: range, length: length) {
            case .part(let part): wanted.append(part)
            case .unsatisfiable: continue
            case .whole, .parts: return
            }
        }
        let sorted = wanted.sorted { $0.lowerBound < $1.lowerBound }
        guard zip(sorted, sorted.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) else { return }
        if wanted.count > 1 { self = .parts(wanted) } else { self = wanted.first.map(ByteRange.part) ?? .unsatisfiable }
    }

    /// How many ranges one request may name.
    private static let most = 16

    /// One of the list; `whole` where it is no range.
    private init(one range: Substring, length: Int) {
        self = .whole
        guard let dash = range.firstIndex(of: "-") else { return }
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
        if let asked = CacheDate.seconds(value, now: now) {
            return asked == validators.lastModified && date - asked >= 1
        }
        return Tag(value).map { tag in validators.tag.map(tag.isStronglyEqual) ?? false } ?? false
    }
}
