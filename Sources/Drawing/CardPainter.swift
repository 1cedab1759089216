/// Draws cards. Everything happens on the calling thread and takes tens of milliseconds.
public enum CardPainter {
    /// Draws `card`. A cover that can't be shown is left out.
    /// - Parameter pixelLimit: the most pixels that a cover may have.
    public static func picture(of card: Card, pixelLimit: Int) throws(DrawingError) -> Picture {
        let card = card.cleaned()
        let cover = CoverPicture.decoded(card.cover, pixelLimit: pixelLimit)
        let layout = CardLayout(width: card.width, cover: cover?.size)
        let surface = try Surface(layout.size, isOpaque: true)
        let canvas = try Canvas(surface)
        let white = Colour(red: 1, green: 1, blue: 1)
        let palette: Palette
        if let cover, let box = layout.cover {
            palette = try ground(of: cover, layout, canvas)
            try draw(cover, in: box, layout, canvas)
        } else {
            palette = Palette(title: card.title)
            ground(palette, layout, canvas)
        }
        try CardText(card: card, layout: layout, accent: palette.accent, ink: white).draw(on: canvas)
        guard canvas.isIntact else { throw .outOfMemory }
        return Picture(bytes: try surface.encoded(card.format), hasCover: cover != nil)
    }

    /// The cover itself, out of focus and dark.
    private static func ground(
        of cover: CoverPicture, _ layout: CardLayout, _ canvas: borrowing Canvas
    ) throws(DrawingError) -> Palette {
        let width = 48
        let shape = Double(cover.size.height) / Double(cover.size.width)
        guard var pixmap = cover.pixmap(width: width, height: max(1, Int((Double(width) * shape).rounded()))) else {
            throw .outOfMemory
        }
        let palette = Palette(cover: pixmap)
        pixmap.blur(radius: 6)
        let size = (width: Double(layout.size.width), height: Double(layout.size.height))
        let scale = max(size.width / Double(pixmap.width), size.height / Double(pixmap.height))
        let box = CardLayout.Box(
            x: (size.width - Double(pixmap.width) * scale) / 2, y: (size.height - Double(pixmap.height) * scale) / 2,
            width: Double(pixmap.width) * scale, height: Double(pixmap.height) * scale)
        canvas.draw(try Surface.copy(of: pixmap), in: box)
        let end = layout.isUpright ? (x: 0.0, y: size.height) : (x: size.width * 0.6, y: size.height * 0.2)
        canvas.blend(from: (0, 0), palette.ground, 0.62, to: end, palette.depth, 0.9)
        return palette
    }

    /// A blend of two colours, with dots as of a printed page in a corner.
    private static func ground(_ palette: Palette, _ layout: CardLayout, _ canvas: borrowing Canvas) {
        let width = Double(layout.size.width)
        let height = Double(layout.size.height)
        canvas.blend(from: (0, 0), palette.ground, 1, to: (width, height), palette.depth, 1)
        let step = (layout.isUpright ? 12 : 22) * layout.unit
        let reach = height * 1.25
        var row = 0
        var y = height
        while y > -step {
            var x = width - (row % 2 == 0 ? 0 : step / 2)
            while x > width - reach {
                let distance = ((width - x) * (width - x) + (height - y) * (height - y)).squareRoot() / reach
                let radius = step * 0.42 * (1 - distance)
                if radius > 0.3 { canvas.fillCircle(x: x, y: y, radius: radius, palette.accent, opacity: 0.10) }
                x -= step
            }
            y -= step * 0.87
            row += 1
        }
        if !layout.isUpright {
            let bar = CardLayout.Box(x: 0, y: 0, width: 14 * layout.unit, height: height)
            canvas.fill(bar, palette.accent)
        } else {
            canvas.fill(CardLayout.Box(x: 0, y: 0, width: width, height: 5 * layout.unit), palette.accent)
        }
    }

    private static func draw(
        _ cover: CoverPicture, in box: CardLayout.Box, _ layout: CardLayout, _ canvas: borrowing Canvas
    ) throws(DrawingError) {
        let size = CardLayout.Size(
            width: max(1, Int(box.width.rounded())), height: max(1, Int(box.height.rounded())))
        guard let fitted = cover.scaled(to: size) else { throw .outOfMemory }
        let black = Colour(red: 0, green: 0, blue: 0)
        let unit = layout.isUpright ? layout.unit * 0.6 : layout.unit
        let radius = 8 * unit
        // A soft shadow: many thin layers.
        for layer in stride(from: 22.0, through: 2, by: -2) {
            let spread = layer * unit
            canvas.fill(
                CardLayout.Box(
                    x: box.x - spread, y: box.y - spread + 8 * unit, width: box.width + 2 * spread,
                    height: box.height + 2 * spread), radius: radius + spread, black, opacity: 0.035)
        }
        // Whole pixels, so that the cover stays sharp.
        let place = CardLayout.Box(
            x: box.x.rounded(), y: box.y.rounded(), width: Double(size.width), height: Double(size.height))
        canvas.draw(try Surface.copy(of: fitted), in: place, radius: radius)
        canvas.outline(
            place, radius: radius, width: max(1, 1.5 * unit), Colour(red: 1, green: 1, blue: 1), opacity: 0.16)
    }
}
