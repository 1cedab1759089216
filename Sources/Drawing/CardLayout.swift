/// Where the parts of a card lie, in pixels. Narrow cards stand upright with the cover above the text, wide ones lie with the cover beside it; all
/// measures grow with the width.
struct CardLayout: Equatable {
    struct Box: Equatable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double

        var right: Double { x + width }
        var bottom: Double { y + height }
    }

    struct Size: Equatable {
        var width: Int
        var height: Int
    }

    let size: Size
    /// Pixels for one unit of the design; its lengths and type sizes are in units.
    let unit: Double
    let isUpright: Bool
    /// Nil where there is none.
    let cover: Box?
    /// Title, date, characters and description.
    let text: Box
    /// One line.
    let footer: Box
    let type: TypeSizes

    /// Sizes of type in units.
    struct TypeSizes: Equatable {
        /// From the largest down, each with the lines that it may fill. The last one may fill more where there is room, and is cut then.
        var titles: [(size: Double, lines: Int)]
        var date: Double
        var characters: Double
        var description: Double
        var footer: Double
        /// Between the parts.
        var gap: Double

        static func == (left: TypeSizes, right: TypeSizes) -> Bool {
            left.titles.elementsEqual(right.titles, by: ==) && left.date == right.date
                && left.characters == right.characters && left.description == right.description
                && left.footer == right.footer && left.gap == right.gap
        }
    }

    /// From this width on a card lies.
    static let wideFrom = 600

    /// - Parameters:
    ///   - width: of the card, one of `Card.widths`.
    ///   - cover: the size of the cover's picture; nil for a card without.
    init(width: Int, cover: Size?) {
        self =
            width < CardLayout.wideFrom
            ? CardLayout(upright: width, cover: cover) : CardLayout(lying: width, cover: cover)
    }

    /// 1200 by 630 units, which sites that show links expect.
    private init(lying width: Int, cover: Size?) {
        isUpright = false
        unit = Double(width) / 1200
        size = Size(width: width, height: Int((630 * unit).rounded()))
        let margin = 56 * unit
        let space = Box(x: margin, y: margin, width: 420 * unit, height: Double(size.height) - 2 * margin)
        let box = cover.map { CardLayout.fitted($0, in: space, isCentred: false) }
        let left = box.map { [unit] in $0.right + 52 * unit } ?? 72 * unit
        let right = Double(width) - (box == nil ? 72 : 56) * unit
        let footerHeight = 30 * unit
        let top = space.y - 6 * unit
        self.cover = box
        footer = Box(x: left, y: space.bottom - footerHeight, width: right - left, height: footerHeight)
        text = Box(x: left, y: top, width: right - left, height: footer.y - 26 * unit - top)
        type = TypeSizes(
            titles: box == nil ? [(70, 2), (58, 3), (48, 3), (40, 3)] : [(60, 2), (50, 3), (42, 3), (36, 3)], date: 27,
            characters: 25, description: 25, footer: 19, gap: 22)
    }

    /// 360 by 600 units, or 360 by 360 without a cover.
    private init(upright width: Int, cover: Size?) {
        isUpright = true
        unit = Double(width) / 360
        size = Size(width: width, height: Int(((cover == nil ? 360 : 600) * unit).rounded()))
        let margin = 22 * unit
        let inner = Double(width) - 2 * margin
        let space = Box(x: margin, y: margin, width: inner, height: 284 * unit)
        self.cover = cover.map { CardLayout.fitted($0, in: space, isCentred: true) }
        let footerHeight = 16 * unit
        footer = Box(x: margin, y: Double(size.height) - 18 * unit - footerHeight, width: inner, height: footerHeight)
        let top = cover == nil ? margin : space.bottom + 16 * unit
        text = Box(x: margin, y: top, width: inner, height: footer.y - 16 * unit - top)
        type = TypeSizes(
            titles: [(25, 2), (22, 3), (19, 3), (17, 3)], date: 14, characters: 13.5, description: 13.5, footer: 10.5,
            gap: 9)
    }

    /// The largest box of the picture's shape in `space`, but no more than twice the picture's own size; in the middle of the height, and
    /// at the left or in the middle.
    private static func fitted(_ picture: Size, in space: Box, isCentred: Bool) -> Box {
        let scale = min(
            space.width / Double(picture.width), space.height / Double(picture.height), 2)
        let width = max(1, Double(picture.width) * scale)
        let height = max(1, Double(picture.height) * scale)
        return Box(
            x: isCentred ? space.x + (space.width - width) / 2 : space.x, y: space.y + (space.height - height) / 2,
            width: width, height: height)
    }

    /// Whether a picture is a cover that can be shown: neither a dot nor a strip.
    static func isShowable(_ picture: Size) -> Bool {
        let shorter = min(picture.width, picture.height)
        let (limit, isOver) = shorter.multipliedReportingOverflow(by: 4)
        return shorter >= 32 && (isOver || max(picture.width, picture.height) <= limit)
    }
}
