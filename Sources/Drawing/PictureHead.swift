/// What the first bytes of a picture say it is, before any decoder sees it.
public struct PictureHead: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable { case jpeg, png, gif, webp }

    public let kind: Kind
    /// In pixels, both above zero.
    public let width: Int
    public let height: Int

    /// Nil where the bytes are no picture of these kinds, or say nothing about its size.
    public init?(_ bytes: [UInt8]) {
        let reader = Reader(bytes: bytes)
        guard let (kind, width, height) = reader.jpeg() ?? reader.png() ?? reader.gif() ?? reader.webp(), width > 0,
            height > 0
        else { return nil }
        self.kind = kind
        self.width = width
        self.height = height
    }

    private typealias Found = (Kind, Int, Int)

    private struct Reader {
        let bytes: [UInt8]

        /// ITU-T T.81, annex B: segments up to the frame header.
        func jpeg() -> Found? {
            guard begins(with: [0xFF, 0xD8, 0xFF]) else { return nil }
            var place = 2
            while let byte = self[place], byte == 0xFF {
                guard let marker = self[place + 1] else { return nil }
                switch marker {
                case 0xFF: place += 1
                case 0x01, 0xD0...0xD7: place += 2
                // The scan begins without a frame, or the picture is over.
                case 0x00, 0xD8, 0xD9, 0xDA: return nil
                case 0xC0...0xCF where marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
                    guard let height = big(place + 5, 2), let width = big(place + 7, 2) else { return nil }
                    return (.jpeg, width, height)
                default:
                    guard let length = big(place + 2, 2), length >= 2 else { return nil }
                    place += 2 + length
                }
            }
            return nil
        }

        /// The PNG specification, section 11.2.2.
        func png() -> Found? {
            guard begins(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), has("IHDR", at: 12),
                let width = big(16, 4), let height = big(20, 4)
            else { return nil }
            return (.png, width, height)
        }

        /// GIF89a, section 18: the logical screen.
        func gif() -> Found? {
            guard has("GIF87a", at: 0) || has("GIF89a", at: 0), let width = little(6, 2), let height = little(8, 2)
            else { return nil }
            return (.gif, width, height)
        }

        /// RFC 9649: lossy, lossless and extended.
        func webp() -> Found? {
            guard has("RIFF", at: 0), has("WEBP", at: 8) else { return nil }
            if has("VP8 ", at: 12), let width = little(26, 2), let height = little(28, 2) {
                return (.webp, width & 0x3FFF, height & 0x3FFF)
            }
            if has("VP8L", at: 12), let bits = little(21, 4) {
                return (.webp, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
            }
            if has("VP8X", at: 12), let width = little(24, 3), let height = little(27, 3) {
                return (.webp, width + 1, height + 1)
            }
            return nil
        }

        private subscript(place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

        private func begins(with start: [UInt8]) -> Bool { bytes.starts(with: start) }

        private func has(_ word: StaticString, at place: Int) -> Bool {
            let length = word.utf8CodeUnitCount
            guard bytes.count >= place + length else { return false }
            return word.withUTF8Buffer { $0.elementsEqual(bytes[place..<(place + length)]) }
        }

        private func big(_ place: Int, _ count: Int) -> Int? {
            guard bytes.count >= place + count else { return nil }
            return bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
        }

        private func little(_ place: Int, _ count: Int) -> Int? {
            guard bytes.count >= place + count else { return nil }
            return bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
