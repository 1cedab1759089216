internal import HTTP

/// What an upload's content says, whatever form it comes in.
enum UploadEvent: Equatable {
    /// The next bytes of the image; never empty.
    case image([UInt8])
    /// A text that comes with the image or in its place.
    case text(UploadText, String)
}

/// The texts of an upload.
enum UploadText: String, CaseIterable {
    case title
    case description
    /// Where Imgur finds the image itself.
    case url

    /// UTF-8 bytes.
    var limit: Int {
        switch self {
        case .title: 512
        case .description: 8 << 10
        case .url: 2 << 10
        }
    }

    /// - Throws: 400 where the bytes are no text of this kind.
    func read(_ bytes: [UInt8]) throws(GatewayError) -> String {
        guard bytes.count <= limit else { throw tooLong }
        guard let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(takes) else {
            throw .upload("bad-text", "The \(rawValue) must be UTF-8 text without control characters.")
        }
        return text
    }

    var tooLong: GatewayError {
        .upload("text-too-long", "The \(rawValue) has more than the \(limit) bytes that are taken.")
    }

    private func takes(_ scalar: Unicode.Scalar) -> Bool {
        if self == .description, ["\n", "\r", "\t"].contains(scalar) { return true }
        return scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
    }
}

/// Reads the content of an upload as it comes. What comes out doesn't depend on how the bytes were cut.
protocol UploadReader: Sendable {
    /// Reads the next bytes and appends what they say.
    /// - Throws: 400 or 415 where they aren't what the form asks for; nothing may be read after that.
    mutating func receive(_ piece: [UInt8], _ events: inout [UploadEvent]) throws(GatewayError)

    /// Called once, after the last byte.
    /// - Throws: 400 where something is missing.
    mutating func finish(_ events: inout [UploadEvent]) throws(GatewayError)
}

/// The content is the image.
struct RawImageReader: UploadReader {
    mutating func receive(_ piece: [UInt8], _ events: inout [UploadEvent]) {
        if !piece.isEmpty { events.append(.image(piece)) }
    }

    mutating func finish(_ events: inout [UploadEvent]) {}
}

extension GatewayError {
    /// A fault of the upload's content, 400 where no other status is named.
    static func upload(_ code: String, _ detail: String, status: Status = .badRequest) -> GatewayError {
        GatewayError(source: .client, code: code, status: status, detail: detail)
    }

    /// A name from outside, cut so that an error stays short.
    static func shown(_ name: [UInt8]) -> String {
        // Four bytes are the most that a character of the first 64 has.
        String(String.UnicodeScalarView(String(decoding: name.prefix(256), as: UTF8.self).unicodeScalars.prefix(64)))
    }
}
