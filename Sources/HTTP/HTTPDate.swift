/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `seconds` since 1970 (UTC) as an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. Times before 1970 are shown as 1970,
    /// times past the year 9999 as its end.
    public static func text(_ seconds: Int) -> String {
        let seconds = min(max(seconds, 0), 253_402_300_799)
        let (day, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, date) = civil(day)
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map(twoDigits).joined(separator: ":")
        return "\(days[day % 7]), \(twoDigits(date)) \(months[month - 1]) \(year) \(time) GMT"
    }

    /// Seconds since 1970 of a date in any of the three forms (IMF-fixdate, RFC 850, asctime); nil for anything else. The name of the
    /// day isn't compared with the date; two digits of a year mean 1970–2069.
    public static func seconds(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        let parts: (day: Substring, month: Substring, year: Substring, time: Substring)
        switch words.count {
        case 6 where words[5] == "GMT": parts = (words[1], words[2], words[3], words[4])
        case 4 where words[3] == "GMT":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3 else { return nil }
            parts = (date[0], date[1], date[2], words[2])
        case 5: parts = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        guard let month = months.firstIndex(of: String(parts.month)), let day = ASCII.decimal(parts.day.utf8),
            let year = year(parts.year), let time = time(parts.time), (1...31).contains(day)
        else { return nil }
        return days(year: year, month: month + 1, day: day) * 86_400 + time
    }

    private static func year(_ text: Substring) -> Int? {
        guard let year = ASCII.decimal(text.utf8) else { return nil }
        switch text.utf8.count {
        case 2: return year < 70 ? 2000 + year : 1900 + year
        case 4: return year
        default: return nil
        }
    }

    private static func time(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.count == 2 }),
            let hour = ASCII.decimal(parts[0].utf8), let minute = ASCII.decimal(parts[1].utf8),
            let second = ASCII.decimal(parts[2].utf8), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// The days from 1970-01-01 to a date of the Gregorian calendar; a day past the month's end is one of the next month.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        // Counted from 0000-03-01, so that a leap day ends its year.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }

    /// Year, month (1–12) and day of the month of a day since 1970-01-01, in the Gregorian calendar.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        // Counted from 0000-03-01, so that a leap day ends its year.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
    }
}
