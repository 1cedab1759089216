/// A colour of the screen, each part from 0 to 1.
struct Colour: Equatable {
    var red: Double
    var green: Double
    var blue: Double

    init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// - Parameter hue: in turns: 0 is red, 1/3 green, 2/3 blue.
    init(hue: Double, saturation: Double, lightness: Double) {
        let reach = saturation * min(lightness, 1 - lightness)
        func part(_ shift: Double) -> Double {
            let place = (shift + hue * 12).truncatingRemainder(dividingBy: 12)
            return lightness - reach * max(-1, min(place - 3, 9 - place, 1))
        }
        self.init(red: part(0), green: part(8), blue: part(4))
    }

    /// In turns; 0 for a grey.
    var hue: Double {
        let most = max(red, green, blue)
        let reach = most - min(red, green, blue)
        guard reach > 0 else { return 0 }
        let sixth =
            most == red
            ? (green - blue) / reach : most == green ? (blue - red) / reach + 2 : (red - green) / reach + 4
        return (sixth < 0 ? sixth + 6 : sixth) / 6
    }

    var saturation: Double {
        let most = max(red, green, blue)
        let least = min(red, green, blue)
        let width = 1 - abs(most + least - 1)
        return width > 0 ? (most - least) / width : 0
    }
}

/// The colours of a card.
struct Palette: Equatable {
    /// Behind everything; dark enough for white text.
    var ground: Colour
    /// The ground's other end.
    var depth: Colour
    /// For the date and other small marks; light enough to be read on the ground.
    var accent: Colour

    /// From the hue that a cover is full of.
    init(cover: Pixmap) {
        let main = cover.mainColour
        let isGrey = main.saturation < 0.12
        let hue = isGrey ? 0.6 : main.hue
        ground = Colour(hue: hue, saturation: isGrey ? 0.12 : 0.45, lightness: 0.17)
        depth = Colour(hue: hue, saturation: isGrey ? 0.15 : 0.5, lightness: 0.07)
        accent = isGrey ? Palette.gold : Colour(hue: hue, saturation: 0.9, lightness: 0.78)
    }

    /// From a title: the same one always looks the same.
    init(title: String) {
        // FNV-1a: any spread will do, but it must be the same in every run.
        let hash = title.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let hue = Double(hash % 360) / 360
        ground = Colour(hue: hue, saturation: 0.52, lightness: 0.27)
        depth = Colour(hue: hue + 0.08, saturation: 0.6, lightness: 0.11)
        accent = Colour(hue: hue, saturation: 0.9, lightness: 0.82)
    }

    private static let gold = Colour(red: 1, green: 0.83, blue: 0.45)
}
