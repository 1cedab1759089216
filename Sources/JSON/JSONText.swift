/// Strings between Swift and JSON (RFC 8259, section 7).
public enum JSONText {
    /// The text as a JSON string, quotes included. Quote, backslash and control characters are escaped, all else stays.
    public static func quoted(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        append(quoted: text, to: &bytes)
        return bytes
    }

    /// Appends what `quoted` returns.
    public static func append(quoted text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20: append(control: byte, to: &bytes)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func append(control byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 0x08: bytes.append(contentsOf: "\\b".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0C: bytes.append(contentsOf: "\\f".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        default:
            bytes.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u00".utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        }
    }

    /// The UTF-8 that the text between a string's quotes stands for. Takes any bytes; an escape that the grammar doesn't
    /// have stands for nothing.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var high: UInt32?  // the first half of a pair, until the second half comes
        var rest = text.makeIterator()
        while let byte = rest.next() {
            let unit = byte == UInt8(ascii: "\\") ? escape(&rest) : nil
            if let first = high {
                high = nil
                if let unit, (0xDC00...0xDFFF).contains(unit) {
                    append(0x10000 + ((first - 0xD800) << 10) + (unit - 0xDC00), to: &bytes)
                    continue
                }
                append(0xFFFD, to: &bytes)
            }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let unit else { continue }
            if (0xD800...0xDBFF).contains(unit) { high = unit } else { append(unit, to: &bytes) }
        }
        if high != nil { append(0xFFFD, to: &bytes) }
        return bytes
    }

    /// The UTF-16 unit that an escape stands for, read behind its backslash.
    private static func escape(_ rest: inout ArraySlice<UInt8>.Iterator) -> UInt32? {
        switch rest.next() {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "u"):
            var unit: UInt32 = 0
            for _ in 0..<4 {
                guard let digit = rest.next().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                    return nil
                }
                unit = unit << 4 | UInt32(digit)
            }
            return unit
        case let other?: return UInt32(other)
        case nil: return nil
        }
    }

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        guard let encoded = UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") else { return }
        bytes.append(contentsOf: encoded)
    }
}
