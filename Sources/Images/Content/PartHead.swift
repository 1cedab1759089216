internal import HTTP

/// The head of one part of a form (RFC 7578, section 4): which field it is, and whether its content comes as it is.
struct PartHead: Equatable {
    enum Field: Equatable {
        case image
        case text(UploadText)

        var name: String {
            switch self {
            case .image: "image"
            case .text(let text): text.rawValue
            }
        }
    }

    let field: Field

    /// Bytes of one head; and the lines in it.
    static let limit = 8 << 10
    private static let lineLimit = 20

    /// - Parameter bytes: the field lines, each with its CRLF, without the empty line.
    /// - Throws: 400. A type that the part may name counts for nothing: its content tells what it is.
    init(_ bytes: [UInt8]) throws(GatewayError) {
        var disposition: ArraySlice<UInt8>?
        var hasType = false
        var encoding: ArraySlice<UInt8>?
        for (name, value) in try PartHead.lines(bytes) {
            switch name.lowercased() {
            case "content-disposition":
                guard disposition == nil else { throw PartHead.malformed }
                disposition = value
            case "content-type":
                guard !hasType else { throw PartHead.malformed }
                hasType = true
            case "content-transfer-encoding": encoding = value
            default: break
            }
        }
        guard let disposition, let value = ParameterizedValue(disposition), value.word == "form-data",
            let name = value["name"]
        else {
            throw .upload(
                "bad-part", "Each part of the form must say Content-Disposition: form-data with the name of its field.")
        }
        field = try PartHead.field(name)
        if let encoding, !["7bit", "8bit", "binary"].contains(PartHead.text(encoding).lowercased()) {
            throw .upload(
                "coded-part", "The parts of the form must come as they are, without a Content-Transfer-Encoding.")
        }
    }

    private static func field(_ name: [UInt8]) throws(GatewayError) -> Field {
        switch String(decoding: name, as: UTF8.self) {
        case "image": return .image
        case "title": return .text(.title)
        case "description": return .text(.description)
        default:
            var error = GatewayError.upload(
                "unknown-part", "The form has a part \"\(GatewayError.shown(name))\", which is not known here.")
            error.lists = [("allowed", ["image", "title", "description"])]
            throw error
        }
    }

    private static func lines(_ bytes: [UInt8]) throws(GatewayError) -> [(name: String, value: ArraySlice<UInt8>)] {
        var lines: [(name: String, value: ArraySlice<UInt8>)] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0D) {
            let line = rest[..<end]
            rest = rest[end...].dropFirst()
            guard rest.popFirst() == 0x0A, lines.count < lineLimit,
                let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(Token.contains),
                line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else { throw malformed }
            lines.append((String(decoding: line[..<colon], as: UTF8.self), line[colon...].dropFirst()))
        }
        guard rest.isEmpty else { throw malformed }
        return lines
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(ASCII.trimmed(String(decoding: bytes, as: UTF8.self)[...]))
    }

    private static let malformed = GatewayError.upload("bad-part", "The head of a part of the form is malformed.")
}

extension GatewayError {
    static var notAnImage: GatewayError {
        var error = GatewayError.upload(
            "not-an-image", "Only JPEG, PNG, GIF and WebP images are taken; the content tells, not its name or type.",
            status: .unsupportedMediaType)
        error.lists = [("allowed", ImageType.allCases.map(\.mediaType))]
        return error
    }
}
