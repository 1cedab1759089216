internal import CZlib
internal import Glibc

/// One zlib stream that is used again and again: setting one up takes four allocations and 60 kB of zeros, which cost more than
/// coding a page. Each thread has its own, from its first use to the thread's end.
final class Deflater {
    // Stands at one address for life: zlib's state points back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var level: Int32

    private init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        level = Z_DEFAULT_COMPRESSION
        if czlib_deflate_gzip(stream, level) != Z_OK {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The calling thread's own, or nil where there is no memory for one.
    static func onThisThread() -> Deflater? {
        guard let key else { return Deflater() }
        if let kept = pthread_getspecific(key) { return Unmanaged<Deflater>.fromOpaque(kept).takeUnretainedValue() }
        guard let new = Deflater() else { return nil }
        let retained = Unmanaged.passRetained(new)
        if pthread_setspecific(key, retained.toOpaque()) != 0 { retained.release() }
        return new
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { kept in
            if let kept { Unmanaged<Deflater>.fromOpaque(kept).release() }
        }
        return status == 0 ? key : nil
    }()

    /// `bytes` as one gzip member without name or time, or nil where zlib gives up.
    func gzip(_ bytes: [UInt8], level: Int32) -> [UInt8]? {
        guard deflateReset(stream) == Z_OK, setLevel(level), let count = UInt32(exactly: bytes.count),
            let room = UInt32(exactly: deflateBound(stream, UInt(count)))
        else { return nil }
        var finished = false
        let coded = [UInt8](unsafeUninitializedCapacity: Int(room)) { output, used in
            finished = bytes.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = count
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = room
                return deflate(stream, Z_FINISH) == Z_STREAM_END
            }
            used = finished ? Int(room - stream.pointee.avail_out) : 0
        }
        return finished ? coded : nil
    }

    private func setLevel(_ level: Int32) -> Bool {
        if level == self.level { return true }
        guard deflateParams(stream, level, Z_DEFAULT_STRATEGY) == Z_OK else { return false }
        self.level = level
        return true
    }
}
