public import HTTP

/// What an answer's own fields say of its life, as every cache behind us would read them (RFC 9111, section 4.2): without targeted fields.
public struct StatedLife: Sendable {
    public let directives: ResponseDirectives
    /// Seconds from when the origin made it, at most 2³¹; nil where the answer doesn't say.
    public let seconds: Int?
    /// In seconds, by `Date` and `Age`, at most 2³¹.
    public private(set) var age: Int
    /// Whether it has `Cache-Control`.
    public let isDirected: Bool
    /// Whether it is good for nobody but the one who asked: it sets a cookie, or chance may have changed it (`Vary: *`).
    public let isForOne: Bool

    /// - Parameter now: seconds since 1970.
    public init(_ fields: Fields, now: Int) {
        let received = Moment(seconds: now, uptime: 0)
        let date = Age.date(fields, received: received)
        directives = ResponseDirectives(fields)
        seconds = Lifetime(explicit: fields, directives, date: date, now: now)?.seconds
        age = max(DeltaSeconds.difference(now, date), Age.value(fields))
        isDirected = fields.contains(.cacheControl)
        isForOne = fields.contains(.setCookie) || Selection.names(fields) == nil
    }

    /// The same of an answer that has been kept.
    func aged(_ age: Int) -> StatedLife {
        var older = self
        older.age = age
        return older
    }
}
