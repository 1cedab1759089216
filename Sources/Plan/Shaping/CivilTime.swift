/// A day of the Gregorian calendar, from the year 1 to 9999.
public struct CivilDate: Sendable, Hashable, Comparable {
    public let year: Int
    public let month: Int
    public let day: Int

    /// Reads `YYYY-MM-DD` (RFC 3339, full-date). Nil for anything else, and for a day that isn't in the calendar.
    public init?(_ text: String) {
        var reader = DigitReader(text)
        guard let date = CivilDate(&reader), reader.isAtEnd else { return nil }
        self = date
    }

    init?(_ reader: inout DigitReader) {
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), year > 0, (1...12).contains(month), day > 0,
            day <= CivilDate.days(year, month)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    private static func days(_ year: Int, _ month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    public static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// `YYYY-MM-DD`.
    public var text: String {
        DigitReader.padded(year, 4) + "-" + DigitReader.padded(month, 2) + "-" + DigitReader.padded(day, 2)
    }
}

/// A time of the day as somebody wrote it; seconds are there only if they were written.
public struct CivilTime: Sendable, Hashable {
    public let hour: Int
    public let minute: Int
    /// With their fraction, as written: `09` or `51.644000`.
    public let seconds: String?

    /// Reads `hh:mm`, `hh:mm:ss` and `hh:mm:ss.f…`, each perhaps followed by a blank and `AM` or `PM`, and the time as a number: `0`, `300`,
    /// `2100`. Nil for anything else.
    public init?(_ text: String) {
        if let time = CivilTime(number: text) {
            self = time
            return
        }
        var reader = DigitReader(text)
        guard let time = CivilTime(&reader), reader.isAtEnd else { return nil }
        self = time
    }

    /// Three or four digits are hours and minutes; `0` is midnight.
    private init?(number text: String) {
        var reader = DigitReader(text.utf8.count == 3 ? "0" + text : text == "0" ? "0000" : text)
        guard let hour = reader.number(2), let minute = reader.number(2), reader.isAtEnd, hour < 24, minute < 60 else {
            return nil
        }
        self.hour = hour
        self.minute = minute
        seconds = nil
    }

    init?(_ reader: inout DigitReader) {
        // Twelve-hour clocks often write a single digit.
        guard let hour = reader.number(2) ?? reader.number(1), reader.skip(":"), let minute = reader.number(2),
            hour < 24,
            minute < 60
        else { return nil }
        var seconds: String?
        if reader.skip(":") {
            guard let second = reader.number(2), second < 60 else { return nil }
            var text = DigitReader.padded(second, 2)
            if reader.skip(".") {
                let fraction = reader.digits(upTo: 12)
                guard !fraction.isEmpty else { return nil }
                text += "." + fraction
            }
            seconds = text
        }
        let isSingle = reader.hasReadSingleDigit
        let half = reader.half()
        guard half != nil || !isSingle else { return nil }
        if half != nil, !(1...12).contains(hour) { return nil }
        self.hour = half.map { (hour % 12) + ($0 ? 12 : 0) } ?? hour
        self.minute = minute
        self.seconds = seconds
    }

    /// `hh:mm`, or `hh:mm:ss` where seconds were written.
    public var text: String {
        DigitReader.padded(hour, 2) + ":" + DigitReader.padded(minute, 2) + (seconds.map { ":" + $0 } ?? "")
    }
}

/// A day, perhaps with a time, perhaps with its distance from UTC.
public struct CivilMoment: Sendable, Hashable {
    public let date: CivilDate
    public let time: CivilTime?
    /// `Z`, or hours and minutes as RFC 3339 writes them.
    public let offset: String?

    /// Reads a date, a date and a time with `T` or a blank between them, and an offset behind it: `Z`, `+hh:mm`, `+hhmm` or `+hh`, perhaps
    /// behind a blank. Nil for anything else.
    public init?(_ text: String) {
        var reader = DigitReader(text)
        guard let date = CivilDate(&reader) else { return nil }
        self.date = date
        guard !reader.isAtEnd else {
            time = nil
            offset = nil
            return
        }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let time = CivilTime(&reader) else {
            return nil
        }
        self.time = time
        guard !reader.isAtEnd else {
            offset = nil
            return
        }
        guard let offset = CivilMoment.offset(&reader), reader.isAtEnd else { return nil }
        self.offset = offset
    }

    private static func offset(_ reader: inout DigitReader) -> String? {
        _ = reader.skip(" ")
        if reader.skip("Z") || reader.skip("z") { return "Z" }
        let sign = reader.skip("+") ? "+" : reader.skip("-") ? "-" : nil
        guard let sign, let hours = reader.number(2), hours < 24 else { return nil }
        var minutes = 0
        if !reader.isAtEnd {
            _ = reader.skip(":")
            guard let number = reader.number(2), number < 60 else { return nil }
            minutes = number
        }
        return sign + DigitReader.padded(hours, 2) + ":" + DigitReader.padded(minutes, 2)
    }

    /// RFC 3339's date-time; nil without a time or an offset, for then the moment isn't known.
    public var dateTime: String? {
        guard let time, let offset else { return nil }
        return date.text + "T" + time.text + (time.seconds == nil ? ":00" : "") + offset
    }

    /// Date and time as they were written, without the offset; nil without a time.
    public var local: String? { time.map { date.text + "T" + $0.text } }
}

/// Reads a text from its beginning, in fixed numbers of digits.
struct DigitReader {
    private var rest: Substring.UTF8View
    /// Whether a number of one digit was read.
    private(set) var hasReadSingleDigit = false

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// The number that the next `count` bytes spell; nil, and nothing is read, where one of them is no digit.
    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        if count == 1 { hasReadSingleDigit = true }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// All digits that follow; empty where there are more than `limit`.
    mutating func digits(upTo limit: Int) -> String {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard digits.count <= limit else { return "" }
        rest = rest.dropFirst(digits.count)
        return String(Substring(digits))
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The half of the day behind a time: false for AM, true for PM, nil where none stands there.
    mutating func half() -> Bool? {
        let word = rest.first == 0x20 ? rest.dropFirst() : rest
        guard let letter = word.first, let last = word.dropFirst().first, last | 0x20 == 0x6D,
            letter | 0x20 == 0x61 || letter | 0x20 == 0x70
        else { return nil }
        rest = word.dropFirst(2)
        return letter | 0x20 == 0x70
    }

    /// `number` with zeros in front.
    static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
