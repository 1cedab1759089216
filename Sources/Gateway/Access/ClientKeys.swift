internal import HTTP
internal import Hashing
public import Parameters

/// The keys that clients may show, as digests: what is kept here says nothing of the keys themselves.
public struct ClientKeys: Sendable {
    private struct Entry: Sendable {
        let digest: [UInt8]
        let owner: String
    }
    private let entries: [Entry]

    /// The fewest characters of a key, and the fewest different ones.
    static let shortest = 16
    static let fewestDifferent = 6
    /// The longest key, and the most of them: each request is compared with all.
    static let longest = 512
    static let most = 1000

    /// Keys with commas between them.
    /// - Parameter source: what they come from, for messages: `SLUICE_CLIENT_KEYS`.
    /// - Throws: what is wrong with the first bad one. No message shows any part of a key.
    public init(list: String, source: String) throws(ParameterMistake) {
        try self.init(list.split(separator: ",", omittingEmptySubsequences: false).map(Substring.init), source, "key")
    }

    /// A file with a key on each line; empty lines and those that begin with `#` are for people.
    public init(file text: String, source: String) throws(ParameterMistake) {
        var keys: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.last == "\r" ? line.dropLast() : line
            if !line.isEmpty, line.first != "#" { keys.append(line) }
        }
        try self.init(keys, source, "key")
    }

    private init(_ keys: [Substring], _ source: String, _ word: String) throws(ParameterMistake) {
        guard !keys.isEmpty else {
            throw ParameterMistake(source: source, found: "no key in it", expected: "at least one; \(Self.remedy)")
        }
        guard keys.count <= Self.most else {
            throw ParameterMistake(source: source, found: "\(keys.count) keys", expected: "at most \(Self.most)")
        }
        var entries: [Entry] = []
        for (index, key) in keys.enumerated() {
            let place = "\(word) \(index + 1)"
            if let (found, expected) = Self.fault(of: key) {
                throw ParameterMistake(source: source, found: "\(place) \(found)", expected: expected)
            }
            guard let entry = Self.entry(String(key)) else {
                throw ParameterMistake(
                    source: source, found: "no SHA-256 in the system's OpenSSL", expected: "one that has it")
            }
            if let first = entries.firstIndex(where: { $0.digest == entry.digest }) {
                throw ParameterMistake(
                    source: source, found: "\(place), which is \(word) \(first + 1) again", expected: "each key once")
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    private static let remedy = "`openssl rand -hex 24` makes a good one"

    /// What is wrong with a key, and what is expected in its place.
    private static func fault(of key: Substring) -> (found: String, expected: String)? {
        if key.isEmpty { return ("without a character", "a key between the commas, or no comma") }
        if key.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) {
            return ("with a blank in or around it", "a key without blanks")
        }
        let body = key.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard body.allSatisfy(isKeyByte), !body.isEmpty else {
            return (
                "with a character that can't be in one",
                "letters, digits and - . _ ~ + /, and at the end = (RFC 6750, section 2.1)"
            )
        }
        let count = key.utf8.count
        guard (shortest...longest).contains(count) else {
            return ("of \(count) characters", "\(shortest) to \(longest) characters; \(remedy)")
        }
        guard Set(key.utf8).count >= fewestDifferent else {
            return ("that is easily guessed", "at least \(fewestDifferent) different characters; \(remedy)")
        }
        return nil
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~+/".utf8.contains(byte)
    }

    /// Two digests of one key, so that the name of an owner doesn't help to find the key that is compared.
    private static func entry(_ key: String) -> Entry? {
        guard let digest = Digest.sha256.hex(Array(("sluice key " + key).utf8)),
            let owner = Digest.sha256.hex(Array(("sluice owner " + key).utf8))
        else { return nil }
        return Entry(digest: Array(digest.utf8), owner: owner)
    }

    /// Who owns `key`; nil for one that isn't known. It takes the same time whatever the key is and however much of it is right.
    func owner(of key: some StringProtocol) -> String? {
        guard key.utf8.count <= Self.longest, let shown = Self.entry(String(key)) else { return nil }
        var owner: String?
        for entry in entries {
            var difference: UInt8 = 0
            for (one, other) in zip(entry.digest, shown.digest) { difference |= one ^ other }
            if difference == 0 { owner = entry.owner }
        }
        return owner
    }
}
