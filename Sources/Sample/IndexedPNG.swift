internal import Compression

/// Writes pictures of at most 256 colours (PNG, third edition).
enum IndexedPNG {
    /// - Parameters:
    ///   - rows: from the top; places in the palette. All as long as the first.
    static func bytes(rows: [[UInt8]], palette: [(UInt8, UInt8, UInt8)]) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let width = UInt32(clamping: rows.first?.count ?? 0)
        // Eight bits a place, a palette, no interlacing.
        append("IHDR", big(width) + big(UInt32(clamping: rows.count)) + [8, 3, 0, 0, 0], to: &bytes)
        append("PLTE", palette.flatMap { [$0.0, $0.1, $0.2] }, to: &bytes)
        // Each line begins with its filter: none.
        append("IDAT", zlib(rows.flatMap { [0] + $0 }), to: &bytes)
        append("IEND", [], to: &bytes)
        return bytes
    }

    private static func append(_ type: String, _ content: [UInt8], to bytes: inout [UInt8]) {
        let piece = Array(type.utf8) + content
        bytes += big(UInt32(clamping: content.count)) + piece + big(checksum(piece))
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: number >> shift) }
    }

    /// Content in zlib's frame (RFC 1950): that of gzip (RFC 1952) has the same inside, between 10 and 8 bytes.
    private static func zlib(_ content: [UInt8]) -> [UInt8] {
        guard let gzip = ContentCoding.gzip.encode(content), gzip.count > 18 else { return [] }
        var sums = (low: 1 as UInt32, high: 0 as UInt32)
        for byte in content {
            sums.low = (sums.low + UInt32(byte)) % 65521
            sums.high = (sums.high + sums.low) % 65521
        }
        return [0x78, 0x9C] + gzip[10..<(gzip.count - 8)] + big(sums.high << 16 | sums.low)
    }

    /// CRC-32 as PNG's annex D has it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0 as UInt32) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ ($0 >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
}
