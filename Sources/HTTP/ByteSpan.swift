/// What the parsers ask of bytes that aren't theirs. Every range is checked against the span.
extension Span where Element == UInt8 {
    /// Whether the bytes are exactly `text`, which is ASCII.
    func spells(_ text: StaticString) -> Bool { matches(text) { $0 } }

    /// Whether the bytes are `text`, which is lower-case ASCII, without regard to case.
    func folds(to text: StaticString) -> Bool { matches(text, ASCII.lowercased) }

    private func matches(_ text: StaticString, _ change: (UInt8) -> UInt8) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { buffer in
            for index in indices where change(self[index]) != buffer[index] { return false }
            return true
        }
    }

    /// The bytes as a string. The caller has checked that they are ASCII.
    var ascii: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of `range` as a string in lower case; bytes above 127 are read as Latin-1.
    func lowercased(_ range: Range<Int>) -> String {
        var scalars = String.UnicodeScalarView()
        for index in range { scalars.append(Unicode.Scalar(ASCII.lowercased(self[index]))) }
        return String(scalars)
    }

    /// The first index of `byte` in `range`.
    func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// `range` without blanks and tabs at its ends (OWS of RFC 9110, section 5.6.3).
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, ASCII.isBlank(self[start]) { start += 1 }
        while end > start, ASCII.isBlank(self[end - 1]) { end -= 1 }
        return start..<end
    }

    /// The number that `range` spells in decimal digits alone; nil for anything else, and past 19 digits.
    func decimal(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty, range.count <= 19 else { return nil }
        var value = 0
        for index in range {
            guard ASCII.isDigit(self[index]) else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = scaled.addingReportingOverflow(Int(self[index] & 0x0F))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// The next element of a comma list at or after `start`, which moves on past it; trimmed, empty ones are left out (RFC 9110,
    /// section 5.6.1). Nil at `end`.
    func element(_ start: inout Int, _ end: Int) -> Range<Int>? {
        while start < end {
            var comma = start
            while comma < end, self[comma] != UInt8(ascii: ",") { comma += 1 }
            let element = trimmed(start..<comma)
            start = comma + 1
            if !element.isEmpty { return element }
        }
        return nil
    }
}

extension ASCII {
    static let cr: UInt8 = 0x0D
    static let lf: UInt8 = 0x0A

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether `byte` may stand in a field value (RFC 9110, section 5.5): visible, blank, tab or above 127.
    static func isFieldContent(_ byte: UInt8) -> Bool { byte >= 0x20 ? byte != 0x7F : byte == 0x09 }

    /// Whether `byte` is a printable ASCII character or a blank.
    static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }
}
