import Testing

@testable import Sample

@Suite("What a picture's first bytes say")
struct PictureFactsTests {
    private static func facts(_ bytes: [UInt8]) -> String? {
        // A slice that doesn't begin at 0, as an upload's is.
        PictureFacts(([0xFF, 0xD8] + bytes)[2...]).map {
            "\($0.kind.rawValue) \($0.width)x\($0.height)\($0.isAnimated ? " animated" : "")"
        }
    }

    static let small: [(String, String)] = [
        ("png 160x120", ""),
        ("gif 1x1", "R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="),
        ("webp 1x1", "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"),
        ("webp 1x1", "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="),
    ]

    @Test("whole pictures that others made", arguments: small)
    func whole(expected: String, text: String) throws {
        let bytes = text.isEmpty ? ImgurPicture.landscape : try #require(Base64.decoded(Array(text.utf8)[...]))
        #expect(Self.facts(bytes) == expected)
    }

    static let gifHead: [UInt8] =
        Array("GIF89a".utf8) + [0x40, 0x01, 0xF0, 0x00, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
    static let gifFrame: [UInt8] = [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
    static let jpegHead: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 6, 0x4A, 0x46, 0x49, 0x46]
    static let jpegFrame: [UInt8] = [0xFF, 0xC2, 0, 17, 8, 0x03, 0x00, 0x04, 0x00, 3]

    @Test("sizes of each kind")
    func sizes() {
        #expect(Self.facts(png(4000, 3)) == "png 4000x3")
        #expect(Self.facts(Self.gifHead + Self.gifFrame + [0x3B]) == "gif 320x240")
        #expect(Self.facts(Self.gifHead + Self.gifFrame + Self.gifFrame + [0x3B]) == "gif 320x240 animated")
        #expect(Self.facts(Self.jpegHead + [0xFF] + Self.jpegFrame) == "jpeg 1024x768")
        let extended = Array("RIFF\0\0\0\0WEBPVP8X\u{0A}\0\0\0".utf8)
        #expect(Self.facts(extended + [0x02, 0, 0, 0, 0xFF, 0x03, 0, 0xFF, 0x02, 0]) == "webp 1024x768 animated")
        #expect(Self.facts(extended + [0x10, 0, 0, 0, 0xFF, 0x03, 0, 0xFF, 0x02, 0]) == "webp 1024x768")
    }

    @Test("pictures that are cut, empty or no pictures have no size")
    func none() {
        let whole = [
            Array(png().prefix(24)), Self.jpegHead + Self.jpegFrame.prefix(9), Array(Self.gifHead.prefix(10)),
        ]
        for picture in whole {
            #expect(Self.facts(picture) != nil)
            for count in 0..<picture.count { #expect(Self.facts(Array(picture.prefix(count))) == nil, "\(count)") }
        }
        let others: [[UInt8]] = [
            Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
            Array("BM".utf8) + [UInt8](repeating: 1, count: 60),
            png(0, 5), png(5, 0), [0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 0, 0],
            [0xFF, 0xD8, 0xFF, 0xE0, 0, 1] + Self.jpegFrame,
            [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 500), Array("RIFF\0\0\0\0WEBPVP8Z".utf8),
        ]
        for other in others { #expect(Self.facts(other) == nil) }
    }

    @Test("no bytes stop it")
    func hostile() {
        let heads = [png(), Self.jpegHead + Self.jpegFrame, Self.gifHead + Self.gifFrame + Self.gifFrame]
        for seed in 0..<3000 {
            var bytes = heads[seed % heads.count]
            for change in 0..<4 {
                let chance = scattered(seed * 4 + change)
                bytes[Int(chance % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: chance >> 32)
            }
            if let facts = PictureFacts(bytes[...]) { #expect(facts.width > 0 && facts.height > 0) }
        }
    }
}
