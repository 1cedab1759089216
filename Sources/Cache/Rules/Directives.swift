internal import HTTP

/// One directive of `Cache-Control` (RFC 9111, section 5.2), or one member of a targeted field (RFC 9213, section 2.1).
struct Directive: Sendable, Equatable {
    enum Argument: Sendable, Equatable {
        case none
        /// A token or what stood in quotes: recipients take both forms for each other.
        case text(String)
        /// Something that no directive takes: a fraction, a text where the field is typed.
        case invalid
    }

    /// In lower case.
    var name: String
    var argument: Argument

    /// The argument as seconds; an argument that is none of these is taken for 0, so that the answer is stale (RFC 9111, section
    /// 4.2.1).
    var seconds: Int {
        if case .text(let text) = argument { return DeltaSeconds.parse(text) ?? 0 }
        return 0
    }

    /// The argument as a list of field names; nil where there is none to speak of, so that the directive is about the whole answer.
    var names: [FieldName]? {
        guard case .text(let text) = argument else { return nil }
        let names = text.split(separator: ",").compactMap { FieldName(String(ASCII.trimmed($0))) }
        return names.isEmpty ? nil : names
    }
}

extension Directive {
    /// The directives of `name`'s lines in order. Each line is read for itself, so a quote that never ends spoils no other line.
    static func list(_ fields: Fields, _ name: FieldName) -> [Directive] {
        fields.values(name).flatMap { list(line: $0) }
    }

    /// A quote without an end is an ordinary character; what is no token is no directive and left out.
    static func list(line: String) -> [Directive] {
        let bytes = Array(line.utf8)
        var directives: [Directive] = []
        var start = 0
        while start < bytes.count {
            let end = self.end(of: start, in: bytes)
            if let directive = Directive(bytes[start..<end]) { directives.append(directive) }
            start = end + 1
        }
        return directives
    }

    /// Where the comma stands that ends the element at `start`, or the end.
    private static func end(of start: Int, in bytes: [UInt8]) -> Int {
        var position = start
        while position < bytes.count, bytes[position] != UInt8(ascii: ",") {
            if bytes[position] == UInt8(ascii: "\""), let close = closingQuote(of: position, in: bytes) {
                position = close
            }
            position += 1
        }
        return position
    }

    private static func closingQuote(of open: Int, in bytes: [UInt8]) -> Int? {
        var position = open + 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): return position
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        return nil
    }

    private init?(_ bytes: ArraySlice<UInt8>) {
        let equals = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
        let spelled = String(decoding: bytes[..<equals], as: UTF8.self)
        let name = ASCII.trimmed(spelled[...])
        guard !name.isEmpty, name.utf8.allSatisfy(Token.contains) else { return nil }
        self.name = name.lowercased()
        guard equals < bytes.endIndex else {
            argument = .none
            return
        }
        // A blank behind the equals sign stays: no number has one, nor is there one in front of the sign.
        guard spelled.hasSuffix(name) else {
            argument = .invalid
            return
        }
        var value = String(decoding: bytes[(equals + 1)...], as: UTF8.self)[...]
        while let last = value.utf8.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        argument = .text(Directive.unquoted(value))
    }

    private static func unquoted(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "\""), closingQuote(of: 0, in: bytes) == bytes.count - 1 else {
            return String(text)
        }
        var plain: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                isEscaped = false
                plain.append(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
