/// Writes `multipart/form-data` with a boundary of our own: nothing that a client sent is in its framing.
struct FormWriter: Sendable {
    private let boundary: String

    init() {
        var random = SystemRandomNumberGenerator()
        let halves = [random.next(), random.next()].map { String($0, radix: 16) }
        boundary = "sluice-" + halves.joined(separator: "-")
    }

    var contentType: String { "multipart/form-data; boundary=" + boundary }

    /// A whole part with a text.
    func field(_ name: String, _ text: String) -> [UInt8] {
        Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n".utf8)
    }

    /// What stands before the image's bytes.
    func imageStart(_ type: ImageType) -> [UInt8] {
        let disposition = "form-data; name=\"image\"; filename=\"image.\(type.fileExtension)\""
        let head = "Content-Disposition: \(disposition)\r\nContent-Type: \(type.mediaType)\r\n\r\n"
        return Array("--\(boundary)\r\n\(head)".utf8)
    }

    /// What stands behind the image's bytes.
    let imageEnd: [UInt8] = [0x0D, 0x0A]

    /// What stands behind the last part.
    var end: [UInt8] { Array("--\(boundary)--\r\n".utf8) }
}
