internal import HTTP

/// Reads a text as somebody does who takes every coding off, so that a credential is found however it is spelled.
///
/// Two steps: ``decoded(_:)`` takes off what codings put on, ``folded(_:)`` brings what is left to one form. Neither fails: what is no
/// code stays as it is.
enum SecretText {
    /// A code within a code within a code …; what is coded more often is no credential any more to whoever reads it.
    private static let rounds = 6

    /// What a byte is to the search. For most: its folded form, with `hexFlag` where it is a hexadecimal digit.
    static let classes: [UInt8] = (0...255).map { byte in
        let byte = UInt8(byte)
        switch byte {
        case UInt8(ascii: "+"): return 0x20
        case 0..<0x20, 0x7F...0xFF: return dropped
        case let byte where ASCII.hexValue(byte) != nil: return ASCII.lowercased(byte) | hexFlag
        default: return ASCII.lowercased(byte)
        }
    }
    /// Signs that nobody sees, marks upon others, letters of other scripts.
    static let dropped: UInt8 = 0
    static let hexFlag: UInt8 = 0x80

    /// Whether a code may begin with this byte: `%41`, `&#65;`, `\u0041`, and the first byte of a wide letter.
    static func mayBeginCode(_ byte: UInt8) -> Bool { byte == 0x25 || byte == 0x26 || byte == 0x5C || byte == 0xEF }

    /// Lower case, blanks for plus signs (as forms write them); without control characters, without blanks that begin a line, and without
    /// what is no ASCII but the wide letters, which are read as the usual ones.
    static func folded(_ text: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        var isLineStart = false
        var index = 0
        while index < text.count {
            var byte = text[index]
            index += 1
            if byte == 0xEF, let wide = wide(text[index...]) {
                byte = wide
                index += 2
            }
            if byte == 0x0A || byte == 0x0D { isLineStart = true }
            let form = classes[Int(byte)] & ~hexFlag
            if form == dropped || form == 0x20 && isLineStart { continue }
            isLineStart = false
            folded.append(form)
        }
        return folded
    }

    /// The ASCII sign of a wide letter (U+FF01…U+FF5E) by the bytes behind the first.
    private static func wide(_ rest: ArraySlice<UInt8>) -> UInt8? {
        guard rest.count >= 2 else { return nil }
        let (second, third) = (rest[rest.startIndex], rest[rest.startIndex + 1])
        switch (second, third) {
        case (0xBC, 0x81...0xBF): return third - 0x60
        case (0xBD, 0x80...0x9E): return third - 0x20
        default: return nil
        }
    }

    /// The text without percent-encoding, without the escapes of JSON and its like, and without those of HTML, until there are none.
    static func decoded(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes = [UInt8](text)
        for _ in 0..<rounds {
            var decoder = Decoder(bytes)
            guard decoder.run() else { break }
            bytes = decoder.result
        }
        return bytes
    }

    /// The text as the search compares it.
    static func normal(_ text: String) -> [UInt8] {
        var text = text
        return folded(text.withUTF8 { decoded(UnsafeRawBufferPointer($0)) })
    }
}

/// Takes one layer of codings off.
private struct Decoder {
    private let text: [UInt8]
    private var index = 0
    private(set) var result: [UInt8] = []

    init(_ text: [UInt8]) {
        self.text = text
        result.reserveCapacity(text.count)
    }

    /// Whether there was a code.
    mutating func run() -> Bool {
        var hasCode = false
        while index < text.count {
            let byte = text[index]
            if SecretText.mayBeginCode(byte), readCode(byte) {
                hasCode = true
            } else {
                result.append(byte)
                index += 1
            }
        }
        return hasCode
    }

    private mutating func readCode(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "%"): readPercent()
        case UInt8(ascii: "&"): readEntity()
        case UInt8(ascii: "\\"): readEscape()
        default: false
        }
    }

    /// `%41`, and `%u0041` as old scripts write it.
    private mutating func readPercent() -> Bool {
        if peek(1) == UInt8(ascii: "u") { return readHex(at: 2, count: 4) }
        guard let value = hex(at: 1, count: 2) else { return false }
        result.append(UInt8(truncatingIfNeeded: value))
        index += 3
        return true
    }

    /// The escapes of JSON (RFC 8259, section 7), and `\x41` and `\u{41}` of other languages.
    private mutating func readEscape() -> Bool {
        switch peek(1) {
        case UInt8(ascii: "u"):
            guard peek(2) == UInt8(ascii: "{") else { return readHex(at: 2, count: 4) }
            let digits = text[(index + 3)...].prefix(7).prefix { ASCII.hexValue($0) != nil }.count
            guard peek(3 + digits) == UInt8(ascii: "}"), readHex(at: 3, count: digits) else { return false }
            index += 1
            return true
        case UInt8(ascii: "x"): return readHex(at: 2, count: 2)
        case UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            result.append(text[index + 1])
        case UInt8(ascii: "n"), UInt8(ascii: "r"): result.append(0x0A)
        case UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"): result.append(0x09)
        default: return false
        }
        index += 2
        return true
    }

    private static let entities: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "sol": "/", "bsol": "\\", "plus": "+",
        "percnt": "%", "equals": "=", "num": "#", "colon": ":", "semi": ";", "comma": ",", "period": ".", "lowbar": "_",
        "hyphen": "-", "dash": "-", "commat": "@", "excl": "!", "quest": "?", "ast": "*", "dollar": "$", "lpar": "(",
        "rpar": ")", "lsqb": "[", "lbrack": "[", "rsqb": "]", "rbrack": "]", "lcub": "{", "rcub": "}", "verbar": "|",
        "Hat": "^", "grave": "`", "shy": "", "zwj": "", "zwnj": "", "NoBreak": "", "ZeroWidthSpace": "", "lrm": "",
        "rlm": "", "Tab": "\t", "NewLine": "\n",
    ]

    /// `&#65;`, `&#x41;`, also without the semicolon, and the names of ASCII signs.
    private mutating func readEntity() -> Bool {
        guard peek(1) == UInt8(ascii: "#") else { return readNamed() }
        let isHex = peek(2).map { $0 | 0x20 } == UInt8(ascii: "x")
        let start = index + (isHex ? 3 : 2)
        guard start < text.count else { return false }
        let digits = text[start...].prefix(8).prefix { isHex ? ASCII.hexValue($0) != nil : ASCII.isDigit($0) }
        guard let value = UInt32(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10) else { return false }
        append(value)
        index = digits.endIndex
        if peek(0) == UInt8(ascii: ";") { index += 1 }
        return true
    }

    private mutating func readNamed() -> Bool {
        let name = text[(index + 1)...].prefix(15).prefix { (0x61...0x7A).contains($0 | 0x20) }
        guard name.count >= 2, name.endIndex < text.count, text[name.endIndex] == UInt8(ascii: ";"),
            let sign = Decoder.entities[String(decoding: name, as: UTF8.self)]
        else { return false }
        result += sign.utf8
        index = name.endIndex + 1
        return true
    }

    private func peek(_ distance: Int) -> UInt8? {
        let position = index + distance
        return position < text.count ? text[position] : nil
    }

    private func hex(at distance: Int, count: Int) -> UInt32? {
        guard count > 0, count <= 6 else { return nil }
        var value: UInt32 = 0
        for step in 0..<count {
            guard let digit = peek(distance + step).flatMap(ASCII.hexValue) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private mutating func readHex(at distance: Int, count: Int) -> Bool {
        guard let value = hex(at: distance, count: count) else { return false }
        append(value)
        index += distance + count
        return true
    }

    /// Half of a pair is no sign of its own; nothing stands for it.
    private mutating func append(_ value: UInt32) {
        guard let scalar = Unicode.Scalar(value) else { return }
        result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }
}
