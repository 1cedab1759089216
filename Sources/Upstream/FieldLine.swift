internal import CCurl
internal import HTTP

/// One field line as libcurl takes it: bytes that end in NUL, so that any value goes to the wire byte for byte.
struct FieldLine: Sendable, Equatable, ExpressibleByStringLiteral {
    private let bytes: [UInt8]

    /// A field without a value ends in a semicolon there. Nil where the value can't stand in a line.
    init?(_ name: FieldName, _ value: some Collection<UInt8>) {
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        let isEmpty = value.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        var bytes = Array(name.text.utf8)
        bytes += isEmpty ? [UInt8(ascii: ";")] : [UInt8(ascii: ":"), 0x20]
        if !isEmpty { bytes += value }
        self.bytes = bytes + [0]
    }

    /// A whole line of ours.
    init(stringLiteral line: StaticString) {
        bytes = line.withUTF8Buffer { Array($0) } + [0]
    }

    /// A list of the lines, which the caller frees; nil where there are none.
    static func list(_ lines: [FieldLine]) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            line.bytes.withUnsafeBytes { bytes in
                guard let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
                list = curl_slist_append(list, text) ?? list
            }
        }
        return list
    }
}
