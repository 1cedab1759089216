internal import HTTP

/// The forms that an upload comes in, told by its `Content-Type`.
enum UploadForm {
    /// A reader for the content.
    /// - Throws: 415 for any other type, 400 for a boundary that is none.
    static func reader(for contentType: String?) throws(GatewayError) -> any UploadReader {
        // Content without a type may be anything (RFC 9110, section 8.3): its first bytes tell.
        guard let contentType else { return RawImageReader() }
        guard let value = ParameterizedValue(contentType.utf8) else { throw otherType }
        switch value.word {
        case "multipart/form-data":
            guard let boundary = Boundary(contentType: contentType) else {
                throw .upload("bad-boundary", "The Content-Type names no usable boundary.")
            }
            return MultipartReader(boundary)
        case "application/json": return JSONUploadReader()
        case let word where word.hasPrefix("image/") || word == "application/octet-stream": return RawImageReader()
        default: throw otherType
        }
    }

    private static var otherType: GatewayError {
        var error = GatewayError.upload(
            "unsupported-media-type",
            "An upload is multipart/form-data, an image/*, application/octet-stream or application/json.",
            status: .unsupportedMediaType)
        error.lists = [("allowed", ["multipart/form-data", "image/*", "application/octet-stream", "application/json"])]
        return error
    }
}

/// Content that is in memory already, as a stream.
final class WholeContent: BodyStream, @unchecked Sendable {
    private var bytes: [UInt8]
    let length: Int?

    /// Confined to the loop of its request.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        length = bytes.count
    }

    func next() async throws(GatewayError) -> [UInt8]? {
        defer { bytes = [] }
        return bytes.isEmpty ? nil : bytes
    }
}
