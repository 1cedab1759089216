import Testing

@testable import Drawing

@Suite("Where the parts of a card lie")
struct CardLayoutTests {
    private static let covers: [CardLayout.Size?] = [
        nil, .init(width: 600, height: 900), .init(width: 1600, height: 400), .init(width: 40, height: 160),
        .init(width: 32, height: 32),
    ]

    private func isInside(_ box: CardLayout.Box, _ size: CardLayout.Size) -> Bool {
        box.x >= 0 && box.y >= 0 && box.width > 0 && box.height > 0 && box.right <= Double(size.width)
            && box.bottom <= Double(size.height)
    }

    @Test("everything lies inside the card at every width, and the text beside or below the cover", arguments: covers)
    func inside(cover: CardLayout.Size?) {
        // One expectation for all widths: a thousand of them take seconds.
        let wrong = Card.widths.filter { width in
            let layout = CardLayout(width: width, cover: cover)
            let isTextInside = isInside(layout.text, layout.size) && isInside(layout.footer, layout.size)
            guard layout.size.width == width, isTextInside, layout.text.bottom < layout.footer.y else { return true }
            guard let box = layout.cover else { return false }
            let isApart = layout.isUpright ? box.bottom < layout.text.y : box.right < layout.text.x
            return !isInside(box, layout.size) || !isApart
        }
        #expect(wrong == [])
    }

    @Test("a cover keeps its shape, and is never more than twice as large as it is")
    func shape() throws {
        for cover in Self.covers.compactMap(\.self) {
            for width in [320, 599, 600, 1200, 1600] {
                let box = try #require(CardLayout(width: width, cover: cover).cover)
                #expect(abs(box.width / box.height - Double(cover.width) / Double(cover.height)) < 0.001)
                #expect(box.width <= 2 * Double(cover.width) + 0.001)
            }
        }
    }

    @Test("a wide card has the shape that sites expect, and a narrow one stands upright")
    func proportions() {
        #expect(CardLayout(width: 1200, cover: nil).size == .init(width: 1200, height: 630))
        #expect(CardLayout(width: 800, cover: Self.covers[1]).size == .init(width: 800, height: 420))
        #expect(CardLayout(width: 360, cover: Self.covers[1]).size == .init(width: 360, height: 600))
        #expect(CardLayout(width: 360, cover: nil).size == .init(width: 360, height: 360))
    }

    @Test("dots and strips are no covers")
    func showable() {
        #expect(CardLayout.isShowable(.init(width: 32, height: 128)))
        for size in [(31, 31), (1, 1), (40, 161), (5000, 100), (32, .max)] as [(Int, Int)] {
            #expect(!CardLayout.isShowable(.init(width: size.0, height: size.1)))
        }
    }
}
