internal import Glibc

/// The weather of one place on one day: the same whenever it is asked for, plausible for the season, and nobody's forecast.
struct WeatherDay {
    /// Weather at one hour.
    struct Hour {
        let hour: Int
        /// °C.
        let temperature: Double
        let dewPoint: Double
        /// Percent.
        let humidity: Int
        let cloud: Int
        let chanceOfRain: Int
        /// mm in the hour.
        let rain: Double
        /// km/h and degrees.
        let wind: Double
        let gust: Double
        let direction: Int
        /// hPa.
        let pressure: Int
        /// km.
        let visibility: Int
        /// Of the sun, without and with the clouds.
        let uv: Int
        let radiation: Double
        let kind: WeatherKind
        let isDay: Bool
    }

    let place: WeatherPlace
    let day: CivilDay
    let sky: WeatherSky
    private let chance: UInt64
    private let mean: Double
    private let range: Double
    /// From 0 to 1.
    private let cloud: Double
    private let isRainy: Bool
    private let slope: Double

    init(_ place: WeatherPlace, _ day: CivilDay) {
        (self.place, self.day) = (place, day)
        sky = WeatherSky(place, day)
        let seed = place.number * 1_000_003 + day.number
        chance = scattered(seed)
        slope = Self.part(chance >> 32)
        // Half of a day's mood is the day's before.
        let mood = (Self.part(chance) + Self.part(scattered(seed - 1))) - 1
        let season = cos(2 * .pi * Double(day.dayOfYear - 200) / 365)
        mean =
            (place.january + place.july) / 2 + (place.july - place.january) / 2 * season
            + mood * (1.5 + abs(place.latitude) / 12)
        isRainy = Int(chance >> 40 % 100) < place.wetness
        cloud = isRainy ? 0.6 + 0.4 * Self.part(chance >> 16) : 0.75 * Self.part(chance >> 16)
        range = 3 + 8 * (1 - 0.7 * cloud) * min(1, max(0.15, sky.noonHeight / 45))
    }

    /// From 0 to 1.
    private static func part(_ bits: UInt64) -> Double { Double(bits & 0xFFFF) / 65_536 }

    func hour(_ hour: Int) -> Hour {
        let own = scattered(place.number * 1_000_003 + day.number * 31 + hour)
        let turn = cos(2 * .pi * Double(hour - 15) / 24)
        let temperature = mean + range / 2 * turn + Self.part(own) - 0.5
        let cover = min(1, max(0, cloud + 0.3 * (Self.part(own >> 16) - 0.5)))
        let humidity = min(99, max(18, 52 + 34 * cover + (isRainy ? 8 : 0) - 14 * turn - max(0, temperature - 26)))
        let ratio = log(humidity / 100) + 17.62 * temperature / (243.12 + temperature)
        let isWet = isRainy && own >> 24 % 10 < 6
        let rain = isWet ? (0.1 + 3.4 * Self.part(own >> 28) * cover) * (temperature > 18 ? 1.6 : 0.7) : 0
        let wind = 4 + 22 * Self.part(chance >> 8) + 6 * Self.part(own >> 36)
        let height = sky.noonHeight * max(0, cos(.pi * Double(hour - 13) / max(1, sky.dayLength)))
        let isDay = sky.dayLength > 0 && abs(Double(hour) - 13) <= sky.dayLength / 2
        let light = isDay ? max(0, sin(height * .pi / 180)) * (1 - 0.7 * cover) : 0
        let kind = WeatherKind(cover: cover, rain: rain, temperature: temperature, chance: own >> 48)
        return Hour(
            hour: hour, temperature: temperature, dewPoint: 243.12 * ratio / (17.62 - ratio), humidity: whole(humidity),
            cloud: whole(cover * 100), chanceOfRain: isRainy ? 60 + Int(own >> 52 % 40) : Int(own >> 52 % 20),
            rain: rain,
            wind: wind, gust: wind * (1.25 + 0.4 * Self.part(own >> 44)),
            direction: (Int(chance >> 48 % 360) + 4 * hour) % 360,
            pressure: whole(1014 + 14 * (slope - 0.5) - 7 * cover), visibility: kind == .mist ? 2 : isWet ? 7 : 10,
            uv: whole(11.5 * light), radiation: 980 * light, kind: kind, isDay: isDay)
    }

    /// Hours of sun.
    var sunHours: Double { sky.dayLength * (1 - 0.75 * cloud) }
}

/// The kinds of weather, by the service's numbers.
enum WeatherKind: Int {
    case clear = 113
    case partlyCloudy = 116
    case cloudy = 119
    case overcast = 122
    case mist = 143
    case patchyRain = 176
    case lightRain = 296
    case moderateRain = 302
    case heavyRain = 308
    case lightSnow = 326
    case heavySnow = 338
    case thunder = 389

    init(cover: Double, rain: Double, temperature: Double, chance: UInt64) {
        if rain > 0 {
            if temperature < 1 {
                self = rain > 1 ? .heavySnow : .lightSnow
            } else if temperature > 22, rain > 3 {
                self = .thunder
            } else {
                self = rain > 3 ? .heavyRain : rain > 1.2 ? .moderateRain : rain > 0.4 ? .lightRain : .patchyRain
            }
        } else if temperature < 12, cover > 0.4, chance % 8 == 0 {
            self = .mist
        } else {
            self = cover < 0.2 ? .clear : cover < 0.5 ? .partlyCloudy : cover < 0.8 ? .cloudy : .overcast
        }
    }

    /// The service's words; a blank stands at the end of some.
    func words(isDay: Bool) -> String {
        switch self {
        case .clear: isDay ? "Sunny" : "Clear "
        case .partlyCloudy: "Partly Cloudy "
        case .cloudy: "Cloudy "
        case .overcast: "Overcast "
        case .mist: "Mist"
        case .patchyRain: "Patchy rain nearby"
        case .lightRain: "Light rain"
        case .moderateRain: "Moderate rain"
        case .heavyRain: "Heavy rain"
        case .lightSnow: "Light snow"
        case .heavySnow: "Heavy snow"
        case .thunder: "Moderate or heavy rain with thunder"
        }
    }

    var isSnow: Bool { self == .lightSnow || self == .heavySnow }
}
