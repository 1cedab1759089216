internal import HTTP

/// Which bytes of the whole an answer holds that is a part (RFC 9111, section 3.3; RFC 9110, section 14.4).
struct Extent: Sendable, Equatable {
    /// Never empty, and below `total`.
    var bytes: Range<Int>
    /// The length of the whole.
    var total: Int

    /// By `Content-Range: bytes 0-4/10`; nil where it says something else, or not how long the whole is.
    init?(_ fields: Fields) {
        let words = (fields[.contentRange] ?? "").split(separator: " ", maxSplits: 1)
        guard fields.values(.contentRange).count == 1, words.count == 2, words[0].lowercased() == "bytes",
            let slash = words[1].firstIndex(of: "/"), let dash = words[1].firstIndex(of: "-"), dash < slash,
            let first = ASCII.decimal(words[1][..<dash].utf8),
            let last = ASCII.decimal(words[1][words[1].index(after: dash)..<slash].utf8),
            let total = ASCII.decimal(words[1][words[1].index(after: slash)...].utf8), first <= last, last < total
        else { return nil }
        bytes = first..<last + 1
        self.total = total
    }

    private init(_ bytes: Range<Int>, of total: Int) {
        self.bytes = bytes
        self.total = total
    }

    var isWhole: Bool { bytes.count == total }

    /// Nil where something lies between them, or they are of wholes of different length.
    func joined(with other: Extent) -> Extent? {
        guard total == other.total, bytes.lowerBound <= other.bytes.upperBound,
            other.bytes.lowerBound <= bytes.upperBound
        else { return nil }
        let first = min(bytes.lowerBound, other.bytes.lowerBound)
        return Extent(first..<max(bytes.upperBound, other.bytes.upperBound), of: total)
    }

    /// Whether all that a range asks for lies in it.
    func holds(_ range: ByteRange) -> Bool {
        let wanted: [Range<Int>] =
            switch range {
            case .whole, .unsatisfiable: []
            case .part(let range): [range]
            case .parts(let ranges): ranges
            }
        return !wanted.isEmpty
            && wanted.allSatisfy { $0.lowerBound >= bytes.lowerBound && $0.upperBound <= bytes.upperBound }
    }
}

extension StoredAnswer {
    /// Whether it can answer this request: the whole always can, a part only what asks for bytes of it.
    func covers(_ request: Request) -> Bool {
        guard let extent else { return true }
        guard request.method == .get, let range = request.fields[.range] else { return false }
        return ByteRange.isHeeded(request.fields[.ifRange], validators, date: date, now: received.seconds)
            && extent.holds(ByteRange(range, length: extent.total))
    }

    /// Whether the same strong tag says that both are of the same bytes (RFC 9110, section 15.3.7.3).
    private func isOfTheSame(_ other: StoredAnswer) -> Bool {
        guard let tag = validators.tag, let others = other.validators.tag, tag.isSound else { return false }
        return tag.isStronglyEqual(to: others)
    }

    /// This part with all that older parts of the same thing add to it (RFC 9111, section 3.4); the whole where nothing is missing.
    func completed(by others: [StoredAnswer]) -> StoredAnswer {
        var answer = self
        for other in others where other.selection == selection && isOfTheSame(other) {
            guard let own = answer.extent, let extent = other.extent, let all = own.joined(with: extent) else {
                continue
            }
            var content: [UInt8] = []
            content.reserveCapacity(all.bytes.count)
            if extent.bytes.lowerBound < own.bytes.lowerBound {
                content += other.content.prefix(own.bytes.lowerBound - extent.bytes.lowerBound)
            }
            content += answer.content
            if extent.bytes.upperBound > own.bytes.upperBound {
                content += other.content.suffix(extent.bytes.upperBound - own.bytes.upperBound)
            }
            answer = answer.grown(to: all, content, over: other.fields)
        }
        return answer
    }

    /// Whether this part need not be kept, since the whole is kept and fresh, or so much of it that to copy that for so little would cost
    /// more than it is worth.
    func isNeedless(beside others: [StoredAnswer], at now: Moment) -> Bool {
        guard extent != nil else { return false }
        return others.contains { other in
            guard other.selection == selection, other.freshness(at: now) > 0 else { return false }
            return other.extent == nil || other.content.count > 1 << 20 && content.count < other.content.count / 64
        }
    }

    /// Whether it need not be kept any more beside `newer`.
    func isReplaced(by newer: StoredAnswer) -> Bool {
        guard selection == newer.selection else { return false }
        guard let extent, let other = newer.extent, isOfTheSame(newer) else { return true }
        return extent.joined(with: other) != nil
    }
}
