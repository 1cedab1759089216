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
        if let seconds = usual(text) { return seconds }
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

    /// The form that nearly all dates have, without cutting it up: `Sun, 06 Nov 1994 08:49:37 GMT`. Nil for any other, and for what the
    /// others are to judge.
    private static func usual(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { text in
            guard text.count == 29, text[3] == UInt8(ascii: ","), text[4] == 0x20, text[7] == 0x20, text[11] == 0x20,
                text[16] == 0x20, text[19] == UInt8(ascii: ":"), text[22] == UInt8(ascii: ":"), text[25] == 0x20,
                text[26...].elementsEqual("GMT".utf8), let year = ASCII.decimal(text[12..<16]),
                let day = ASCII.decimal(text[5..<7]), let hour = ASCII.decimal(text[17..<19]),
                let minute = ASCII.decimal(text[20..<22]), let second = ASCII.decimal(text[23..<25]),
                hour < 24, minute < 60, second <= 60,
                usualDays.contains(where: { text[..<3].elementsEqual($0) }),
                let month = usualMonths.firstIndex(where: { text[8..<11].elementsEqual($0) }),
                (1...length(of: month, in: year)).contains(day)
            else { return nil }
            return GregorianDay.number(year: year, month: month + 1, day: day) * 86_400 + hour * 3600 + minute * 60
                + second
        }
    }

    private static let usualDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map { Array($0.utf8) }
    private static let usualMonths = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

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
        return GregorianDay.number(year: year, month: month + 1, day: day) * 86_400 + time
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
}
