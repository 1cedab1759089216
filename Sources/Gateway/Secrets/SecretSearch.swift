internal import Glibc
internal import HTTP
internal import JSON
internal import Plan

/// Finds an upstream's credentials in its answers and takes them out: some services write the key that they were asked with into every
/// address that they answer.
struct SecretSearch: Sendable {
    private let secrets: [String]
    private let whole: Set<String>
    /// The same as the search compares texts.
    private let wholeNormal: Set<[UInt8]>
    private var patterns: SecretPatterns
    /// Credentials with hardly a letter in ASCII, which aren't found folded.
    private let exact: [[UInt8]]
    /// Short ones, as the search compares texts and behind the sign that ends the name of an address' parameter.
    private let short: [[UInt8]]
    /// The query parameters that the signer sets, and the one that holds the digest.
    let signed: Set<String>
    let digest: String?
    /// What this answer was signed with.
    private var digests: [String] = []

    /// Nil where the upstream has no credential to look for.
    init?(_ upstream: UpstreamPlan) {
        let all = upstream.credentials.map { $0.reveal() }
        guard !all.isEmpty else { return nil }
        whole = Set(all)
        wholeNormal = Set(all.map(SecretText.normal).filter { !$0.isEmpty })
        secrets = all.filter { $0.utf8.count >= SecretPatterns.shortPiece }
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
        var patterns: [SecretPatterns.Pattern] = []
        var exact: [[UInt8]] = []
        for secret in secrets {
            let text = SecretText.normal(secret)
            let rule = text.count < SecretPatterns.shortestInPieces ? SecretPatterns.Pattern.Rule.whole : .pieces
            if let pattern = SecretPatterns.Pattern(text, rule) {
                patterns.append(pattern)
            } else {
                exact.append(Array(secret.utf8))
            }
            patterns += Base64.inner(Array(secret.utf8)).compactMap { text in
                SecretPatterns.Pattern(SecretText.normal(text), .longPieces)
            }
        }
        self.exact = exact
        short = all.filter { $0.utf8.count < SecretPatterns.shortPiece }.map { Array("=".utf8) + SecretText.normal($0) }
            .filter { $0.count > 1 }
        self.patterns = SecretPatterns(patterns, looksForDigests: digest != nil)
    }

    /// The same for an answer to a request that was signed with these digests; the names are compared without regard to case.
    func with(digests: [String]) -> SecretSearch {
        guard digest != nil, !digests.isEmpty else { return self }
        var search = self
        search.digests = digests.map { $0.lowercased() }
        search.patterns = patterns.with(digests: search.digests)
        return search
    }

    // MARK: Finding

    /// Whether the decoded value of an address' parameter is a credential as a whole, or is an address that has a short one as such a value.
    func isCredential(_ value: String) -> Bool {
        if whole.contains(value) { return true }
        // A letter of another script is a part of a value, which the search in texts passes over.
        let isPlain = value.unicodeScalars.allSatisfy {
            $0.isASCII || ("\u{FF01}"..."\u{FF5E}").contains($0) || $0.properties.isDefaultIgnorableCodePoint
        }
        guard isPlain else { return false }
        let normal = SecretText.normal(value)
        if wholeNormal.contains(normal) { return true }
        return short.contains { form in
            var rest = normal[...]
            while let hit = rest.firstRange(of: form) {
                let after = hit.upperBound < normal.endIndex ? normal[hit.upperBound] : UInt8(ascii: "&")
                if "&;#,".utf8.contains(after) { return true }
                rest = normal[hit.upperBound...]
            }
            return false
        }
    }

    /// Whether the bytes of a field hold a credential.
    func holds(_ bytes: some Collection<UInt8>) -> Bool { holds(String(decoding: bytes, as: UTF8.self)) }

    /// Whether a JSON text has to be looked at closely.
    func mayBeIn(_ text: [UInt8]) -> Bool {
        text.withUnsafeBytes { text in
            switch patterns.glance(at: text, isJSON: true) {
            case .suspect: true
            case .clean: SecretSearch.isAny(of: exact, in: text) || mayBeShort(text)
            case .coded: !short.isEmpty || isIn(SecretText.decoded(text))
            }
        }
    }

    /// Whether the text of one value has to be looked at closely.
    func mayBeIn(_ node: JSONNode, of document: JSONDocument) -> Bool {
        document.bytes(of: node).withUnsafeBytes { text in
            patterns.glance(at: text, isJSON: true) != .clean || SecretSearch.isAny(of: exact, in: text)
                || mayBeShort(text)
        }
    }

    /// Whether a text without codes may have an address with a short credential in it.
    private func mayBeShort(_ text: UnsafeRawBufferPointer) -> Bool {
        !short.isEmpty && text.contains(UInt8(ascii: "="))
    }

    /// Whether a text holds a credential, a telling piece of one, or a digest that was made with one, however it is spelled.
    func holds(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            if patterns.glance(at: bytes, isJSON: false) == .clean { return SecretSearch.isAny(of: exact, in: bytes) }
            return isIn(SecretText.decoded(bytes))
        }
    }

    private func isIn(_ decoded: [UInt8]) -> Bool {
        patterns.areIn(SecretText.folded(decoded)) || decoded.withUnsafeBytes { SecretSearch.isAny(of: exact, in: $0) }
            || digest != nil && cutNamedDigests(String(decoding: decoded, as: UTF8.self)) != nil
    }

    private static func isAny(of forms: [[UInt8]], in text: UnsafeRawBufferPointer) -> Bool {
        forms.contains { find($0, in: text) }
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

    // MARK: Taking out

    /// The text without the digits that follow the digest's name (`hash=ffd275c5…`); nil where there are none. The upstream may have them from
    /// another request.
    private func cutNamedDigests(_ text: String) -> String? {
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

    /// The text itself where it holds no credential; with addresses in it, each without the query parameters that hold one; nil where one is left.
    func withoutSecrets(_ text: String) -> String? {
        let text = withoutParameters(text)
        return holds(text) ? nil : text
    }

    /// The text with every credential cut out; nil where one is spelled in a way that can't be cut out.
    func cutOut(_ text: String) -> String? {
        var text = withoutParameters(text)
        guard holds(text) else { return text }
        for form in secrets.flatMap(SecretSearch.forms) + digests {
            text = text.split(separator: form, omittingEmptySubsequences: false).joined()
        }
        text = cutNamedDigests(text) ?? text
        return holds(text) ? nil : text
    }

    /// As it is and as it may stand in an address.
    private static func forms(of secret: String) -> [String] {
        let encoded = Percent.encoded(secret)
        let plus = encoded.split(separator: "%20", omittingEmptySubsequences: false).joined(separator: "+")
        return [secret, encoded, encoded.lowercased(), plus, plus.lowercased()]
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
            let clean = cutOut(text) ?? ""
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

extension Fields {
    /// What the request was signed with that this answers.
    var digests: [String] {
        values(.signedWith).flatMap { $0.split(separator: ",") }.map { String(ASCII.trimmed($0)) }
    }
}
