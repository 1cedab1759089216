/// The kinds of image that are taken, told by their first bytes alone: names and declared types may lie.
public enum ImageType: String, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case gif = "image/gif"
    case webp = "image/webp"

    /// Bytes that decide in every case; a shorter image is judged by what it has.
    public static let signatureLength = 16

    /// Nil where `bytes` begin no image of these kinds.
    public init?(firstBytes bytes: some Collection<UInt8>) {
        let start = Array(bytes.prefix(ImageType.signatureLength))
        if ImageType.isJPEG(start) {
            self = .jpeg
        } else if start == ImageType.pngSignature + [0, 0, 0, 13] + Array("IHDR".utf8) {
            self = .png
        } else if start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if ImageType.isWebP(start) {
            self = .webp
        } else {
            return nil
        }
    }

    /// `image/png`.
    public var mediaType: String { rawValue }

    /// `png`.
    public var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .gif: "gif"
        case .webp: "webp"
        }
    }

    /// PNG, section 5.2.
    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Start of image, and then the marker of a segment that may come first (ITU-T T.81, table B.1): tables, frames, comments, APPn.
    private static func isJPEG(_ start: [UInt8]) -> Bool {
        guard start.count >= 4, start.starts(with: [0xFF, 0xD8, 0xFF]) else { return false }
        return switch start[3] {
        case 0xC0...0xCF, 0xDB, 0xDD, 0xE0...0xEF, 0xFE: true
        default: false
        }
    }

    /// A RIFF container with one of the three kinds of WebP chunk first (RFC 9649, section 2).
    private static func isWebP(_ start: [UInt8]) -> Bool {
        guard start.count == signatureLength, start.starts(with: "RIFF".utf8),
            start[8..<12].elementsEqual("WEBP".utf8), start[12..<15].elementsEqual("VP8".utf8)
        else { return false }
        return [UInt8(ascii: " "), UInt8(ascii: "L"), UInt8(ascii: "X")].contains(start[15])
    }
}
