import Drawing
import Testing

@Suite("What the first bytes of a picture say")
struct PictureHeadTests {
    private static func bytes(_ text: String, _ rest: [UInt8] = []) -> [UInt8] { Array(text.utf8) + rest }

    static let heads: [(bytes: [UInt8], kind: PictureHead.Kind, width: Int, height: Int)] = [
        (
            [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 11, 8, 1, 44, 2, 88, 3, 1, 0x22], .jpeg, 600, 300
        ),
        (
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + bytes("IHDR", [0, 0, 1, 0, 0, 0, 2, 0]),
            .png, 256, 512
        ),
        (bytes("GIF89a", [44, 1, 88, 2, 0, 0, 0]), .gif, 300, 600),
        (
            bytes("RIFF", [0, 0, 0, 0]) + bytes("WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9D, 1, 0x2A, 64, 1, 240, 0]),
            .webp, 320, 240
        ),
        (bytes("RIFF", [0, 0, 0, 0]) + bytes("WEBPVP8L", [0, 0, 0, 0, 0x2F, 0x3F, 0x41, 0x3C, 0]), .webp, 320, 242),
        (
            bytes("RIFF", [0, 0, 0, 0]) + bytes("WEBPVP8X", [0, 0, 0, 0, 0, 0, 0, 0, 63, 1, 0, 239, 0, 0]), .webp, 320,
            240
        ),
    ]

    @Test("each kind tells its size", arguments: heads.indices)
    func sizes(index: Int) throws {
        let head = Self.heads[index]
        let found = try #require(PictureHead(head.bytes))
        #expect(found.kind == head.kind)
        #expect(found.width == head.width)
        #expect(found.height == head.height)
    }

    @Test("a head that is cut anywhere tells nothing, or what the whole one does", arguments: heads.indices)
    func cut(index: Int) {
        let head = Self.heads[index]
        for count in head.bytes.indices {
            let found = PictureHead(Array(head.bytes[..<count]))
            #expect(found == nil || found == PictureHead(head.bytes))
        }
    }

    @Test(
        "what is no picture that we show tells nothing",
        arguments: [
            "", "<svg xmlns='http://www.w3.org/2000/svg'/>", "/* XPM */ static char *x[] = {", "BM6", "II*\u{0}",
            "P6 1 1 255 abc",
            "<!DOCTYPE html>", "GIF88a\u{1}\u{1}\u{1}\u{1}",
        ])
    func others(text: String) {
        #expect(PictureHead(Array(text.utf8)) == nil)
    }

    @Test("a picture without width or height is none")
    func empty() {
        #expect(PictureHead(Self.bytes("GIF89a", [0, 0, 88, 2])) == nil)
        #expect(PictureHead([0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 0, 2, 88, 3, 1, 0x22]) == nil)
    }
}
