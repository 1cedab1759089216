internal import HTTP

/// What a client's `Accept-Encoding` (RFC 9110, section 12.5.3) says about the codings that we have.
public struct AcceptEncoding: Sendable, Equatable {
    /// The coding that the client likes best, br before gzip where it likes both alike. Nil where it wants none of them, or
    /// content without a coding more.
    public let best: ContentCoding?
    /// Whether content may be sent as it is. Only `identity;q=0`, or `*;q=0` without `identity`, forbids that.
    public let allowsIdentity: Bool

    /// - Parameter value: the field's value, its lines joined by commas; nil where there is no such field. A value that breaks
    ///   the field's grammar counts as none: the content is sent as it is.
    public init(_ value: String?) {
        guard let value, let weights = Weights(value) else {
            (best, allowsIdentity) = (nil, true)
            return
        }
        let identity = weights.identity ?? weights.any
        allowsIdentity = identity != 0
        var liked: ContentCoding?
        var weight = 0
        for coding in ContentCoding.allCases where weights[coding] > weight {
            (liked, weight) = (coding, weights[coding])
        }
        best = weight >= weights.identity ?? 0 ? liked : nil
    }
}

/// The weights of one field value, in thousandths; the first of several members with one name counts.
private struct Weights {
    private var codings: [ContentCoding: Int] = [:]
    private(set) var identity: Int?
    /// Of `*`: whatever isn't named.
    private(set) var any: Int?

    subscript(coding: ContentCoding) -> Int { codings[coding] ?? any ?? 0 }

    /// Nil where a member is no `codings [weight]`.
    init?(_ value: String) {
        for member in value.utf8.split(separator: UInt8(ascii: ",")) {
            let member = ASCII.trimmed(Substring(member))
            if member.isEmpty { continue }
            let mark = member.utf8.firstIndex(of: UInt8(ascii: ";")) ?? member.endIndex
            let name = ASCII.trimmed(member[..<mark]).utf8
            guard !name.isEmpty, name.allSatisfy(Token.contains) else { return nil }
            let parameter = member.utf8[mark...].dropFirst()
            guard let weight = mark == member.endIndex ? 1000 : qvalue(ASCII.trimmed(Substring(parameter))) else {
                return nil
            }
            note(String(decoding: name.map(ASCII.lowercased), as: UTF8.self), weight)
        }
    }

    private mutating func note(_ name: String, _ weight: Int) {
        switch name {
        case "*": any = any ?? weight
        case "identity": identity = identity ?? weight
        case "x-gzip": codings[.gzip] = codings[.gzip] ?? weight  // RFC 9110, section 8.4.1.3
        default:
            guard let coding = ContentCoding(rawValue: name) else { return }
            codings[coding] = codings[coding] ?? weight
        }
    }
}

/// The thousandths of `q=0.5` (RFC 9110, section 12.4.2: at most three decimals, at most 1), or nil.
private func qvalue(_ text: Substring) -> Int? {
    let text = Array(text.utf8)
    guard text.count >= 3, ASCII.lowercased(text[0]) == UInt8(ascii: "q"), text[1] == UInt8(ascii: "=") else {
        return nil
    }
    let digits = text.dropFirst(2)
    guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else { return nil }
    var value = Int(first - UInt8(ascii: "0")) * 1000
    let rest = digits.dropFirst()
    guard rest.isEmpty || rest.first == UInt8(ascii: "."), rest.count <= 4 else { return nil }
    var place = 100
    for digit in rest.dropFirst() {
        guard ASCII.isDigit(digit) else { return nil }
        value += Int(digit - UInt8(ascii: "0")) * place
        place /= 10
    }
    return value <= 1000 ? value : nil
}
