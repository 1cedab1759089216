internal import HTTP

/// Reads one JSON string (RFC 8259, section 7) as it comes, from behind its first quote.
struct JSONStringReader: Sendable {
    private enum State {
        case plain
        case escape
        /// In `\uXXXX`, with so many digits read.
        case unit(UInt32, Int)
        /// Behind the first half of a pair: the second must follow.
        case pairEscape(UInt32)
        case pairLetter(UInt32)
        case pairUnit(UInt32, UInt32, Int)
    }

    private var state = State.plain

    /// Reads on from `position`, which moves past what was used, and appends the decoded bytes.
    /// - Returns: whether the closing quote was read; nothing may be read after that.
    /// - Throws: 400 for a control character, a bad escape or half of a pair. Whether the bytes are UTF-8 is left to the caller.
    mutating func read(_ piece: [UInt8], _ position: inout Int, into out: inout [UInt8]) throws(GatewayError) -> Bool {
        while position < piece.count {
            if case .plain = state {
                let start = position
                while position < piece.count, !JSONStringReader.isSpecial(piece[position]) { position += 1 }
                out += piece[start..<position]
                if position == piece.count { return false }
            }
            let byte = piece[position]
            position += 1
            if try take(byte, &out) { return true }
        }
        return false
    }

    private static func isSpecial(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5C }

    private mutating func take(_ byte: UInt8, _ out: inout [UInt8]) throws(GatewayError) -> Bool {
        switch state {
        case .plain:
            if byte == UInt8(ascii: "\"") { return true }
            guard byte == UInt8(ascii: "\\") else { throw JSONStringReader.malformed }
            state = .escape
        case .escape:
            if byte == UInt8(ascii: "u") {
                state = .unit(0, 0)
            } else {
                out.append(try JSONStringReader.character(byte))
                state = .plain
            }
        case .unit(let value, let count):
            let value = value << 4 | (try JSONStringReader.digit(byte))
            if count < 3 {
                state = .unit(value, count + 1)
            } else if (0xD800...0xDBFF).contains(value) {
                state = .pairEscape(value)
            } else {
                try end(value, &out)
            }
        case .pairEscape(let high):
            guard byte == UInt8(ascii: "\\") else { throw JSONStringReader.malformed }
            state = .pairLetter(high)
        case .pairLetter(let high):
            guard byte == UInt8(ascii: "u") else { throw JSONStringReader.malformed }
            state = .pairUnit(high, 0, 0)
        case .pairUnit(let high, let value, let count):
            let value = value << 4 | (try JSONStringReader.digit(byte))
            if count < 3 {
                state = .pairUnit(high, value, count + 1)
            } else {
                guard (0xDC00...0xDFFF).contains(value) else { throw JSONStringReader.malformed }
                try end(0x10000 + ((high - 0xD800) << 10) + (value - 0xDC00), &out)
            }
        }
        return false
    }

    private mutating func end(_ value: UInt32, _ out: inout [UInt8]) throws(GatewayError) {
        guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else {
            throw JSONStringReader.malformed
        }
        out += encoded
        state = .plain
    }

    private static func character(_ byte: UInt8) throws(GatewayError) -> UInt8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return byte
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        default: throw malformed
        }
    }

    private static func digit(_ byte: UInt8) throws(GatewayError) -> UInt32 {
        guard let value = ASCII.hexValue(byte) else { throw malformed }
        return UInt32(value)
    }

    private static let malformed = GatewayError.upload("bad-json", "A text in the JSON object is malformed.")
}
