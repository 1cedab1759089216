/// What the first bytes of a picture say about it.
struct PictureFacts: Equatable, Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case png, jpeg, gif, webp

        var mediaType: String { "image/" + rawValue }

        /// How the names of such pictures end, without the dot.
        var ending: String { self == .jpeg ? "jpg" : rawValue }
    }

    let kind: Kind
    let width: Int
    let height: Int
    /// Whether there is more than one picture. A PNG never is.
    var isAnimated = false

    /// Reads PNG (its third edition, section 11.2.1), JPEG (ITU-T T.81, annex B), GIF89a and WebP (RFC 9649).
    /// - Returns: nil for other bytes, and where the size isn't among them or is nothing.
    init?(_ bytes: ArraySlice<UInt8>) {
        let reader = PictureReader(bytes)
        guard let facts = reader.png ?? reader.gif ?? reader.webp ?? reader.jpeg, facts.width > 0, facts.height > 0
        else { return nil }
        self = facts
    }

    fileprivate init(_ kind: Kind, _ width: Int, _ height: Int, isAnimated: Bool = false) {
        (self.kind, self.width, self.height, self.isAnimated) = (kind, width, height, isAnimated)
    }
}

/// Numbers in a picture's bytes; all reading is checked, and past the end there is nothing.
private struct PictureReader {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    private func byte(_ offset: Int) -> Int? {
        let (place, overflow) = bytes.startIndex.addingReportingOverflow(offset)
        guard !overflow, bytes.indices.contains(place) else { return nil }
        return Int(bytes[place])
    }

    private func little(_ offset: Int, _ count: Int) -> Int? {
        (0..<count).reversed().reduce(0) { sum, place in
            guard let sum, let byte = byte(offset + place) else { return nil }
            return sum << 8 | byte
        }
    }

    private func big(_ offset: Int, _ count: Int) -> Int? {
        (0..<count).reduce(0) { sum, place in
            guard let sum, let byte = byte(offset + place) else { return nil }
            return sum << 8 | byte
        }
    }

    private func spells(_ text: StaticString, at offset: Int) -> Bool {
        text.withUTF8Buffer { text in text.indices.allSatisfy { byte(offset + $0) == Int(text[$0]) } }
    }

    var png: PictureFacts? {
        guard byte(0) == 0x89, spells("PNG\r\n\u{1A}\n", at: 1), spells("IHDR", at: 12),
            let width = big(16, 4), let height = big(20, 4)
        else { return nil }
        return PictureFacts(.png, width, height)
    }

    /// The size stands in the first frame header, behind any number of other segments.
    var jpeg: PictureFacts? {
        guard byte(0) == 0xFF, byte(1) == 0xD8 else { return nil }
        var offset = 2
        while byte(offset) == 0xFF, let marker = byte(offset + 1) {
            switch marker {
            case 0xFF: offset += 1
            case 0x01, 0xD0...0xD7: offset += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = big(offset + 5, 2), let width = big(offset + 7, 2) else { return nil }
                return PictureFacts(.jpeg, width, height)
            case 0xD8...0xDA: return nil
            default:
                guard let length = big(offset + 2, 2), length >= 2 else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }

    var gif: PictureFacts? {
        guard spells("GIF87a", at: 0) || spells("GIF89a", at: 0), let width = little(6, 2), let height = little(8, 2)
        else { return nil }
        return PictureFacts(.gif, width, height, isAnimated: hasTwoFrames)
    }

    private var hasTwoFrames: Bool {
        var offset = 13 + (byte(10).map(colours) ?? 0)
        var frames = 0
        while let block = byte(offset) {
            switch block {
            case 0x21: offset = blocksEnd(offset + 2)
            case 0x2C:
                frames += 1
                if frames == 2 { return true }
                guard let packed = byte(offset + 9) else { return false }
                offset = blocksEnd(offset + 11 + colours(packed))
            default: return false
            }
        }
        return false
    }

    /// The size of a colour table.
    private func colours(_ packed: Int) -> Int { packed & 0x80 == 0 ? 0 : 3 << (packed & 7 + 1) }

    /// The place behind a row of GIF's data blocks and the empty one at their end.
    private func blocksEnd(_ start: Int) -> Int {
        var offset = start
        while let count = byte(offset) {
            offset += 1 + count
            if count == 0 { break }
        }
        return offset
    }

    var webp: PictureFacts? {
        guard spells("RIFF", at: 0), spells("WEBP", at: 8) else { return nil }
        if spells("VP8X", at: 12) {
            guard let flags = byte(20), let width = little(24, 3), let height = little(27, 3) else { return nil }
            return PictureFacts(.webp, width + 1, height + 1, isAnimated: flags & 2 != 0)
        }
        if spells("VP8L", at: 12) {
            guard byte(20) == 0x2F, let size = little(21, 4) else { return nil }
            return PictureFacts(.webp, size & 0x3FFF + 1, size >> 14 & 0x3FFF + 1)
        }
        guard spells("VP8 ", at: 12), byte(23) == 0x9D, byte(24) == 0x01, byte(25) == 0x2A,
            let width = little(26, 2), let height = little(28, 2)
        else { return nil }
        return PictureFacts(.webp, width & 0x3FFF, height & 0x3FFF)
    }
}
