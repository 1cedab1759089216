internal import HTTP
internal import JSON

extension ImageRecord {
    /// The image as clients see it.
    func write(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("link", link)
        object.member("width", orNull: width)
        object.member("height", orNull: height)
        object.member("type", type)
        object.member("size", size)
        if let title { object.member("title", title) } else { object.null("title") }
        object.member("uploaded", Timestamp.text(uploaded))
    }

    var json: [UInt8] { JSONWriter.object { write(to: &$0) } }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, orNull number: Int?) {
        if let number { member(name, number) } else { null(name) }
    }
}

/// Times as RFC 3339 writes them, in UTC: `2026-11-30T17:04:35Z`.
enum Timestamp {
    /// - Parameter seconds: since 1970; years outside 1970 to 9999 are shown as the nearest of these.
    static func text(_ seconds: Int) -> String {
        let seconds = min(max(seconds, 0), 253_402_300_799)
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = GregorianDay.date(days)
        let date = "\(padded(year, 4))-\(padded(month))-\(padded(day))"
        return "\(date)T\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60))Z"
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

extension Response {
    static func json(_ json: [UInt8], status: Status = .ok) -> Response {
        Response(
            status: status, fields: Fields([(.contentType, "application/json")]), body: .bytes(json + [0x0A]))
    }
}
