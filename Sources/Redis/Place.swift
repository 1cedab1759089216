internal import Cache
internal import Hashing

/// Where a variant is in Redis. All variants of one thing are fields of one hash, named by digests, so that no address and no value of a client's
/// is in a name; beside them are the fields of requests that they depend on, and in which order they came.
struct Place: Sendable, Equatable {
    let key: String
    let variant: String
    /// What variants depend on, one a line.
    let names: String
    /// Whose turn it is to fetch it.
    let lock: String

    /// Nil where OpenSSL fails.
    init?(_ name: String, _ choice: VariantChoice) {
        guard let digest = Digest.sha256.hex(Array(name.utf8)),
            let variant = Digest.sha256.hex(Array(choice.text.utf8))?.prefix(EntryScript.nameLength)
        else { return nil }
        key = RedisLink.prefix + "e:" + digest
        self.variant = String(variant)
        names = choice.names.joined(separator: "\n")
        lock = RedisLink.prefix + "l:" + digest + ":" + variant
    }

    private static let nameLimit = 64

    /// What is told of the fields that variants depend on; nil where that can't be.
    static func names(_ bytes: [UInt8]) -> [String]? {
        guard bytes.count <= 4096, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let names = text.split(separator: "\n").map(String.init)
        return names.count <= nameLimit ? names : nil
    }
}

/// How variants are kept.
enum EntryScript {
    /// The field with what variants depend on.
    static let names = "names"
    /// Digits of a variant's name.
    static let nameLength = 32
    /// Variants of one thing, as many as in memory.
    static let limit = "32"

    /// Keeps a variant and drops the one that came first where there are too many. KEYS: hash. ARGV: what variants depend on, name, life in
    /// milliseconds, how many, entry. They live as long as the one that lives longest.
    static let keep = """
        local key,name=KEYS[1],ARGV[2]
        if redis.call('TYPE',key).ok~='hash' then redis.call('DEL',key) end
        local order=redis.call('HGET',key,'order') or ''
        if #order%\(nameLength)~=0 then redis.call('DEL',key) order='' end
        local kept={}
        for other in string.gmatch(order,string.rep('.',\(nameLength))) do if other~=name then kept[#kept+1]=other end end
        kept[#kept+1]=name
        while #kept>tonumber(ARGV[4]) do redis.call('HDEL',key,table.remove(kept,1)) end
        redis.call('HSET',key,'names',ARGV[1],'order',table.concat(kept),name,ARGV[5])
        if redis.call('PTTL',key)<tonumber(ARGV[3]) then redis.call('PEXPIRE',key,ARGV[3]) end
        return 1
        """
}
