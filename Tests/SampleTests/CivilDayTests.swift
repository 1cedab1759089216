import Testing

@testable import Sample

@Suite("A day")
struct CivilDayTests {
    @Test(
        "is a date and back",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017), (2024, 5, 16, 19_859),
            (2100, 2, 28, 47_540), (2100, 3, 1, 47_541), (9999, 12, 31, 2_932_896), (1600, 2, 29, -135_081),
        ])
    func dates(year: Int, month: Int, day: Int, number: Int) {
        #expect(CivilDay(year: year, month: month, day: day).number == number)
        #expect(CivilDay(number: number).date == (year, month, day))
    }

    @Test("follows its neighbour through four hundred years")
    func neighbours() {
        var last = CivilDay(number: -1).date
        for number in 0..<146_097 {
            let date = CivilDay(number: number).date
            if date.day != last.day + 1 || date.month != last.month {
                #expect(date.day == 1 && last.day >= 28 && date.month == last.month % 12 + 1)
            }
            last = date
        }
    }

    @Test(
        "is read from its text alone",
        arguments: [
            ("2024-02-29", true), ("2023-02-29", false), ("2024-13-01", false), ("2024-00-10", false),
            ("2024-04-31", false),
            ("2024-4-1", false), ("+024-04-01", false), ("2024-04-01 ", false), ("", false), ("--", false),
            ("2024-04-01-", false), ("９９９９-04-01", false),
        ])
    func texts(text: String, isDay: Bool) {
        let day = CivilDay(text)
        #expect((day != nil) == isDay)
        if let day { #expect(day.text == text) }
    }

    @Test("begins its week on a Sunday", arguments: [(12, 12), (13, 12), (18, 12), (19, 19), (11, 5)])
    func weeks(day: Int, start: Int) {
        let may = { CivilDay(year: 2024, month: 5, day: $0) }
        #expect(may(day).weekStart == may(start))
        #expect(CivilDay(number: -1).weekStart == CivilDay(year: 1969, month: 12, day: 28))
    }

    @Test("knows its month and its place in the year")
    func months() {
        let leap = CivilDay(year: 2024, month: 2, day: 10)
        #expect(leap.month == CivilDay(year: 2024, month: 2, day: 1)...CivilDay(year: 2024, month: 2, day: 29))
        #expect(CivilDay(year: 2023, month: 12, day: 31).month.upperBound.text == "2023-12-31")
        #expect(CivilDay(year: 2024, month: 12, day: 31).dayOfYear == 366)
        #expect(CivilDay(year: 2023, month: 3, day: 1).dayOfYear == 60)
    }

    @Test("is taken from seconds without a limit", arguments: [Int.min, -1, 0, 86_399, 86_400, Int.max])
    func seconds(seconds: Int) {
        #expect((0...2_932_896).contains(CivilDay(seconds: seconds).number))
    }
}
