import Testing

@testable import Drawing

@Suite("Cards that are drawn")
struct PaintingTests {
    private static let limit = 4_000_000

    private static func card(_ change: (inout Card) -> Void = { _ in }) -> Card {
        var card = Card(title: "Harbour Watch (2024) #3")
        card.date = "On sale 22 May 2024"
        card.characters = ["Harbour Warden", "Tessellate"]
        card.characterCount = 2
        card.description = "A night patrol finds an empty ship."
        card.attribution = "Data provided by Marvel."
        card.width = 320
        change(&card)
        return card
    }

    /// A card is a picture too, so it can be a cover.
    private static func cover(_ format: PictureFormat) throws -> [UInt8] {
        try CardPainter.picture(of: card { $0.format = format }, pixelLimit: limit).bytes
    }

    @Test(
        "a card is a picture of the format and width that were asked for", arguments: PictureFormat.allCases,
        [320, 599, 600, 1600])
    func sizes(format: PictureFormat, width: Int) throws {
        for hasCover in [true, false] {
            let cover = hasCover ? try Self.cover(.jpeg) : []
            let card = Self.card {
                $0.format = format
                $0.width = width
                $0.cover = cover
            }
            let picture = try CardPainter.picture(of: card, pixelLimit: Self.limit)
            let head = try #require(PictureHead(picture.bytes))
            #expect(picture.hasCover == hasCover)
            #expect(head.kind == (format == .png ? .png : .jpeg))
            #expect(head.width == width)
            #expect(
                head.height
                    == CardLayout(width: width, cover: hasCover ? .init(width: 320, height: 320) : nil).size.height)
        }
    }

    @Test("the same card gives the same bytes")
    func same() throws {
        #expect(try Self.cover(.png) == Self.cover(.png))
        #expect(try Self.cover(.jpeg) == Self.cover(.jpeg))
    }

    @Test("text changes the picture, markup in it is text, and what can't be seen changes nothing")
    func text() throws {
        func drawn(_ title: String) throws -> [UInt8] {
            try CardPainter.picture(of: Self.card { $0.title = title }, pixelLimit: Self.limit).bytes
        }
        #expect(try drawn("one") != drawn("two"))
        #expect(try drawn("<b>one</b>") != drawn("one"))
        #expect(try drawn("&lt;") != drawn("<"))
        #expect(try drawn("o\u{202E}n\u{0}e") == drawn("one"))
    }

    @Test(
        "any text can be drawn",
        arguments: [
            "", "夜明けの番人 (2023) #9", "حارس الميناء (2024) #3", "עברית", "👩‍👩‍👧‍👦🚀🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u{301}a\u{308}हिन्दी", "\u{301}\u{301}",
            String(repeating: "W", count: 5000), String(repeating: "word ", count: 5000), "\u{10FFFF}\u{FFFE}",
            String(repeating: "\u{0300}", count: 5000), "<span foreground='red' size='999999'>x</span>",
        ])
    func anyText(text: String) throws {
        let card = Self.card {
            $0.title = text
            $0.date = text
            $0.characters = Array(repeating: text, count: 120)
            $0.characterCount = .max
            $0.description = text
            $0.attribution = text
            $0.width = 600
        }
        #expect(try PictureHead(CardPainter.picture(of: card, pixelLimit: Self.limit).bytes)?.width == 600)
    }

    // MARK: Hostile covers

    private func hasCover(_ cover: [UInt8], pixelLimit: Int = limit) throws -> Bool {
        let picture = try CardPainter.picture(of: Self.card { $0.cover = cover }, pixelLimit: pixelLimit)
        #expect(PictureHead(picture.bytes)?.width == 320)
        return picture.hasCover
    }

    private func isDecoded(_ cover: [UInt8]) -> Bool {
        CoverPicture.decoded(cover, pixelLimit: Self.limit) != nil
    }

    @Test("a cover that is cut anywhere is left out", arguments: PictureFormat.allCases)
    func truncated(format: PictureFormat) throws {
        let cover = try Self.cover(format)
        #expect(try hasCover(cover))
        for count in stride(from: 0, to: cover.count - 1, by: max(1, cover.count / 150)) {
            #expect(!isDecoded(Array(cover[..<count])))
        }
        #expect(try !hasCover(Array(cover[..<40])))
    }

    @Test("a cover with changed bytes is shown or left out", arguments: PictureFormat.allCases)
    func changed(format: PictureFormat) throws {
        let cover = try Self.cover(format)
        var chance = SeededNumbers(state: 7)
        for round in 0..<200 {
            var changed = cover
            // The first bytes say the most.
            let reach = round % 2 == 0 ? 700 : cover.count
            for _ in 0..<(1 + round % 8) {
                changed[Int.random(in: 0..<min(reach, cover.count), using: &chance)] = UInt8.random(
                    in: .min ... .max, using: &chance)
            }
            _ = isDecoded(changed)
        }
        #expect(try hasCover(cover))
    }

    @Test("bytes that only begin like a picture are left out")
    func random() throws {
        var chance = SeededNumbers(state: 9)
        let starts = PictureHeadTests.heads.map(\.bytes) + [[]]
        for start in starts {
            for _ in 0..<20 {
                let noise = (0..<2000).map { _ in UInt8.random(in: .min ... .max, using: &chance) }
                _ = isDecoded(start + noise)
            }
        }
        #expect(try !hasCover(Array(repeating: 0x41, count: 5000)))
    }

    @Test("a cover that says it is huge is left out before it is decoded")
    func huge() throws {
        var cover = try Self.cover(.png)
        // The width and the height, in IHDR.
        cover.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
        #expect(try !hasCover(cover))
        #expect(try !hasCover(Self.cover(.png), pixelLimit: 320 * 320 - 1))
        #expect(try hasCover(Self.cover(.png), pixelLimit: 320 * 320))
    }

    @Test("pictures of other kinds are left out, whatever decoders are installed")
    func otherKinds() throws {
        let svg =
            "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='400'><rect width='400' height='400'/></svg>"
        let pnm = "P6 64 64 255\n" + String(repeating: "abc", count: 64 * 64)
        let xpm =
            "/* XPM */\nstatic char *x[] = {\"64 64 1 1\", \"a c red\"," + String(repeating: "\"aaaa\",", count: 64)
            + "};"
        for text in [svg, pnm, xpm] { #expect(try !hasCover(Array(text.utf8))) }
    }

    @Test(
        "no line lies on another, whatever font its signs come from",
        arguments: ["\u{1F469}\u{200D}\u{1F467}", "\u{1F680}", "\u{1F1FA}\u{1F1F8}", "wide", "漢字"], [0, 0.92, 1.12])
    func lines(piece: String, spacing: Double) throws {
        let surface = try Surface(CardLayout.Size(width: 400, height: 400), isOpaque: true)
        let canvas = try Canvas(surface)
        let text = String(repeating: piece, count: 60)
        let block = try TextBlock(text, on: canvas, width: 300, size: 40, weight: .bold, spacing: spacing)
        let (lines, height) = (block.lines, block.height)
        #expect(lines > 2)
        #expect(height >= Double(lines) * 36, "\(height) for \(lines) lines")
    }

    @Test("a text is cut to the most lines that a height has room for", arguments: ["word ", "क्ष्म्य", "漢字"])
    func cut(piece: String) throws {
        let surface = try Surface(CardLayout.Size(width: 400, height: 400), isOpaque: true)
        let canvas = try Canvas(surface)
        func block() throws -> TextBlock {
            try TextBlock(
                String(repeating: piece, count: 120), on: canvas, width: 300, size: 30, weight: .regular, spacing: 1.12)
        }
        let all = try block().lines
        #expect(all > 3)
        let heights: [Double] = try (1...all).map { lines in
            let block = try block()
            block.cut(lines: lines)
            return block.height
        }
        let tried: [Double] = [0, 30, 10_000] + heights + heights.map { $0 - 1 }
        for height in tried {
            let block = try block()
            block.cut(height: height)
            let most = max(1, heights.count { $0 <= height })
            #expect(block.lines == most, "\(height) of \(heights)")
        }
    }

    @Test("a long text ends after a whole word, and a word alone on its line is cut", arguments: 1...6)
    func cut(lines: Int) throws {
        let surface = try Surface(CardLayout.Size(width: 400, height: 400), isOpaque: true)
        let canvas = try Canvas(surface)
        let words = (1...60).map { "word\($0)," }
        let block = try TextBlock(
            words.joined(separator: " "), on: canvas, width: 300, size: 20, weight: .bold)
        block.cut(lines: lines)
        #expect(block.lines == lines)
        let shown = block.text.dropLast().split(separator: " ").map { $0.hasSuffix(",") ? String($0) : $0 + "," }
        #expect(block.text.last == "…" && shown.count > lines && shown.elementsEqual(words.prefix(shown.count)))
        let long = try TextBlock(
            String(repeating: "w", count: 500), on: canvas, width: 300, size: 20, weight: .bold)
        long.cut(lines: lines)
        #expect(long.lines == lines)
    }

    @Test("a background that is much enlarged has no edges")
    func enlarged() throws {
        let surface = try Surface(CardLayout.Size(width: 400, height: 400), isOpaque: true)
        let canvas = try Canvas(surface)
        let bytes = (0..<10).flatMap { row in [UInt8](repeating: UInt8(row * 25), count: 30) }
        let pixmap = try #require(Pixmap(width: 10, height: 10, bytes: bytes))
        canvas.draw(try Surface.copy(of: pixmap), in: .init(x: 0, y: 0, width: 400, height: 400))
        let picture = try #require(CoverPicture.decoded(surface.encoded(.png), pixelLimit: Self.limit))
        let rows = try #require(picture.pixmap(width: 400, height: 400)).bytes
        let greys = stride(from: 0, to: rows.count, by: 1200).map { Int(rows[$0]) }
        #expect(zip(greys, greys.dropFirst()).allSatisfy { (0...1).contains($1 - $0) })
        #expect(greys.first == 0 && greys.last == 225)
    }
}

/// Numbers that look like chance and are the same in every run.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
    }
}
