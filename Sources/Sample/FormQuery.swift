internal import HTTP

/// A query as a lenient server reads it (the form encoding of the URL standard): what can't be decoded stays as it stands,
/// and no byte is refused.
struct FormQuery {
    /// In order; a name without `=` has an empty value, empty pairs are left out.
    var pairs: [(name: String, value: String)] = []

    init(_ query: String?) {
        for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = lenientlyDecoded(pair[..<equals], plusIsSpace: true)
            pairs.append((name, lenientlyDecoded(pair[equals...].dropFirst(), plusIsSpace: true)))
        }
    }

    /// The value of the last pair of this name.
    subscript(name: String) -> String? { pairs.last { $0.name == name }?.value }

    /// The values of all pairs of this name, in order.
    func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// The same query with one pair of this name: where the first one stood, else at the end.
    func setting(_ name: String, to value: String) -> FormQuery {
        var result = self
        if let place = pairs.firstIndex(where: { $0.name == name }) {
            result.pairs[place].value = value
            let rest = result.pairs[(place + 1)...].filter { $0.name != name }
            result.pairs.replaceSubrange((place + 1)..., with: rest)
        } else {
            result.pairs.append((name, value))
        }
        return result
    }

    /// The query text: a blank is `+`, every other byte but the unreserved ones is percent-encoded.
    var text: String {
        pairs.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        text.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false)
            .map { Percent.encoded(String($0)) }.joined(separator: "+")
    }
}

/// `text` with its percent-encoded bytes put in; a `%` without two hexadecimal digits stays, and what is no UTF-8 becomes U+FFFD.
func lenientlyDecoded(_ text: Substring.UTF8View, plusIsSpace: Bool = false) -> String {
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
        return String(Substring(text))
    }
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
        let digits = rest.prefix(2).compactMap(ASCII.hexValue)
        if byte == UInt8(ascii: "%"), digits.count == 2, let high = digits.first, let low = digits.last {
            bytes.append(high << 4 | low)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// `text` without white space at its ends.
func trimmed(_ text: String) -> Substring {
    var scalars = Substring(text).unicodeScalars
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return Substring(scalars)
}
