internal import CBrotli

/// `bytes` as one brotli stream, or nil where the encoder has no memory.
func brotli(_ bytes: [UInt8], level: Int32) -> [UInt8]? {
    let room = BrotliEncoderMaxCompressedSize(bytes.count)
    guard room > 0 else { return nil }
    var succeeded = false
    let coded = [UInt8](unsafeUninitializedCapacity: room) { output, count in
        var size = room
        let result = bytes.withUnsafeBufferPointer { input in
            BrotliEncoderCompress(
                level, window(for: bytes.count), BROTLI_MODE_TEXT, input.count, input.baseAddress, &size,
                output.baseAddress)
        }
        succeeded = result == BROTLI_TRUE
        count = succeeded ? size : 0
    }
    return succeeded ? coded : nil
}

/// The binary logarithm of the window: no larger than the content, since the reader has to hold it (RFC 7932, section 9.1).
private func window(for count: Int) -> Int32 {
    var bits: Int32 = 16
    while bits < 22, 1 << Int(bits) < count { bits += 1 }
    return bits
}
