import Testing

@testable import Sample

@Suite("The sample weather's sky")
struct WeatherSkyTests {
    private static let atlas = WeatherAtlas()

    /// Sunrise and sunset as almanacs have them, in standard time.
    @Test(
        "the sun rises and sets within ten minutes of the almanac",
        arguments: [
            ("Hanoi", 2024, 6, 21, 5 * 60 + 16, 18 * 60 + 42), ("Hanoi", 2024, 12, 21, 6 * 60 + 30, 17 * 60 + 20),
            ("London,UK", 2024, 6, 21, 3 * 60 + 43, 20 * 60 + 21),
            ("London,UK", 2024, 12, 21, 8 * 60 + 3, 15 * 60 + 53),
            ("Sydney", 2024, 12, 21, 4 * 60 + 41, 19 * 60 + 5), ("Nairobi", 2024, 3, 20, 6 * 60 + 36, 18 * 60 + 43),
            ("New York", 2024, 3, 20, 6 * 60, 18 * 60 + 9), ("Reykjavik", 2024, 12, 21, 11 * 60 + 22, 15 * 60 + 30),
        ])
    func sun(name: String, year: Int, month: Int, day: Int, rise: Int, set: Int) throws {
        let place = try #require(Self.atlas.search(name).first)
        let sky = WeatherSky(place, CivilDay(year: year, month: month, day: day))
        #expect(abs(try #require(sky.sunrise) - rise) <= 10)
        #expect(abs(try #require(sky.sunset) - set) <= 10)
    }

    @Test("beyond the polar circle there are days without sunrise, and days without night")
    func polar() throws {
        let place = try #require(Self.atlas.search("Longyearbyen").first)
        let winter = WeatherSky(place, CivilDay(year: 2024, month: 12, day: 21))
        let summer = WeatherSky(place, CivilDay(year: 2024, month: 6, day: 21))
        #expect(winter.sunrise == nil && winter.sunset == nil && winter.dayLength == 0)
        #expect(summer.sunrise == nil && summer.sunset == nil && summer.dayLength == 24)
        let pole = WeatherSky(WeatherPlace(poleAt: 1), CivilDay(year: 2024, month: 3, day: 20))
        #expect((0...24).contains(pole.dayLength))
    }

    @Test(
        "the moon is new and full when it was",
        arguments: [
            (2024, 4, 8, "New Moon", 0...3), (2024, 4, 23, "Full Moon", 96...100),
            (2024, 5, 15, "First Quarter", 40...62),
            (2024, 5, 30, "Last Quarter", 40...62), (2026, 12, 9, "New Moon", 0...3),
        ])
    func moon(year: Int, month: Int, day: Int, phase: String, light: ClosedRange<Int>) throws {
        let place = try #require(Self.atlas.search("London,UK").first)
        let sky = WeatherSky(place, CivilDay(year: year, month: month, day: day))
        #expect(sky.moonPhase == phase)
        #expect(light.contains(sky.moonlight))
    }

    @Test("one day a month has no moonrise, one no moonset; on all others the moon comes later than the day before")
    func moonless() throws {
        let place = try #require(Self.atlas.search("Hanoi").first)
        let first = CivilDay(year: 2024, month: 1, day: 1)
        let skies = (0..<354).map { WeatherSky(place, first + $0) }
        #expect((11...13).contains(skies.filter { $0.moonrise == nil }.count))
        #expect((11...13).contains(skies.filter { $0.moonset == nil }.count))
        for (before, after) in zip(skies, skies.dropFirst()) {
            guard let earlier = before.moonrise, let later = after.moonrise else { continue }
            #expect((49...52).contains(later - earlier))
            #expect((0..<1440).contains(later))
        }
    }

    @Test(
        "a clock has twelve hours",
        arguments: [
            (0, "12:00 AM"), (59, "12:59 AM"), (60, "01:00 AM"), (719, "11:59 AM"), (720, "12:00 PM"),
            (1439, "11:59 PM"),
            (1440, "12:00 AM"), (-1, "11:59 PM"),
        ])
    func clock(minute: Int, text: String) {
        #expect(WeatherSky.clock(minute, or: "No") == text)
        #expect(WeatherSky.clock(nil, or: "No") == "No")
    }

    @Test("a number that is none is 0", arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func noNumber(value: Double) {
        #expect(whole(value) == 0)
        #expect(whole(-0.4) == 0 && whole(2.5) == 3)
    }
}
