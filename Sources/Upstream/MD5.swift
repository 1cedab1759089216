internal import CCrypto

/// MD5, for upstreams that sign with it.
enum MD5 {
    /// The digest of `text` in lower-case hexadecimal.
    static func hex(_ text: String) -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let bytes = Array(text.utf8)
        let isDone = EVP_Digest(bytes, bytes.count, &digest, &length, EVP_md5(), nil) == 1
        // OpenSSL refuses MD5 only where the system forbids it; the upstream then refuses the empty signature.
        guard isDone else { return "" }
        let digits = Array("0123456789abcdef".utf8)
        let hex = digest.prefix(Int(length)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: hex, as: UTF8.self)
    }
}
