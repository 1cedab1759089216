/// The texts of a card, from the title down to the attribution at the foot.
struct CardText {
    let card: Card
    let layout: CardLayout
    let accent: Colour
    let ink: Colour

    /// From the top, each part where there is one: the title takes the room that it needs, then the characters do, and what remains is the
    /// description's; but each leaves the next ones a few lines.
    func draw(on canvas: borrowing Canvas) throws(DrawingError) {
        let unit = layout.unit
        let type = layout.type
        let gap = type.gap * unit
        let date = try block(card.date, canvas, type.date, .semibold)
        date.cut(lines: 1)
        let names = try block(
            NameList.text(Array(card.characters.prefix(6)), of: card.characterCount) { _ in true }, canvas,
            type.characters, .semibold)
        let description = try block(card.description, canvas, type.description, .regular, spacing: 1.12)
        let footer = try block(card.attribution, canvas, type.footer, .regular)
        footer.cut(lines: 1)

        let dateHeight = card.date.isEmpty ? 0 : date.height + 0.55 * gap
        let leastDescription = card.description.isEmpty ? 0 : description.height(ofLines: 3)
        let leastNames = card.characterCount == 0 ? 0 : names.height(ofLines: 2) + (leastDescription > 0 ? gap : 0)
        var room = layout.text.height - dateHeight
        let title = try title(on: canvas, height: room - leastNames - leastDescription - 0.55 * gap)
        let titleHeight = card.title.isEmpty ? 0 : title.height + 0.55 * gap
        room -= titleHeight
        let namesRoom = max(names.height(ofLines: 1), room - leastDescription - (leastDescription > 0 ? gap : 0))
        names.set(
            NameList.text(card.characters, of: card.characterCount) {
                names.set($0)
                return names.height <= namesRoom
            })
        names.cut(height: namesRoom)
        if title.isFromRight {
            date.alignRight()
            names.alignRight()
            description.alignRight()
            footer.alignRight()
        }

        let x = layout.text.x
        var y = layout.text.y
        if !card.title.isEmpty { title.draw(on: canvas, x: x, y: y, ink) }
        y += titleHeight
        if !card.date.isEmpty { date.draw(on: canvas, x: x, y: y, accent) }
        y += dateHeight
        if card.characterCount > 0 {
            names.draw(on: canvas, x: x, y: y, ink, opacity: 0.92)
            y += names.height + gap
        }
        let left = layout.text.bottom - y
        if !card.description.isEmpty, left >= 1.6 * type.description * unit {
            description.cut(height: left)
            description.draw(on: canvas, x: x, y: y, ink, opacity: 0.82)
        }
        guard !card.attribution.isEmpty else { return }
        let line = CardLayout.Box(
            x: x, y: layout.footer.y - 6 * unit, width: layout.text.width, height: max(1, unit))
        canvas.fill(line, ink, opacity: 0.18)
        footer.draw(on: canvas, x: x, y: layout.footer.bottom - footer.height, ink, opacity: 0.62)
    }

    private func block(
        _ text: String, _ canvas: borrowing Canvas, _ size: Double, _ weight: TextBlock.Weight, spacing: Double = 0
    ) throws(DrawingError) -> TextBlock {
        try TextBlock(
            text, on: canvas, width: layout.text.width, size: size * layout.unit, weight: weight, spacing: spacing)
    }

    /// In the largest size of type that has room for it; else in the smallest one, in as many lines as `height` has room for.
    private func title(on canvas: borrowing Canvas, height: Double) throws(DrawingError) -> TextBlock {
        // The number of an issue alone on a line would look lost.
        let text = card.title.replacing(" #", with: "\u{A0}#")
        for (size, lines) in layout.type.titles {
            let title = try block(text, canvas, size, .bold, spacing: 0.92)
            if title.lines <= lines, title.height <= height { return title }
        }
        let (size, lines) = layout.type.titles.last ?? (24, 2)
        let title = try block(text, canvas, size, .bold, spacing: 0.92)
        title.cut(height: max(height, title.height(ofLines: min(lines, 2))))
        return title
    }
}
