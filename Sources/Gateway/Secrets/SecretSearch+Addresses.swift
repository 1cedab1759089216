internal import HTTP

/// Addresses in texts, and what their parameters may tell.
extension SecretSearch {
    /// The text with every address in it without the query parameters that hold a credential, and without those that sign beside one.
    func withoutParameters(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "?")) else { return text }
        let bytes = text.utf8
        var result = ""
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = SecretSearch.addressEnd(in: bytes[start...])
            result += withoutParameters(address: text[start..<end])
            // What parts addresses stays.
            let next = bytes[end...].firstIndex { !SecretSearch.delimiters.contains($0) } ?? bytes.endIndex
            result += text[end..<next]
            start = next
        }
        // An address may have blanks in it, which it should not.
        return SecretSearch.isAddress(result) ? String(withoutParameters(address: result[...])) : result
    }

    private static let delimiters = Set(" \t\r\n<>\"'`".utf8)

    /// Where an address ends that begins with the text's first byte: before a blank, a bracket or a quote, and before a comma or semicolon
    /// with nothing, a delimiter or another address behind it.
    private static func addressEnd(in rest: Substring.UTF8View) -> String.Index {
        var index = rest.startIndex
        while index < rest.endIndex, !delimiters.contains(rest[index]) {
            let next = rest.index(after: index)
            if index > rest.startIndex, rest[index] == UInt8(ascii: ",") || rest[index] == UInt8(ascii: ";") {
                let behind = rest[next...]
                if behind.first.map({ delimiters.contains($0) || $0 == UInt8(ascii: "/") }) ?? true { return index }
                if behind.starts(with: "http:".utf8) || behind.starts(with: "https:".utf8) { return index }
            }
            index = next
        }
        return index
    }

    /// Whether a text is an address with a query and nothing else.
    private static func isAddress(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.contains(UInt8(ascii: "?")), let end = bytes.firstIndex(where: { "?/".utf8.contains($0) }),
            !bytes.contains(where: { "<>\"".utf8.contains($0) })
        else {
            return false
        }
        return end == bytes.startIndex || bytes[..<end].last == UInt8(ascii: ":")
    }

    private func withoutParameters(address: Substring) -> Substring {
        let bytes = address.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return address }
        let rest = bytes[bytes.index(after: mark)...]
        let end = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
        let pairs = rest[..<end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = sides.map { String(decoding: Percent.bytes($0, plusIsSpace: true), as: UTF8.self) }
            return (text: Substring(pair), name: texts.first ?? "", value: texts.count == 2 ? texts[1] : "")
        }
        // Beside a digest or a key the other parameters that the signer gives are its own too.
        let isSigned = pairs.contains { $0.name == digest || signed.contains($0.name) && isCredential($0.value) }
        let kept = pairs.filter { pair in
            !holds(String(pair.text)) && !isCredential(pair.value) && !(isSigned && signed.contains(pair.name))
        }.map(\.text)
        if kept.count == pairs.count { return address }
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return address[..<mark] + query + address[end...]
    }
}
