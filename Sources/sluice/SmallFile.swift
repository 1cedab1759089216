internal import Glibc

/// Files of a few lines, as secrets come in.
enum SmallFile {
    private static let limit = 64 << 10

    /// The text without one line end; nil where it can't be read, is too long or no UTF-8.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { break }
            guard count > 0, bytes.count + count <= limit else { return nil }
            bytes += piece[..<count]
        }
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }
}
