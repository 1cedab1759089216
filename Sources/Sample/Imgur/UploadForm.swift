internal import Glibc
internal import HTTP

/// The fields of an upload, from either form encoding, as a lenient server reads them: of fields of one name the last one counts, and
/// others than these are nobody's.
struct UploadForm: Sendable {
    /// A field's bytes.
    struct Field: Sendable {
        let name: String
        let content: ArraySlice<UInt8>
        /// Whether it came with a file's name.
        var isFile = false
    }

    /// Those that are read; the rest is skipped.
    static let mostFields = 32
    /// Bytes of a text.
    static let longestText = 64 << 10

    private var fields: [Field] = []

    /// - Parameters:
    ///   - content: the whole of it.
    ///   - contentType: what the request says it is; of no other type than the two of forms is anything read.
    init(_ content: [UInt8], contentType: String?) {
        guard let type = LenientFieldValue(contentType ?? "") else { return }
        switch type.name {
        case "multipart/form-data":
            if let boundary = type.parameters["boundary"] { fields = Self.multipart(content, boundary: boundary) }
        case "application/x-www-form-urlencoded": fields = Self.urlencoded(content)
        default: break
        }
    }

    /// The picture, where there is one: bytes or base64 or an address.
    var image: Field? { fields.last { $0.name == "image" } }

    /// A field as text; nil where it is missing or empty. A long one is cut.
    subscript(name: String) -> String? {
        guard let content = fields.last(where: { $0.name == name })?.content, !content.isEmpty else { return nil }
        return String(decoding: content.prefix(Self.longestText), as: UTF8.self)
    }

    // MARK: application/x-www-form-urlencoded

    private static func urlencoded(_ content: [UInt8]) -> [Field] {
        content.split(separator: UInt8(ascii: "&"), maxSplits: mostFields).prefix(mostFields).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = String(decoding: decoded(pair[..<equals]), as: UTF8.self)
            return Field(name: name, content: decoded(pair[equals...].dropFirst())[...])
        }
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            let first = rest.first.flatMap(ASCII.hexValue)
            if byte == UInt8(ascii: "%"), let first, let second = rest.dropFirst().first.flatMap(ASCII.hexValue) {
                bytes.append(first << 4 | second)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }

    // MARK: multipart/form-data

    /// The parts (RFC 2046, section 5.1; RFC 7578), of which only whole ones count: what a missing end leaves open is dropped.
    private static func multipart(_ content: [UInt8], boundary: String) -> [Field] {
        guard (1...70).contains(boundary.utf8.count) else { return [] }
        let line: [UInt8] = [0x0D, 0x0A, 0x2D, 0x2D] + boundary.utf8
        // The first boundary may stand at the very beginning, without a line end before it.
        var start: Int
        if content.starts(with: line.dropFirst(2)) {
            start = line.count - 2
        } else if let first = place(of: line, in: content, from: 0) {
            start = first + line.count
        } else {
            return []
        }
        var fields: [Field] = []
        while fields.count < mostFields, let end = place(of: line, in: content, from: start) {
            // What follows a boundary on its line: two dashes after the last one, else blanks.
            if content[start..<end].starts(with: [0x2D, 0x2D]) { break }
            if let field = field(content[start..<end]) { fields.append(field) }
            start = end + line.count
        }
        return fields
    }

    /// Where `line`, which begins with a line end, stands for the first time from `start` on.
    private static func place(of line: [UInt8], in content: [UInt8], from start: Int) -> Int? {
        content.withUnsafeBytes { content in
            var start = start
            while start < content.count, let base = content.baseAddress,
                let found = memchr(base + start, 0x0D, content.count - start)
            {
                let place = base.distance(to: UnsafeRawPointer(found))
                guard place + line.count <= content.count else { return nil }
                if memcmp(found, line, line.count) == 0 { return place }
                start = place + 1
            }
            return nil
        }
    }

    /// - Parameter part: from behind the boundary, with the line end there, to the next boundary.
    private static func field(_ part: ArraySlice<UInt8>) -> Field? {
        let head = part.prefix(8 << 10)
        let end = head.indices.first { head[$0...].starts(with: [0x0D, 0x0A, 0x0D, 0x0A]) }
        guard let end else { return nil }
        for line in head[..<end].split(separator: 0x0A) {
            let text = String(decoding: line, as: UTF8.self)
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
            guard ASCII.trimmed(text[..<colon]).lowercased() == "content-disposition", colon < text.endIndex,
                let value = LenientFieldValue(String(text[text.index(after: colon)...])), value.name == "form-data",
                let name = value.parameters["name"]
            else { continue }
            let isFile = value.parameters["filename"] != nil || value.parameters["filename*"] != nil
            return Field(name: name, content: part[(end + 4)...], isFile: isFile)
        }
        return nil
    }
}

/// A media type or a disposition with its parameters (RFC 9110, section 8.3.1; RFC 6266), read leniently.
struct LenientFieldValue: Sendable {
    /// In lower case.
    let name: String
    /// By names in lower case; the first of a name counts.
    private(set) var parameters: [String: String] = [:]

    init?(_ text: String) {
        var rest = Substring(text).unicodeScalars
        func trim(_ text: Substring.UnicodeScalarView) -> String {
            String(trimmed(String(Substring(text))))
        }
        name = trim(rest.prefix { $0 != ";" }).lowercased()
        guard !name.isEmpty else { return nil }
        rest = rest.drop { $0 != ";" }
        while !rest.isEmpty {
            rest = rest.dropFirst()
            let key = trim(rest.prefix { $0 != "=" && $0 != ";" }).lowercased()
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            var value = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let next = rest.popFirst(), next != "\"" {
                    if next == "\\", let escaped = rest.popFirst() {
                        value.unicodeScalars.append(escaped)
                    } else {
                        value.unicodeScalars.append(next)
                    }
                }
                rest = rest.drop { $0 != ";" }
            } else {
                value = trim(rest.prefix { $0 != ";" })
                rest = rest.drop { $0 != ";" }
            }
            if !key.isEmpty, parameters[key] == nil { parameters[key] = value }
        }
    }
}
