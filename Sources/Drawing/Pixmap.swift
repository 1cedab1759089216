/// A small picture in memory of our own, for what is worked out pixel by pixel.
struct Pixmap: Equatable {
    let width: Int
    let height: Int
    /// Red, green and blue of each pixel, rows from the top.
    private(set) var bytes: [UInt8]

    /// Nil where the bytes aren't three for each pixel.
    init?(width: Int, height: Int, bytes: [UInt8]) {
        guard width > 0, height > 0, bytes.count == width * height * 3 else { return nil }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// The mean of all pixels, in which strong colours count more than grey ones.
    var mainColour: Colour {
        var sum = (red: 0.0, green: 0.0, blue: 0.0, weight: 0.0)
        for start in stride(from: 0, to: bytes.count - 2, by: 3) {
            let parts = (Double(bytes[start]), Double(bytes[start + 1]), Double(bytes[start + 2]))
            let strength = max(parts.0, parts.1, parts.2) - min(parts.0, parts.1, parts.2)
            let weight = 1 + strength * strength / 256
            sum.red += parts.0 * weight
            sum.green += parts.1 * weight
            sum.blue += parts.2 * weight
            sum.weight += weight * 255
        }
        guard sum.weight > 0 else { return Colour(red: 0, green: 0, blue: 0) }
        return Colour(red: sum.red / sum.weight, green: sum.green / sum.weight, blue: sum.blue / sum.weight)
    }

    /// Each pixel becomes the mean of its neighbours up to `radius` away; three times, so that it looks like a lens out of focus.
    mutating func blur(radius: Int) {
        for _ in 0..<3 {
            blurLines(count: height, length: width, lineStep: width * 3, step: 3, radius)
            blurLines(count: width, length: height, lineStep: 3, step: width * 3, radius)
        }
    }

    private mutating func blurLines(count: Int, length: Int, lineStep: Int, step: Int, _ radius: Int) {
        var line = [UInt8](repeating: 0, count: length)
        for start in (0..<count).flatMap({ line in (0..<3).map { line * lineStep + $0 } }) {
            for place in 0..<length { line[place] = bytes[start + place * step] }
            for place in 0..<length {
                let near = max(0, place - radius)...min(length - 1, place + radius)
                let sum = line[near].reduce(0) { $0 + Int($1) }
                bytes[start + place * step] = UInt8(clamping: sum / near.count)
            }
        }
    }
}
