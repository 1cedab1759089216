internal import HTTP

/// Decodes base64 (RFC 4648, section 4) as it comes, strictly: no blanks, whole groups of four, no bits left over.
struct Base64Decoder: Sendable {
    private var bits: UInt32 = 0
    /// Characters of the group so far, padding included.
    private var count = 0
    private var padding = 0

    /// Decodes `text` and appends the bytes.
    /// - Throws: 400 where it is no base64.
    mutating func decode(_ text: ArraySlice<UInt8>, into out: inout [UInt8]) throws(GatewayError) {
        out.reserveCapacity(out.count + text.count / 4 * 3 + 3)
        for byte in text {
            if byte == UInt8(ascii: "=") {
                guard count >= 2 else { throw Base64Decoder.malformed }
                padding += 1
                bits <<= 6
            } else {
                let value = Base64Decoder.values[Int(byte)]
                guard value != Base64Decoder.none, padding == 0 else { throw Base64Decoder.malformed }
                bits = bits << 6 | UInt32(value)
            }
            count += 1
            if count == 4 { try endGroup(&out) }
        }
    }

    /// - Throws: 400 where a group isn't complete.
    func finish() throws(GatewayError) {
        guard count == 0 || count == Base64Decoder.ended else { throw Base64Decoder.malformed }
    }

    private mutating func endGroup(_ out: inout [UInt8]) throws(GatewayError) {
        let bytes = [
            UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
            UInt8(truncatingIfNeeded: bits),
        ]
        out += bytes.prefix(3 - padding)
        // What the last character holds beyond the last byte must be nothing, and so is what padding stands for.
        guard bytes.suffix(padding).allSatisfy({ $0 == 0 }) else { throw Base64Decoder.malformed }
        // Nothing comes behind padding: no count of characters is as large as this one.
        count = padding > 0 ? Base64Decoder.ended : 0
        bits = 0
    }

    private static let ended = 5
    private static let none: UInt8 = 0xFF
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: none, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, byte) in alphabet.utf8.enumerated() { values[Int(byte)] = UInt8(truncatingIfNeeded: value) }
        return values
    }()

    private static let malformed = GatewayError.upload(
        "bad-base64", "The image's base64 is malformed: it must be in one line, padded, in the alphabet with + and /.")
}
