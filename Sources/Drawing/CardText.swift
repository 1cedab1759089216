/// The texts of a card, from the title down to the attribution at the foot.
struct CardText {
    let card: Card
    let layout: CardLayout
    let accent: Colour
    let ink: Colour

    func draw(on canvas: borrowing Canvas) throws(DrawingError) {
        let unit = layout.unit
        let type = layout.type
        let title = try title(on: canvas)
        let date = try block(card.date, canvas, type.date, .semibold)
        date.cut(lines: 1)
        let names = try block("", canvas, type.characters, .semibold)
        names.set(
            NameList.text(card.characters, of: card.characterCount) {
                names.set($0)
                return names.lines <= 2
            })
        names.cut(lines: 2)
        let description = try block(card.description, canvas, type.description, .regular, spacing: 1.12)
        let footer = try block(card.attribution, canvas, type.footer, .regular)
        footer.cut(lines: 1)
        if title.isFromRight {
            date.alignRight()
            names.alignRight()
            description.alignRight()
            footer.alignRight()
        }

        // From the top: each part where there is one, and what remains is the description's.
        let gap = type.gap * unit
        let parts = [
            card.title.isEmpty ? 0 : title.height + 0.55 * gap, card.date.isEmpty ? 0 : date.height + 0.55 * gap,
            card.characterCount == 0 ? 0 : names.height + gap,
        ]
        var y = layout.text.y
        let left = layout.text.height - parts.reduce(0, +)
        // Without a description the rest stands a little above the middle.
        if card.description.isEmpty { y += max(0, left) * 0.42 }
        let x = layout.text.x
        if !card.title.isEmpty { title.draw(on: canvas, x: x, y: y, ink) }
        y += parts[0]
        if !card.date.isEmpty { date.draw(on: canvas, x: x, y: y, accent) }
        y += parts[1]
        if card.characterCount > 0 { names.draw(on: canvas, x: x, y: y, ink, opacity: 0.92) }
        y += parts[2]
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

    /// In the largest size of type that has room for it.
    private func title(on canvas: borrowing Canvas) throws(DrawingError) -> TextBlock {
        for (size, lines) in layout.type.titles {
            let title = try block(card.title, canvas, size, .bold, spacing: 0.92)
            if title.lines <= lines { return title }
        }
        let (size, lines) = layout.type.titles.last ?? (24, 2)
        let title = try block(card.title, canvas, size, .bold, spacing: 0.92)
        title.cut(lines: lines)
        return title
    }
}
