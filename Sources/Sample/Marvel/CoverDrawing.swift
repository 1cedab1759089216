/// The picture of a sample cover: a sky, a moon, two rows of houses, the sea, and bars where a title would stand.
struct CoverDrawing {
    static let width = 320
    static let height = 486

    private var chance: UInt64
    private var rows: [[UInt8]] = []
    private var palette: [(UInt8, UInt8, UInt8)] = []

    // Places in the palette.
    private static let sky = 0
    private static let skyShades = 32
    private static let sea = 32
    private static let seaShades = 8
    private static let moon: UInt8 = 40
    private static let far: UInt8 = 41
    private static let near: UInt8 = 42
    private static let light: UInt8 = 43
    private static let title: UInt8 = 44
    private static let shadow: UInt8 = 45

    /// The same seed gives the same picture.
    init(seed: UInt64) {
        chance = seed | 1
        rows = Array(repeating: Array(repeating: 0, count: CoverDrawing.width), count: CoverDrawing.height)
        mix()
        drawSky()
        drawHouses(CoverDrawing.far, widths: 18...44, heights: 90...210, isLit: false)
        drawHouses(CoverDrawing.near, widths: 26...60, heights: 40...150, isLit: true)
        drawSea()
        drawTitle()
    }

    func png() -> [UInt8] { IndexedPNG.bytes(rows: rows, palette: palette) }

    /// The next number of a sequence that looks like chance (xorshift), in `range`.
    private mutating func pick(_ range: ClosedRange<Int>) -> Int {
        chance ^= chance << 13
        chance ^= chance >> 7
        chance ^= chance << 17
        return range.lowerBound + Int(chance >> 33) % range.count
    }

    private mutating func mix() {
        let hue = pick(0...5)
        // From the top of the sky to the horizon.
        let skies: [((Int, Int, Int), (Int, Int, Int))] = [
            ((18, 32, 84), (232, 120, 88)), ((10, 60, 78), (238, 206, 132)), ((52, 20, 86), (240, 128, 160)),
            ((24, 44, 40), (176, 206, 120)), ((30, 30, 60), (120, 170, 220)), ((84, 22, 30), (250, 176, 84)),
        ]
        let (top, horizon) = skies[hue]
        palette = CoverDrawing.blend(top, horizon, CoverDrawing.skyShades)
        palette += CoverDrawing.blend(horizon, top, CoverDrawing.seaShades).map { ($0.0 / 2, $0.1 / 2, $0.2 / 2) }
        let titles: [(UInt8, UInt8, UInt8)] = [(255, 221, 68), (250, 250, 244), (255, 110, 90)]
        palette += [
            (252, 244, 214), CoverDrawing.dark(top, horizon, 3), CoverDrawing.dark(top, horizon, 6), (255, 222, 130),
            titles[pick(0...2)], (14, 14, 20),
        ]
    }

    private static func blend(_ one: (Int, Int, Int), _ other: (Int, Int, Int), _ count: Int) -> [(UInt8, UInt8, UInt8)]
    {
        (0..<count).map { step in
            func part(_ one: Int, _ other: Int) -> UInt8 {
                UInt8(clamping: one + (other - one) * step / max(1, count - 1))
            }
            return (part(one.0, other.0), part(one.1, other.1), part(one.2, other.2))
        }
    }

    private static func dark(_ one: (Int, Int, Int), _ other: (Int, Int, Int), _ divisor: Int) -> (UInt8, UInt8, UInt8)
    {
        func part(_ one: Int, _ other: Int) -> UInt8 { UInt8(clamping: (one + other) / divisor) }
        return (part(one.0, other.0), part(one.1, other.1), part(one.2, other.2))
    }

    private mutating func drawSky() {
        // Bayer's pattern: between two shades some pixels have the one and some the other.
        let pattern = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
        let horizon = CoverDrawing.height - 70
        let moon = (x: pick(60...260), y: pick(130...220), radius: pick(30...62))
        for y in 0..<CoverDrawing.height {
            let level = min(y, horizon) * (CoverDrawing.skyShades - 1) * 16 / horizon
            for x in 0..<CoverDrawing.width {
                let (dx, dy) = (x - moon.x, y - moon.y)
                let shade = (level + pattern[y % 4 * 4 + x % 4]) / 16
                let isMoon = dx * dx + dy * dy < moon.radius * moon.radius
                rows[y][x] = isMoon ? CoverDrawing.moon : UInt8(min(shade, CoverDrawing.skyShades - 1))
            }
        }
    }

    private mutating func drawHouses(_ colour: UInt8, widths: ClosedRange<Int>, heights: ClosedRange<Int>, isLit: Bool)
    {
        let ground = CoverDrawing.height - 60
        var x = -pick(0...20)
        while x < CoverDrawing.width {
            let width = pick(widths)
            let top = ground - pick(heights)
            fill(x..<(x + width), top..<ground, colour)
            if pick(0...2) == 0 { fill((x + width / 2)..<(x + width / 2 + 3), (top - 22)..<top, colour) }
            if isLit {
                for y in stride(from: top + 8, to: ground - 8, by: 13) {
                    for window in stride(from: x + 6, to: x + width - 8, by: 11) where pick(0...4) < 2 {
                        fill(window..<(window + 5), y..<(y + 7), CoverDrawing.light)
                    }
                }
            }
            x += width + pick(0...6)
        }
    }

    private mutating func drawSea() {
        let shore = CoverDrawing.height - 60
        for y in shore..<CoverDrawing.height {
            let shade = (y - shore) * CoverDrawing.seaShades / 60
            fill(0..<CoverDrawing.width, y..<(y + 1), UInt8(CoverDrawing.sea + shade))
        }
        for _ in 0..<40 {
            let x = pick(0...(CoverDrawing.width - 1))
            let y = shore + pick(2...56)
            fill(x..<(x + pick(8...40)), y..<(y + 1), CoverDrawing.light)
        }
    }

    private mutating func drawTitle() {
        var y = 26
        for _ in 0..<pick(1...2) {
            var x = 22
            let height = pick(34...44)
            for _ in 0..<pick(4...7) {
                let width = pick(20...34)
                if x + width > CoverDrawing.width - 22 { break }
                fill((x + 4)..<(x + width + 4), (y + 4)..<(y + height + 4), CoverDrawing.shadow)
                fill(x..<(x + width), y..<(y + height), CoverDrawing.title)
                x += width + 7
            }
            y += height + 12
        }
    }

    private mutating func fill(_ columns: Range<Int>, _ lines: Range<Int>, _ colour: UInt8) {
        for y in lines.clamped(to: 0..<CoverDrawing.height) {
            for x in columns.clamped(to: 0..<CoverDrawing.width) { rows[y][x] = colour }
        }
    }
}
