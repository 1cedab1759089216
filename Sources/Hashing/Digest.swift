internal import CCrypto

/// Digests of OpenSSL as the gateway uses them: MD5 where a service's wire contract asks for it, SHA-256 for our own validators. Any
/// thread.
public enum Digest: Sendable {
    case md5
    case sha256

    /// The digest of `bytes` in lower-case hexadecimal: 32 digits for MD5, 64 for SHA-256. Nil where the system's OpenSSL forbids the
    /// algorithm, as one in FIPS mode does with MD5.
    public func hex(_ bytes: [UInt8]) -> String? {
        guard let algorithm = algorithm.pointer else { return nil }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &count, algorithm, nil) == 1 else { return nil }
        let digits = Digest.digits
        return String(unsafeUninitializedCapacity: 2 * Int(count)) { text in
            for index in 0..<Int(count) {
                text[2 * index] = digits[Int(digest[index] >> 4)]
                text[2 * index + 1] = digits[Int(digest[index] & 15)]
            }
            return 2 * Int(count)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Looked up once: a look-up costs more than a digest, and OpenSSL shares the result between threads (EVP_MD_fetch(3)).
    private struct Algorithm: @unchecked Sendable {
        let pointer: OpaquePointer?
        init(_ name: String) { pointer = EVP_MD_fetch(nil, name, nil) }
    }
    private static let md5Algorithm = Algorithm("MD5")
    private static let sha256Algorithm = Algorithm("SHA256")

    private var algorithm: Algorithm {
        switch self {
        case .md5: Digest.md5Algorithm
        case .sha256: Digest.sha256Algorithm
        }
    }
}
