internal import Glibc
internal import HTTP

/// A day of the Gregorian calendar, counted from 1970-01-01.
struct CivilDay: Hashable, Comparable, Sendable {
    var number: Int

    init(number: Int) { self.number = number }

    /// The day in UTC of a moment, in seconds since 1970; moments outside 1970–9999 are moved to the nearer end.
    init(seconds: Int) { number = min(max(seconds, 0), 253_402_300_799) / 86_400 }

    /// A day past the month's end is one of the next month.
    init(year: Int, month: Int, day: Int) {
        number = GregorianDay.number(year: year, month: month, day: day)
    }

    /// The day that `yyyy-MM-dd` names; nil for any other text and for a day that no month has.
    init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.count) == [4, 2, 2], let year = ASCII.decimal(parts[0]),
            let month = ASCII.decimal(parts[1]), let day = ASCII.decimal(parts[2]), (1...12).contains(month)
        else { return nil }
        self.init(year: year, month: month, day: day)
        guard date == (year, month, day) else { return nil }
    }

    /// Month from 1 to 12, day of the month from 1.
    var date: (year: Int, month: Int, day: Int) { GregorianDay.date(number) }

    /// From 1 to 366.
    var dayOfYear: Int { number - CivilDay(year: date.year, month: 1, day: 1).number + 1 }

    /// The Sunday that begins the week.
    var weekStart: CivilDay {
        // 1970-01-01 was a Thursday.
        let weekday = ((number + 4) % 7 + 7) % 7
        return CivilDay(number: number - weekday)
    }

    /// The first and the last day of the month.
    var month: ClosedRange<CivilDay> {
        let (year, month, _) = date
        let next =
            month == 12 ? CivilDay(year: year + 1, month: 1, day: 1) : CivilDay(year: year, month: month + 1, day: 1)
        return CivilDay(year: year, month: month, day: 1)...(next - 1)
    }

    /// As `yyyy-MM-dd`.
    var text: String {
        let (year, month, day) = date
        var bytes: [UInt8] = []
        bytes.reserveCapacity(10)
        bytes.append(decimal: max(0, year), digits: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: month, digits: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: day, digits: 2)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func < (left: CivilDay, right: CivilDay) -> Bool { left.number < right.number }
    static func + (day: CivilDay, count: Int) -> CivilDay { CivilDay(number: day.number + count) }
    static func - (day: CivilDay, count: Int) -> CivilDay { CivilDay(number: day.number - count) }
}

/// The system's clock: seconds since 1970, UTC.
func systemSeconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec
}

extension [UInt8] {
    /// Appends a number that is not below zero, with zeros before it up to `digits`.
    mutating func append(decimal number: Int, digits: Int) {
        var room = 10
        var width = 1
        while width < digits {
            if number < room { append(UInt8(ascii: "0")) }
            room *= 10
            width += 1
        }
        append(decimal: number)
    }
}
