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
