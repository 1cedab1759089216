internal import HTTP

/// A value of `Content-Type` or `Content-Disposition`: a word, and parameters behind it (RFC 9110, section 8.3.1; RFC 6266, section 4.1).
struct ParameterizedValue: Equatable {
    /// In lower case: `multipart/form-data`, `form-data`.
    let word: String
    /// Names in lower case, values as bytes without quotes and escapes.
    private let parameters: [(name: String, value: [UInt8])]

    /// Nil where the text is no such value, or names a parameter twice.
    init?(_ bytes: some Collection<UInt8>) {
        var reader = Reader(bytes: Array(bytes))
        guard let word = reader.word() else { return nil }
        var parameters: [(name: String, value: [UInt8])] = []
        while reader.skipSemicolon() {
            // A semicolon at the end is what some programs write.
            if reader.isAtEnd { break }
            guard let name = reader.token()?.lowercased(), reader.skip(UInt8(ascii: "=")), let value = reader.value(),
                !parameters.contains(where: { $0.name == name })
            else { return nil }
            parameters.append((name, value))
        }
        guard reader.isAtEnd else { return nil }
        self.word = word.lowercased()
        self.parameters = parameters
    }

    static func == (left: ParameterizedValue, right: ParameterizedValue) -> Bool {
        left.word == right.word
            && left.parameters.elementsEqual(right.parameters) { $0.name == $1.name && $0.value == $1.value }
    }

    subscript(name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }

    private struct Reader {
        private let bytes: [UInt8]
        private var position = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
            skipBlanks()
        }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }
        var isAtEnd: Bool { position == bytes.count }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            position += 1
            return true
        }

        mutating func skipSemicolon() -> Bool {
            skipBlanks()
            guard skip(UInt8(ascii: ";")) else { return false }
            skipBlanks()
            return true
        }

        private mutating func skipBlanks() {
            while let byte = next, byte == 0x20 || byte == 0x09 { position += 1 }
        }

        /// A token, or two with a slash between them.
        mutating func word() -> String? {
            guard let first = token() else { return nil }
            guard skip(UInt8(ascii: "/")) else { return first }
            return token().map { first + "/" + $0 }
        }

        mutating func token() -> String? {
            let start = position
            while let byte = next, Token.contains(byte) { position += 1 }
            return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
        }

        /// Quoted, or everything up to the next semicolon or quote: file names come with blanks and letters of all kinds.
        mutating func value() -> [UInt8]? {
            if skip(UInt8(ascii: "\"")) { return quoted() }
            let start = position
            while let byte = next, byte != UInt8(ascii: ";"), byte != UInt8(ascii: "\"") { position += 1 }
            var value = bytes[start..<position]
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            return value.isEmpty ? nil : Array(value)
        }

        private mutating func quoted() -> [UInt8]? {
            var value: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return value
                case UInt8(ascii: "\\"):
                    guard let escaped = next else { return nil }
                    position += 1
                    value.append(escaped)
                default: value.append(byte)
                }
            }
            return nil
        }
    }
}

/// The boundary of multipart content (RFC 2046, section 5.1.1).
struct Boundary: Sendable, Equatable {
    let bytes: [UInt8]

    static let longest = 70

    /// Nil unless `contentType` is `multipart/form-data` with a boundary of 1 to 70 of the characters that it may have, the last of them no
    /// blank.
    init?(contentType: String) {
        guard let value = ParameterizedValue(contentType.utf8), value.word == "multipart/form-data",
            let boundary = value["boundary"], (1...Boundary.longest).contains(boundary.count),
            boundary.allSatisfy(Boundary.takes), boundary.last != 0x20
        else { return nil }
        bytes = boundary
    }

    private static func takes(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}
