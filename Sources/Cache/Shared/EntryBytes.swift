/// Writes numbers (big-endian) and texts with their lengths in front.
public struct EntryWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    public init() {}

    public mutating func put<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// At most 4 GiB.
    public mutating func put(_ piece: some Collection<UInt8>) {
        put(UInt32(clamping: piece.count))
        bytes.append(contentsOf: piece)
    }

    public mutating func put(_ text: String) { put(Array(text.utf8)) }
}

/// Reads what ``EntryWriter`` wrote; nil wherever the bytes end too early or can't be what is asked for.
public struct EntryReader {
    private var rest: ArraySlice<UInt8>
    public init(_ bytes: [UInt8]) { rest = bytes[...] }

    public var isAtEnd: Bool { rest.isEmpty }

    public mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard rest.count >= size else { return nil }
        let value = rest.prefix(size).reduce(Number(0)) { $0 << 8 | Number($1) }
        rest = rest.dropFirst(size)
        return value
    }

    public mutating func piece() -> [UInt8]? {
        guard let count = number(UInt32.self), rest.count >= Int(count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    public mutating func text() -> String? { piece().flatMap { String(validating: $0, as: UTF8.self) } }

    /// A count and as many values.
    /// - Parameter limit: more of them are nil.
    public mutating func list<Value>(limit: Int, _ read: (inout EntryReader) -> Value?) -> [Value]? {
        guard let count = number(UInt16.self), Int(count) <= limit else { return nil }
        var values: [Value] = []
        for _ in 0..<count {
            guard let value = read(&self) else { return nil }
            values.append(value)
        }
        return values
    }
}
