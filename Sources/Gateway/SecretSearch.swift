internal import Glibc
internal import HTTP
internal import JSON
internal import Plan

/// Finds an upstream's credentials in its answers and takes them out: some services write the key that they were asked with into every
/// address that they answer.
struct SecretSearch: Sendable {
    /// Shorter ones would be found where nobody wrote them; they are looked for as whole values of addresses' parameters only.
    static let shortest = 8

    private let secrets: [String]
    private let secretBytes: [[UInt8]]
    private let whole: Set<String>
    /// Whether a plus may hide the blank of a credential.
    private let hasBlank: Bool
    /// Every form in which one may stand in a JSON text.
    private let forms: [[UInt8]]
    /// The query parameters that the signer sets, and the one that holds the digest.
    private let signed: Set<String>
    private let digest: String?
    private let digestBytes: [UInt8]

    /// Nil where the upstream has no credential to look for.
    init?(_ upstream: UpstreamPlan) {
        let all = upstream.credentials.map { $0.reveal() }
        whole = Set(all)
        secrets = all.filter { $0.utf8.count >= SecretSearch.shortest }
        secretBytes = secrets.map { Array($0.utf8) }
        hasBlank = secrets.contains { $0.utf8.contains(0x20) }
        var signed: Set<String> = []
        var digest: String?
        switch upstream.auth {
        case .query(let name, _): signed = [name]
        case .md5Query(let timestamp, let key, let digestName, _, _):
            signed = [timestamp, key, digestName]
            digest = digestName
        case .header, nil: break
        }
        self.signed = signed
        self.digest = digest
        digestBytes = digest.map { Array(($0 + "=").utf8) } ?? []
        guard !all.isEmpty else { return nil }
        var forms = secrets.flatMap { secret in
            SecretSearch.forms(of: secret).flatMap { text in
                let quoted = String(decoding: JSONText.quoted(text).dropFirst().dropLast(), as: UTF8.self)
                return [
                    quoted, quoted.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/"),
                ]
            }
        }
        forms += all.filter { $0.utf8.count < SecretSearch.shortest }.map { "=" + Percent.encoded($0) }
        if let digest { forms.append(digest + "=") }
        // An encoded letter hides what is behind it from a search of bytes.
        forms += ["\\u00", "%"]
        self.forms = Set(forms).map { Array($0.utf8) }
    }

    /// Whether a JSON text has to be looked at closely.
    func mayBeIn(_ text: [UInt8]) -> Bool { text.withUnsafeBytes(mayBeIn) }

    /// Whether the text of one value has to be looked at closely.
    func mayBeIn(_ node: JSONNode, of document: JSONDocument) -> Bool {
        document.bytes(of: node).withUnsafeBytes(mayBeIn)
    }

    private func mayBeIn(_ text: UnsafeRawBufferPointer) -> Bool {
        forms.contains { SecretSearch.find($0, in: text) }
    }

    private static func find(_ form: [UInt8], in text: UnsafeRawBufferPointer) -> Bool {
        guard let first = form.first, let start = text.baseAddress else { return false }
        var offset = 0
        while text.count - offset >= form.count {
            let rest = text.count - offset - form.count + 1
            guard let hit = memchr(start + offset, Int32(first), rest) else { return false }
            if form.withUnsafeBytes({ memcmp(hit, $0.baseAddress ?? start, form.count) == 0 }) { return true }
            offset = start.distance(to: UnsafeRawPointer(hit)) + 1
        }
        return false
    }

    /// As it is and as it may stand in an address.
    private static func forms(of secret: String) -> [String] {
        let encoded = Percent.encoded(secret)
        let plus = encoded.split(separator: "%20", omittingEmptySubsequences: false).joined(separator: "+")
        return [secret, encoded, encoded.lowercased(), plus, plus.lowercased()]
    }

    /// Whether a text holds a credential or a digest that was made with one, as it stands or percent-encoded.
    func holds(_ text: String) -> Bool {
        if isIn(text) { return true }
        let bytes = text.utf8
        if bytes.contains(UInt8(ascii: "%")), let decoded = Percent.decoded(bytes), isIn(decoded) { return true }
        guard hasBlank, bytes.contains(UInt8(ascii: "+")) else { return false }
        return Percent.decoded(bytes, plusIsSpace: true).map(isIn) ?? false
    }

    private func isIn(_ text: String) -> Bool {
        var text = text
        let (hasSecret, hasDigest) = text.withUTF8 { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            return (
                secretBytes.contains { SecretSearch.find($0, in: raw) },
                !digestBytes.isEmpty && SecretSearch.find(digestBytes, in: raw)
            )
        }
        return hasSecret || hasDigest && cutDigests(text) != nil
    }

    /// The text without the digits that follow the digest's name (`hash=ffd275c5…`); nil where there are none.
    private func cutDigests(_ text: String) -> String? {
        guard let digest else { return nil }
        let parts = text.split(separator: digest + "=", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count > 1 else { return nil }
        var isCut = false
        var result = String(first)
        for part in parts.dropFirst() {
            let digits = part.utf8.prefix { ASCII.hexValue($0) != nil }
            let isDigest = digits.count >= 32
            isCut = isCut || isDigest
            result += digest + "=" + (isDigest ? part[digits.endIndex...] : part)
        }
        return isCut ? result : nil
    }

    /// The text itself where it holds no credential; an address without the query parameters that hold one; nil for any other text.
    func withoutSecrets(_ text: String) -> String? {
        let address = SecretSearch.isAddress(text) ? withoutParameters(text) : text
        return holds(address) ? nil : address
    }

    /// Whether a text is an address with a query.
    private static func isAddress(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.contains(UInt8(ascii: "?")), let end = bytes.firstIndex(where: { "?/".utf8.contains($0) }) else {
            return false
        }
        return end == bytes.startIndex || bytes[..<end].last == UInt8(ascii: ":")
    }

    private func withoutParameters(_ address: String) -> String {
        let bytes = address.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return address }
        let rest = bytes[bytes.index(after: mark)...]
        let end = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
        let pairs = rest[..<end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = sides.map { Percent.decoded($0, plusIsSpace: true) ?? "" }
            return (text: Substring(pair), name: texts.first ?? "", value: texts.count == 2 ? texts[1] : "")
        }
        // The digest isn't known here; the parameter that the signer gives it is.
        let isSigned = pairs.contains { $0.name == digest || signed.contains($0.name) && whole.contains($0.value) }
        let kept = pairs.filter { pair in
            !holds(String(pair.text)) && !whole.contains(pair.value) && !(isSigned && signed.contains(pair.name))
        }.map(\.text)
        if kept.count == pairs.count { return address }
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return address[..<mark] + query + address[end...]
    }

    /// The text with every credential cut out.
    private func cut(_ text: String) -> String {
        if let clean = withoutSecrets(text) { return clean }
        var text = text
        for form in secrets.flatMap(SecretSearch.forms) {
            text = text.split(separator: form, omittingEmptySubsequences: false).joined()
        }
        text = cutDigests(text) ?? text
        return holds(text) ? "" : text
    }

    /// The changes that take every credential out of a document's texts, numbers and names, from `node` down. The recursion is bounded by the
    /// depth of the JSON that is read.
    func edits(in document: JSONDocument, at node: JSONNode) -> JSONEdits {
        var edits = JSONEdits()
        add(to: &edits, document, node)
        return edits
    }

    private func add(to edits: inout JSONEdits, _ document: JSONDocument, _ node: JSONNode) {
        switch document.kind(of: node) {
        case .string:
            guard mayBeIn(node, of: document), let text = document.string(of: node) else { return }
            let clean = cut(text)
            if clean != text { edits.replace(node, with: JSONText.quoted(clean)) }
        case .number:
            if holds(String(decoding: document.bytes(of: node), as: UTF8.self)) {
                edits.replace(node, with: Array("null".utf8))
            }
        case .array:
            for element in document.elements(of: node) { add(to: &edits, document, element) }
        case .object:
            for (key, value) in document.members(of: node) {
                if let name = document.string(of: key), holds(name) {
                    edits.remove(member: key)
                } else {
                    add(to: &edits, document, value)
                }
            }
        case .true, .false, .null: break
        }
    }
}
