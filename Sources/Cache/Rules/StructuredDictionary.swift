internal import HTTP

/// A dictionary of structured fields (RFC 9651, sections 3.2 and 4.2.2), as far as cache directives need one (RFC 9213, section 2.1).
///
/// The whole field is read strictly: one fault anywhere and it counts as absent. Parameters are read and dropped.
struct StructuredDictionary {
    private let bytes: [UInt8]
    private var position = 0

    /// The members as directives, of several with one name the last; nil where the field is broken.
    /// - Parameter lines: the field's values, one a line.
    static func directives(_ lines: [String]) -> [Directive]? {
        var parser = StructuredDictionary(bytes: Array(lines.joined(separator: ", ").utf8))
        return parser.members()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: Character) -> Bool {
        guard next == byte.asciiValue else { return false }
        position += 1
        return true
    }

    private mutating func skip(tabs: Bool) {
        while next == 0x20 || tabs && next == 0x09 { position += 1 }
    }

    private mutating func members() -> [Directive]? {
        var members: [Directive] = []
        skip(tabs: false)
        while next != nil {
            guard let name = key() else { return nil }
            var argument: Directive.Argument? = Directive.Argument.none
            if take("=") { argument = take("(") ? innerList() : item() }
            guard let argument, skipParameters() else { return nil }
            members.removeAll { $0.name == name }
            // `?0` says that a directive isn't there.
            if argument != .text("?0") {
                members.append(Directive(name: name, argument: argument == .text("?1") ? .none : argument))
            }
            skip(tabs: true)
            guard next != nil else { return members }
            guard take(",") else { return nil }
            skip(tabs: true)
            guard next != nil else { return nil }
        }
        return members
    }

    private mutating func key() -> String? {
        let start = position
        guard let first = next, isLower(first) || first == UInt8(ascii: "*") else { return nil }
        while let byte = next, isLower(byte) || ASCII.isDigit(byte) || [0x2A, 0x2D, 0x2E, 0x5F].contains(byte) {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    /// What a value means as an argument; nil where it is broken.
    private mutating func item() -> Directive.Argument? {
        guard let first = next else { return nil }
        switch first {
        case UInt8(ascii: "?"):
            position += 1
            return take("1") ? .text("?1") : take("0") ? .text("?0") : nil
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: ":"): return byteSequence()
        case UInt8(ascii: "-"), 0x30...0x39: return number()
        default: return Token.contains(first) && (first == 0x2A || isLower(first | 0x20)) ? token() : nil
        }
    }

    /// An integer of up to 15 digits. Below zero, or with a fraction, it is sound but no number of seconds.
    private mutating func number() -> Directive.Argument? {
        let isNegative = take("-")
        let start = position
        while let byte = next, ASCII.isDigit(byte) { position += 1 }
        let digits = bytes[start..<position]
        guard !digits.isEmpty else { return nil }
        guard take(".") else {
            guard digits.count <= 15 else { return nil }
            return isNegative ? .invalid : .text(String(decoding: digits, as: UTF8.self))
        }
        let fraction = position
        while let byte = next, ASCII.isDigit(byte) { position += 1 }
        return digits.count <= 12 && (1...3).contains(position - fraction) ? .invalid : nil
    }

    /// A string: names of fields, and never a number.
    private mutating func string() -> Directive.Argument? {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                // Digits in quotes are a text, which isn't to be taken for a number.
                return text.allSatisfy(ASCII.isDigit) ? .invalid : .text(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = next, escaped == 0x22 || escaped == 0x5C else { return nil }
                position += 1
                text.append(escaped)
            case 0x20...0x7E: text.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func token() -> Directive.Argument? {
        let start = position
        while let byte = next, Token.contains(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") {
            position += 1
        }
        return .text(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func byteSequence() -> Directive.Argument? {
        position += 1
        while let byte = next {
            position += 1
            if byte == UInt8(ascii: ":") { return .invalid }
            let isBase64 = isLower(byte | 0x20) || ASCII.isDigit(byte) || [0x2B, 0x2F, 0x3D].contains(byte)
            guard isBase64 else { return nil }
        }
        return nil
    }

    private mutating func innerList() -> Directive.Argument? {
        while true {
            skip(tabs: false)
            if take(")") { return .invalid }
            guard item() != nil, skipParameters(), next == 0x20 || next == UInt8(ascii: ")") else { return nil }
        }
    }

    private mutating func skipParameters() -> Bool {
        while take(";") {
            skip(tabs: false)
            guard key() != nil else { return false }
            if take("="), item() == nil { return false }
        }
        return true
    }
}
