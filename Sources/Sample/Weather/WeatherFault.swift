internal import HTTP

extension SampleWeather {
    /// What may be answered in place of the weather, as the service was seen to do.
    ///
    /// Each is had by `q=fault:NAME` on both routes, and at the South Pole: `q=-90,N` with the number of the case, from 1 on. A search for
    /// `later:NAME` finds that very place, so that the search goes well and the forecast doesn't.
    public enum Fault: String, Sendable, CaseIterable {
        /// 200, no such place.
        case noMatch = "no-match"
        /// 200, nothing for the date.
        case noData = "no-data"
        /// 200, the account is suspended.
        case suspended
        /// 200, the day's calls are used up.
        case quota
        /// 429, the day's calls are used up.
        case quota429 = "quota-429"
        /// 429, one sentence as text: too many calls in the second.
        case perSecond = "per-second"
        /// 429, one sentence as text: too many calls in the day.
        case perDay = "per-day"
        /// 403, an HTML page that caches may keep.
        case forbidden
        /// 403, JSON of another shape that repeats the key.
        case badKey = "bad-key"
        /// 200, an HTML page.
        case html
        /// 200, an error as XML whatever the format.
        case xml
        /// 200, the answer without its outermost member.
        case bare
        /// 200, a day as it was before 2013: other names, no hours. A search is answered as always.
        case old
    }
}

extension SampleWeather.Fault {
    /// From 1 on.
    var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// The fault that a text asks for.
    init?(query: String) {
        if query.hasPrefix("fault:") {
            self.init(rawValue: String(query.dropFirst("fault:".count)))
        } else if let point = WeatherAtlas.point(query), point.latitude == -90 {
            guard let number = Int(exactly: point.longitude), Self.allCases.indices.contains(number - 1) else {
                return nil
            }
            self = Self.allCases[number - 1]
        } else {
            return nil
        }
    }

    /// The answer; nil where an answer as usual is to be bent.
    func answer(isXML: Bool, key: String) -> WeatherAnswer? {
        switch self {
        case .noMatch:
            .error("Unable to find any matching weather location to the query submitted!", isXML: isXML)
        case .noData: .error("There is no weather data available for the date provided.", isXML: isXML)
        case .suspended:
            .error("User account is in suspended mode. Please contact the service to continue.", isXML: isXML)
        case .quota: .error(Self.usedUp, isXML: isXML)
        case .quota429: .error(Self.usedUp, isXML: isXML, status: .tooManyRequests)
        case .perSecond: WeatherAnswer(.tooManyRequests, .text, Array("Queries per second exceeded".utf8))
        case .perDay: WeatherAnswer(.tooManyRequests, .text, Array("Queries per day exceeded".utf8))
        case .forbidden: .forbidden
        case .badKey: .badKey(key)
        case .html:
            WeatherAnswer(
                .ok, .html,
                Array(
                    "<!DOCTYPE html>\r\n<html><head><title>Runtime Error</title></head><body>…</body></html>\r\n".utf8))
        case .xml:
            .error("Unable to find any matching weather location to the query submitted!", isXML: true)
        case .bare, .old: nil
        }
    }

    private static let usedUp = "API key has reached calls per day allowed limit."
}

/// An answer before it has the fields that all have.
struct WeatherAnswer {
    enum Form: String {
        case json = "application/json; charset=utf-8"
        case xml = "text/xml; charset=utf-8"
        case html = "text/html; charset=utf-8"
        case text = "text/plain; charset=utf-8"
    }

    let status: Status
    let form: Form
    let body: [UInt8]
    /// Of answers that don't say how long they hold.
    private(set) var cacheControl: String?

    init(_ status: Status, _ form: Form, _ body: [UInt8]) {
        (self.status, self.form, self.body) = (status, form, body)
    }

    init(isXML: Bool, _ body: [UInt8]) { self.init(.ok, isXML ? .xml : .json, body) }

    static func error(_ message: String, isXML: Bool, status: Status = .ok) -> WeatherAnswer {
        let body = WeatherBytes.document(isXML: isXML, "data") { output in
            output.group("error") { $0.text("msg", message) }
        }
        return WeatherAnswer(status, isXML ? .xml : .json, body)
    }

    /// The original says the title as the reason phrase too.
    static var forbidden: WeatherAnswer {
        var answer = page(.forbidden, "API key does not have access to the resource.")
        answer.cacheControl = "public, max-age=120"
        return answer
    }

    static func badKey(_ key: String) -> WeatherAnswer {
        let message = escaped("'\(key)' is not a valid key for 'Free-Weather-API-V2'")
        return WeatherAnswer(
            .forbidden, .json,
            Array(
                #"{"meta":{"version":1,"status_code":403},"results":{"error":{"type":"KeyError","message":"\#(message)"}}}"#
                    .utf8))
    }

    static func page(_ status: Status, _ title: String) -> WeatherAnswer {
        WeatherAnswer(
            status, .html,
            Array(
                "<!DOCTYPE html>\r\n<html><head><title>\(title)</title></head><body><h2>\(title)</h2></body></html>\r\n"
                    .utf8))
    }
}
