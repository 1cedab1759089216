internal import HTTP
internal import Hashing

/// Checks who asks: `hash` has to be the MD5 of timestamp, private and public key, in lower-case hexadecimal.
struct MarvelKeys: Sendable {
    /// The parameters that every request has.
    static let names: Set<String> = ["ts", "apikey", "hash"]

    let publicKey: String
    let privateKey: String

    func check(_ query: FormQuery) throws(MarvelRefusal) {
        guard let key = query["apikey"] else { throw .missing("user key") }
        guard let hash = query["hash"] else { throw .missing("hash") }
        guard let timestamp = query["ts"] else { throw .missing("timestamp") }
        guard key == publicKey, !key.isEmpty else { throw .unknownKey }
        guard !timestamp.isEmpty, hash == Digest.md5.hex(Array((timestamp + privateKey + publicKey).utf8)) else {
            throw .wrongHash
        }
    }
}
