internal import HTTP

/// Dates as a cache reads them (RFC 9110, section 5.6.7; RFC 9111, section 4.2): the three forms exactly, but without regard to case.
///
/// The name of the day has to be one, but isn't compared with the date. Another zone than GMT, a year of two digits outside of the form of
/// RFC 850, one digit for a day or an hour, further blanks: all that is no date, and who asked takes it for a time in the past.
enum CacheDate {
    private static let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Seconds since 1970 (UTC); nil for no date.
    /// - Parameter now: by which a year of two digits is understood: never more than 50 years ahead.
    static func seconds(_ text: String, now: Int) -> Int? {
        let text = ASCII.trimmed(text[...]).lowercased()
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        switch words.count {
        case 6 where words[2].isEmpty:
            // A day of one digit, with a blank in front of it.
            return words[3].utf8.count == 1
                ? asctime([words[0], words[1], words[3], words[4], words[5]], day: "0" + words[3]) : nil
        case 6: return fixdate(words)
        case 4: return obsolete(words, now: now)
        case 5: return asctime(words, day: words[2])
        default: return nil
        }
    }

    /// `sun, 06 nov 1994 08:49:37 gmt`
    private static func fixdate(_ words: [Substring]) -> Int? {
        guard words[0].hasSuffix(","), days.contains(String(words[0].dropLast())), words[5] == "gmt",
            let year = digits(words[3], 4)
        else { return nil }
        return seconds(year: year, month: words[2], day: words[1], time: words[4])
    }

    /// `sunday, 06-nov-94 08:49:37 gmt`
    private static func obsolete(_ words: [Substring], now: Int) -> Int? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words[0].hasSuffix(","), longDays.contains(String(words[0].dropLast())), words[3] == "gmt",
            parts.count == 3, let short = digits(parts[2], 2)
        else { return nil }
        // The latest year with these digits that isn't more than 50 years ahead.
        let limit = 1970 + now / 31_556_952 + 50
        let year = limit - (limit - short) % 100
        return seconds(year: year, month: parts[1], day: parts[0], time: words[2])
    }

    /// `sun nov  6 08:49:37 1994`
    private static func asctime(_ words: [Substring], day: some StringProtocol) -> Int? {
        guard words.count == 5, days.contains(String(words[0])), let year = digits(words[4], 4) else { return nil }
        return seconds(year: year, month: words[1], day: Substring(day), time: words[3])
    }

    private static func seconds(year: Int, month: Substring, day: Substring, time: Substring) -> Int? {
        guard let month = months.firstIndex(of: String(month)), let day = digits(day, 2), let time = clock(time),
            (1...length(of: month, in: year)).contains(day)
        else { return nil }
        return civilDays(year: year, month: month + 1, day: day) * 86_400 + time
    }

    private static func clock(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = digits(parts[0], 2), let minute = digits(parts[1], 2),
            let second = digits(parts[2], 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func digits(_ text: Substring, _ count: Int) -> Int? {
        text.utf8.count == count ? ASCII.decimal(text.utf8) : nil
    }

    /// - Parameter month: from 0.
    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 1: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 3, 5, 8, 10: 30
        default: 31
        }
    }

    /// The days from 1970-01-01 in the Gregorian calendar, counted from 0000-03-01, so that a leap day ends its year.
    private static func civilDays(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
