/// The field lines of a message (RFC 9110, section 5), in order, kept as they stand on the wire.
///
/// Each line is `Name: value CRLF` in one buffer, so a response is written by copying the buffer and a request's head is
/// kept with one copy; a value becomes a `String` only where somebody asks for it. A field line is never created from
/// a name that is no token or a value that holds CR, LF or NUL.
public struct Fields: Sendable, Equatable {
    /// Where one line's parts stand in `wire`.
    struct Line: Sendable, Equatable {
        var name: Range<Int>
        var value: Range<Int>
        /// Past the line's CRLF.
        var end: Int
    }

    /// All lines, each ended by CRLF, without the empty line that ends a head.
    public internal(set) var wire: [UInt8] = []
    var lines: [Line] = []

    public init() {}

    /// Lines in the given order; one whose value holds CR, LF or NUL is left out.
    public init(_ lines: [(FieldName, String)]) {
        for (name, value) in lines { append(name, value) }
    }

    public var count: Int { lines.count }
    public var isEmpty: Bool { lines.isEmpty }

    /// The first value of `name`, or nil where there is none. Bytes above 127 are read as Latin-1.
    public subscript(name: FieldName) -> String? {
        for line in lines where matches(line, name) { return text(line.value) }
        return nil
    }

    public func contains(_ name: FieldName) -> Bool { lines.contains { matches($0, name) } }

    /// Every value of `name`, one a line, in order.
    public func values(_ name: FieldName) -> [String] {
        lines.compactMap { matches($0, name) ? text($0.value) : nil }
    }

    /// All values of `name` as one list (RFC 9110, section 5.3), or nil where there is no such line.
    public func list(_ name: FieldName) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Calls `body` with each line's name and value, in order.
    public func forEach(_ body: (_ name: String, _ value: String) -> Void) {
        for line in lines { body(text(line.name), text(line.value)) }
    }

    /// Calls `body` with each line's name and value as they stand on the wire, in order.
    public func forEachRaw(_ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
        for line in lines { body(wire[line.name], wire[line.value]) }
    }

    /// Adds every line of `name` that `other` has, its value byte for byte, in order.
    public mutating func append(copying name: FieldName, from other: Fields) {
        for line in other.lines where other.matches(line, name) {
            append(nameBytes: other.wire[line.name], valueBytes: other.wire[line.value])
        }
    }

    /// Adds a line. False, and nothing added, where the value holds CR, LF or NUL.
    @discardableResult
    public mutating func append(_ name: FieldName, _ value: String) -> Bool {
        append(nameBytes: name.text.utf8, valueBytes: value.utf8)
    }

    /// Adds a line from raw bytes. False, and nothing added, where the name is no token or the value holds CR, LF or NUL.
    @discardableResult
    public mutating func append(nameBytes: some Collection<UInt8>, valueBytes: some Collection<UInt8>) -> Bool {
        let isAppended = nameBytes.withContiguousStorageIfAvailable { name in
            valueBytes.withContiguousStorageIfAvailable { append(nameBytes: name, valueBytes: $0) }
        }
        if let isAppended = isAppended ?? nil { return isAppended }
        return append(nameBytes: Array(nameBytes), valueBytes: Array(valueBytes))
    }

    /// The same, of bytes in memory.
    @discardableResult
    public mutating func append(
        nameBytes: UnsafeBufferPointer<UInt8>, valueBytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard !nameBytes.isEmpty else { return false }
        for byte in nameBytes where !Token.contains(byte) { return false }
        for byte in valueBytes where byte == 0x0D || byte == 0x0A || byte == 0 { return false }
        let nameStart = wire.count
        wire.append(contentsOf: nameBytes)
        let nameEnd = wire.count
        wire.append(UInt8(ascii: ":"))
        wire.append(UInt8(ascii: " "))
        let valueStart = wire.count
        wire.append(contentsOf: valueBytes)
        let valueEnd = wire.count
        wire.append(0x0D)
        wire.append(0x0A)
        lines.append(Line(name: nameStart..<nameEnd, value: valueStart..<valueEnd, end: wire.count))
        return true
    }

    /// Puts one line in place of all lines of `name`.
    public mutating func set(_ name: FieldName, _ value: String) {
        remove(name)
        append(name, value)
    }

    /// Takes out every line of `name`.
    public mutating func remove(_ name: FieldName) {
        guard contains(name) else { return }
        var kept = Fields()
        for line in lines where !matches(line, name) {
            kept.append(nameBytes: wire[line.name], valueBytes: wire[line.value])
        }
        self = kept
    }

    private func matches(_ line: Line, _ name: FieldName) -> Bool {
        let folded = name.folded
        guard line.name.count == folded.count else { return false }
        for index in folded.indices where ASCII.lowercased(wire[line.name.lowerBound + index]) != folded[index] {
            return false
        }
        return true
    }

    private func text(_ range: Range<Int>) -> String {
        let bytes = wire[range]
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

/// What HTTP asks of single ASCII bytes.
public enum ASCII {
    @inlinable
    public static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    @inlinable
    public static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The value of a hexadecimal digit, or nil.
    public static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// A value of digits alone that fits an `Int`; nil for anything else, the empty text too.
    @inlinable
    public static func decimal(_ bytes: some Collection<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 19 else { return nil }
        var value = 0
        for byte in bytes {
            guard isDigit(byte) else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = scaled.addingReportingOverflow(Int(byte - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// `text` without blanks and tabs at its ends (OWS of RFC 9110, section 5.6.3).
    public static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}
