internal import CZlib

/// Takes gzip (RFC 1952) off, one member or several one after the other, piece by piece. Used by one transfer after another.
final class Inflater {
    private var stream = z_stream()
    private var output = [UInt8](repeating: 0, count: 32 * 1024)
    /// A member is complete, and no byte of another one has come.
    private(set) var isFinished = false
    private var members = 0

    /// Nil where memory has run out.
    init?() {
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
    }

    deinit { inflateEnd(&stream) }

    func reset() {
        inflateReset(&stream)
        isFinished = false
        members = 0
    }

    /// Decodes the next bytes and hands what comes out to `emit`, at most 32 KiB at a time.
    func take(
        _ bytes: UnsafeBufferPointer<UInt8>, emit: (UnsafeBufferPointer<UInt8>) throws(Fault) -> Void
    ) throws(Fault) {
        guard let count = UInt32(exactly: bytes.count) else { throw .failed }
        stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.avail_in = count
        while stream.avail_in > 0 {
            if isFinished {
                // Section 2.2: members simply follow each other. What is none fails as one.
                inflateReset(&stream)
                isFinished = false
                members &+= 1
            }
            try step(emit)
        }
    }

    private func step(_ emit: (UnsafeBufferPointer<UInt8>) throws(Fault) -> Void) throws(Fault) {
        // Output that fills the buffer may have left more inside: go on until it doesn't.
        var isFull = true
        while isFull, !isFinished {
            let (result, produced) = output.withUnsafeMutableBufferPointer { buffer in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(truncatingIfNeeded: buffer.count)
                let result = inflate(&stream, Z_NO_FLUSH)
                return (result, buffer.count - Int(stream.avail_out))
            }
            guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
                throw .framing(members == 0 ? "its gzip content is corrupt" : "bytes follow its gzip content")
            }
            isFinished = result == Z_STREAM_END
            isFull = produced == output.count
            if produced > 0 { try emitOutput(produced, emit) }
        }
    }

    private func emitOutput(
        _ count: Int, _ emit: (UnsafeBufferPointer<UInt8>) throws(Fault) -> Void
    ) throws(Fault) {
        try output.withUnsafeBufferPointer { buffer throws(Fault) in try emit(buffer.extracting(0..<count)) }
    }
}
