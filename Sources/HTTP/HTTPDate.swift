/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `seconds` since 1970 (UTC) as an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. Times before 1970 are shown as 1970,
    /// times past the year 9999 as its end.
    public static func text(_ seconds: Int) -> String {
        let seconds = min(max(seconds, 0), 253_402_300_799)
        let (day, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, date) = GregorianDay.date(day)
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
        return GregorianDay.number(year: year, month: month + 1, day: day) * 86_400 + time
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

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
}
