internal import Glibc

/// Sun and moon over a place on one day: plain formulas, good to some minutes of the sun and to an hour of the moon.
struct WeatherSky {
    /// Minutes of the local day; nil where it doesn't happen that day.
    let sunrise: Int?
    let sunset: Int?
    let moonrise: Int?
    let moonset: Int?
    /// Part of the moon's month, 0 at new moon.
    let moonAge: Double
    /// Hours.
    let dayLength: Double
    /// Degrees of the sun above the horizon at noon.
    let noonHeight: Double

    init(_ place: WeatherPlace, _ day: CivilDay) {
        let turn = 2 * Double.pi / 365
        let yearDay = Double(day.dayOfYear)
        let tilt = -23.44 * cos(turn * (yearDay + 10)) * .pi / 180
        let latitude = min(89.9, max(-89.9, place.latitude)) * .pi / 180
        noonHeight = 90 - abs(latitude - tilt) * 180 / .pi
        // The sun counts as up while its upper edge is, with the air's bending: 0.833 degrees.
        let cosine = (sin(-0.833 * .pi / 180) - sin(latitude) * sin(tilt)) / (cos(latitude) * cos(tilt))
        if abs(cosine) <= 1 {
            let half = acos(cosine) * 720 / .pi
            let season = turn * (yearDay - 81)
            let equation = 9.87 * sin(2 * season) - 7.53 * cos(season) - 1.5 * sin(season)
            let noon = 720 - 4 * place.longitude - equation + Double(place.offset)
            (sunrise, sunset) = (whole(noon - half), whole(noon + half))
            dayLength = half / 30
        } else {
            (sunrise, sunset) = (nil, nil)
            dayLength = cosine > 1 ? 0 : 24
        }
        let date = Double(day.number)
        let newMoon = Self.newMoon + Double(place.offset) / 1440
        moonAge = Self.fraction((date + 0.5 - newMoon) / Self.month)
        moonrise = Self.moon(date, comesAt: 0.25, newMoon)
        moonset = Self.moon(date, comesAt: 0.75, newMoon)
    }

    /// A new moon (2000-01-06 18:14 UTC), in days since 1970, and the days from one to the next.
    private static let newMoon = 10_962.7597
    private static let month = 29.530_588

    /// The minute of the day when the moon comes to the horizon. It does so at `part` of the day at new moon and later by the moon's age,
    /// so once a month there is a day without.
    private static func moon(_ day: Double, comesAt part: Double, _ newMoon: Double) -> Int? {
        let speed = 1 - 1 / month
        let shift = part - newMoon / month
        let time = ((day * speed - shift).rounded(.up) + shift) / speed
        return time < day + 1 ? whole((time - day) * 1440) : nil
    }

    private static func fraction(_ value: Double) -> Double { value - value.rounded(.down) }

    /// Percent of the moon's disc.
    var moonlight: Int { whole((1 - cos(2 * .pi * moonAge)) * 50) }

    var moonPhase: String {
        switch moonAge {
        case ..<0.03: "New Moon"
        case ..<0.22: "Waxing Crescent"
        case ..<0.28: "First Quarter"
        case ..<0.47: "Waxing Gibbous"
        case ..<0.53: "Full Moon"
        case ..<0.72: "Waning Gibbous"
        case ..<0.78: "Last Quarter"
        case ..<0.97: "Waning Crescent"
        default: "New Moon"
        }
    }

    /// A minute of the day as `06:49 AM`; nil as `No sunrise`.
    static func clock(_ minute: Int?, or missing: String) -> String {
        guard let minute else { return missing }
        let inDay = (minute % 1440 + 1440) % 1440
        var bytes: [UInt8] = []
        bytes.append(decimal: inDay / 60 % 12 == 0 ? 12 : inDay / 60 % 12, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: inDay % 60, digits: 2)
        return String(decoding: bytes, as: UTF8.self) + (inDay < 720 ? " AM" : " PM")
    }
}

/// The nearest whole number; 0 for what is none.
func whole(_ value: Double) -> Int { Int(exactly: value.rounded()) ?? 0 }
