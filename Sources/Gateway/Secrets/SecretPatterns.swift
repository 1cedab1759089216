/// The forms of an upstream's credentials, and how they and their pieces are found in a text.
///
/// A text is looked at twice at the most: a glance over its bytes as they came tells nearly always that there is nothing; only where it can't, the
/// text is decoded and searched.
struct SecretPatterns: Sendable {
    /// One folded form.
    struct Pattern: Sendable {
        enum Rule: Sendable {
            /// Only as a whole.
            case whole
            /// Also any `longPiece` signs of it, and the first or last `shortPiece` where they hold letters and digits.
            case pieces
            /// Also any `longPiece` signs of it.
            case longPieces
        }
        let text: [UInt8]
        let rule: Rule

        init?(_ text: [UInt8], _ rule: Rule) {
            guard text.count >= (rule == .longPieces ? SecretPatterns.longPiece : SecretPatterns.shortPiece) else {
                return nil
            }
            self.text = text
            self.rule = rule
        }

        /// Where the grips stand: each piece that counts holds one of them.
        fileprivate var grips: [(offset: Int, window: UInt64)] {
            let last = text.count - SecretPatterns.shortPiece
            let offsets = rule == .whole ? [0] : Array(Set(Array(stride(from: 0, to: last, by: 5)) + [last]))
            return offsets.map { offset in
                (offset, text[offset..<offset + SecretPatterns.shortPiece].reduce(0) { $0 << 8 | UInt64($1) })
            }
        }

        /// Whether a text has as much of this around the grip at `position` as may not be shown.
        fileprivate func isTold(by found: [UInt8], at position: Int, offset: Int) -> Bool {
            var (start, end) = (offset, offset + SecretPatterns.shortPiece)
            let shift = position - offset
            while start > 0, shift + start > 0, text[start - 1] == found[shift + start - 1] { start -= 1 }
            while end < text.count, shift + end < found.count, text[end] == found[shift + end] { end += 1 }
            if start == 0, end == text.count { return true }
            let piece = text[start..<end]
            if rule == .whole || SecretPatterns.isSequence(piece) { return false }
            if piece.count >= SecretPatterns.longPiece { return true }
            return rule == .pieces && (start == 0 || end == text.count) && SecretPatterns.isMixed(piece)
        }
    }

    static let shortPiece = 8
    static let longPiece = 12
    /// Credentials shorter than this are found only as a whole: half of one is too little to be told from other texts.
    static let shortestInPieces = 16
    /// So many hexadecimal digits in a row may be a digest that nobody told us.
    private static let digits = 20

    private let patterns: [Pattern]
    private var grips: [UInt64: [(pattern: Int, offset: Int)]] = [:]
    /// A bit for each value of ``slot(_:)``.
    private var filter = [UInt64](repeating: 0, count: 1024)
    /// The digests that one answer was asked with.
    private var digests: [(window: UInt64, pattern: Pattern, offset: Int)] = []
    private let looksForDigests: Bool

    /// - Parameter looksForDigests: requests are signed with hexadecimal digests.
    init(_ patterns: [Pattern], looksForDigests: Bool) {
        self.patterns = patterns
        self.looksForDigests = looksForDigests
        for (number, pattern) in patterns.enumerated() {
            for (offset, window) in pattern.grips {
                grips[window, default: []].append((number, offset))
                let slot = SecretPatterns.slot(window)
                filter[slot >> 6] |= 1 << UInt64(slot & 63)
            }
        }
    }

    /// The same with digests, each of which is 32 lower-case hexadecimal digits.
    func with(digests texts: [String]) -> SecretPatterns {
        var patterns = self
        for pattern in texts.compactMap({ Pattern(Array($0.utf8), .longPieces) }) {
            patterns.digests += pattern.grips.map { ($0.window, pattern, $0.offset) }
        }
        return patterns
    }

    private static func slot(_ window: UInt64) -> Int { Int((window &* 0x9E37_79B9_7F4A_7C15) >> 48) }

    /// What a glance tells of a text.
    enum Glance { case clean, coded, suspect }

    /// Looks once over the bytes.
    /// - Parameter isJSON: they are a JSON text, in whose strings no line ends.
    func glance(at text: UnsafeRawBufferPointer, isJSON: Bool) -> Glance {
        var isCoded = false
        let isSuspect = SecretText.classes.withUnsafeBufferPointer { classes in
            filter.withUnsafeBufferPointer { filter in
                var window: UInt64 = 0
                var digits = 0
                for (index, byte) in text.enumerated() {
                    if SecretText.mayBeginCode(byte), !isCoded { isCoded = isCode(text, at: index) }
                    let form = classes[Int(byte)]
                    if form == SecretText.dropped {
                        if !isJSON, byte == 0x0A || byte == 0x0D { isCoded = true }
                        continue
                    }
                    window = window << 8 | UInt64(form & ~SecretText.hexFlag)
                    digits = form & SecretText.hexFlag == 0 ? 0 : digits &+ 1
                    let slot = SecretPatterns.slot(window)
                    if filter[slot >> 6] >> UInt64(slot & 63) & 1 != 0, grips[window] != nil { return true }
                    if looksForDigests, digits >= SecretPatterns.shortPiece, mayBeDigest(window, digits) { return true }
                }
                return false
            }
        }
        return isSuspect ? .suspect : isCoded ? .coded : .clean
    }

    private func mayBeDigest(_ window: UInt64, _ digits: Int) -> Bool {
        digits >= SecretPatterns.digits || digests.contains { $0.window == window }
    }

    /// Whether something that is no mere punctuation begins there.
    private func isCode(_ text: UnsafeRawBufferPointer, at index: Int) -> Bool {
        guard text[index] == UInt8(ascii: "&") else { return true }
        let rest = text[(index + 1)...].prefix(16)
        return rest.first == UInt8(ascii: "#") || rest.contains(UInt8(ascii: ";"))
    }

    /// Whether a normal text has one of the forms in it, or as much of one as may not be shown.
    func areIn(_ text: [UInt8]) -> Bool {
        var window: UInt64 = 0
        for (index, byte) in text.enumerated() {
            window = window << 8 | UInt64(byte)
            let position = index + 1 - SecretPatterns.shortPiece
            if position < 0 { continue }
            let slot = SecretPatterns.slot(window)
            if filter[slot >> 6] >> UInt64(slot & 63) & 1 != 0, let found = grips[window],
                found.contains(where: { patterns[$0.pattern].isTold(by: text, at: position, offset: $0.offset) })
            {
                return true
            }
            if !digests.isEmpty,
                digests.contains(where: {
                    $0.window == window && $0.pattern.isTold(by: text, at: position, offset: $0.offset)
                })
            {
                return true
            }
        }
        return false
    }

    private static func isMixed(_ text: ArraySlice<UInt8>) -> Bool {
        text.contains { (0x30...0x39).contains($0) } && text.contains { (0x61...0x7A).contains($0) }
    }

    /// Whether a text mostly counts up or repeats a sign, as in `0123456789abc`: that stands in any text, and in many a made-up credential.
    private static func isSequence(_ text: ArraySlice<UInt8>) -> Bool {
        let steps = zip(text, text.dropFirst()).filter { first, second in
            second == first || second == first &+ 1 || first == UInt8(ascii: "9") && second == UInt8(ascii: "a")
        }
        return (text.count - steps.count) * 2 < min(text.count, longPiece)
    }
}
