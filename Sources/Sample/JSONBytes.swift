internal import HTTP

/// JSON that is written piece by piece, without blanks; commas come by themselves.
struct JSONBytes {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ body: (inout JSONBytes) -> Void) {
        open("{")
        body(&self)
        close("}")
    }

    mutating func array(_ body: (inout JSONBytes) -> Void) {
        open("[")
        body(&self)
        close("]")
    }

    mutating func object(_ name: StaticString, _ body: (inout JSONBytes) -> Void) {
        key(name)
        object(body)
    }

    mutating func array(_ name: StaticString, _ body: (inout JSONBytes) -> Void) {
        key(name)
        array(body)
    }

    mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        string(text)
    }

    /// A text, or null.
    mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        if let text { string(text) } else { token("null") }
    }

    mutating func member(_ name: StaticString, _ number: Int) {
        key(name)
        separate()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        for digit in number.magnitude.description.utf8 { bytes.append(digit) }
        needsComma = true
    }

    /// A member whose value `body` writes.
    mutating func member(_ name: StaticString, _ body: (inout JSONBytes) -> Void) {
        key(name)
        body(&self)
    }

    /// - Parameter token: JSON as it stands.
    mutating func member(_ name: StaticString, token: String) {
        key(name)
        self.token(token)
    }

    /// A text in which nothing has to be escaped.
    mutating func member(_ name: StaticString, plain text: [UInt8]) {
        key(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// JSON as it stands.
    mutating func token(_ token: String) {
        separate()
        bytes.append(contentsOf: token.utf8)
        needsComma = true
    }

    /// JSON as it stands.
    mutating func splice(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// A text in quotes.
    mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(escaping: text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Room for so many bytes more.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    private mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(ascii: name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}

extension [UInt8] {
    /// Appends `text` as it stands between the quotes of a JSON string (RFC 8259, section 7).
    mutating func append(escaping text: String) {
        func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
            for byte in bytes where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return false
            }
            return true
        }
        if text.utf8.withContiguousStorageIfAvailable(isPlain) ?? isPlain(text.utf8) {
            return append(contentsOf: text.utf8)
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20:
                append(ascii: "\\u00")
                append(byte >> 4 | 0x30)
                append(byte & 15 < 10 ? byte & 15 | 0x30 : byte & 15 - 10 + UInt8(ascii: "a"))
            default: append(byte)
            }
        }
    }
}

/// `text` as it stands between the quotes of a JSON string.
func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.append(escaping: text)
    return String(decoding: bytes, as: UTF8.self)
}

/// A number that looks like chance and is the same for the same `seed` always (splitmix64 of Steele, Lea and Flood).
func scattered(_ seed: Int) -> UInt64 {
    var value = UInt64(bitPattern: Int64(seed)) &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
}
