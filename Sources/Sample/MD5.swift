internal import CCrypto

/// MD5 (RFC 1321), which the services that the samples stand for put into entity tags and signatures.
enum MD5 {
    /// 32 lower-case hexadecimal digits, or nil where the library has no MD5.
    static func hex(of bytes: [UInt8]) -> [UInt8]? {
        guard let algorithm = algorithm.pointer else { return nil }
        var digest = [UInt8](repeating: 0, count: 16)
        var count: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &count, algorithm, nil) == 1, count == 16 else { return nil }
        return digest.flatMap { [digit($0 >> 4), digit($0 & 15)] }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 - 10 + value }

    /// Looked up once: a look-up costs more than a digest. OpenSSL shares it between threads (EVP_MD_fetch(3)).
    private struct Algorithm: @unchecked Sendable {
        let pointer = EVP_MD_fetch(nil, "MD5", nil)
    }

    private static let algorithm = Algorithm()
}
