import Testing

@testable import Images

@Suite("Image types")
struct ImageTypeTests {
    @Test(
        "the first bytes tell the type",
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46], ImageType.jpeg),
            ([0xFF, 0xD8, 0xFF, 0xDB], .jpeg), ([0xFF, 0xD8, 0xFF, 0xE1, 1], .jpeg), (pngStart, .png),
            (pngStart + [1, 2, 3], .png), (Array("GIF87a".utf8), .gif), (Array("GIF89a....".utf8), .gif),
            (Array("RIFF....WEBPVP8 ".utf8), .webp), (Array("RIFF....WEBPVP8L".utf8), .webp),
            (Array("RIFF....WEBPVP8Xmore".utf8), .webp),
        ] as [([UInt8], ImageType)])
    func known(_ bytes: [UInt8], _ type: ImageType) {
        #expect(ImageType(firstBytes: bytes) == type)
    }

    @Test(
        "what only begins like an image is none",
        arguments: [
            [], [0xFF], [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0xFF, 0x00], [0xFF, 0xD8, 0xFE, 0xE0],
            Array(pngStart.prefix(15)),
            Array(pngStart.prefix(8)) + Array("....IDAT".utf8), Array("GIF88a".utf8), Array("GIF89".utf8),
            Array("RIFF....WAVEfmt ".utf8), Array("RIFF....WEBPVP9 ".utf8), Array("RIFF....WEBPVP8".utf8),
            Array("<svg xmlns=".utf8), Array("%PDF-1.7".utf8), Array("BM......".utf8),
        ] as [[UInt8]])
    func unknown(_ bytes: [UInt8]) {
        #expect(ImageType(firstBytes: bytes) == nil)
    }
}
