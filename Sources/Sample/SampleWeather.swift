public import HTTP
internal import Threads

/// A stand-in for World Weather Online that answers from memory as the original does: places and forecasts with text for every number,
/// wrapped values, XML where no format is named, and errors under 200. The base path is `/premium/v1`; the routes are `search.ashx` and
/// `weather.ashx`. It knows some forty places of the world; their weather is made up, the same for a place and day always.
///
/// It is put behind a server; it opens no sockets. One object serves all workers. An answer to HEAD holds the content that GET would get.
public final class SampleWeather: Responder {
    /// Called before each answer; it waits, and may throw in the upstream's stead.
    public typealias Delay = @Sendable (Request) async throws(GatewayError) -> Void

    /// The key that the sample takes where no other is given.
    public static let sampleKey = "sample-weather-key"

    private let key: String
    private let quota: Int
    private let fault: (@Sendable (Request) -> Fault?)?
    private let delay: Delay?
    private let now: @Sendable () -> Int
    private let atlas = WeatherAtlas()
    private let used = Locked(UsedCalls())
    /// Days that were written before.
    private let written = Locked<[WrittenDay: [UInt8]]>([:])

    /// - Parameters:
    ///   - key: the one that is let in.
    ///   - quota: calls of a day (UTC), of all clients together; those past it get 429. `X-WWO-Qpd-Left` tells what is left.
    ///   - fault: asked before each answer; nil for an answer as usual. See ``Fault`` for how a query asks for one.
    ///   - now: seconds since 1970, for days, hours and the quota; nil for the system's clock.
    ///   - delay: what happens before each answer; nil for none.
    public init(
        key: String = SampleWeather.sampleKey, quota: Int = 10_000_000, fault: (@Sendable (Request) -> Fault?)? = nil,
        now: (@Sendable () -> Int)? = nil, delay: Delay? = nil
    ) {
        self.key = key
        self.quota = quota
        self.fault = fault
        self.now = now ?? systemSeconds
        self.delay = delay
    }

    public func respond(to request: Request) async throws(GatewayError) -> Response {
        if let delay { try await delay(request) }
        return answer(to: request)
    }

    /// The answer, at once.
    func answer(to request: Request) -> Response {
        let moment = min(max(now(), 86_400), 250_000_000_000)
        var left: Int?
        let answer = answer(to: request, at: moment, left: &left)
        var fields = Fields([(.contentType, answer.form.rawValue)])
        if let control = answer.cacheControl { fields.append(.cacheControl, control) }
        if let left { fields.append(Self.callsLeft, String(left)) }
        if answer.status == .methodNotAllowed { fields.append(.allow, "GET, HEAD") }
        return Response(status: answer.status, fields: fields, body: .bytes(answer.body))
    }

    private static let callsLeft: FieldName = "X-WWO-Qpd-Left"

    private func answer(to request: Request, at moment: Int, left: inout Int?) -> WeatherAnswer {
        let isSearch = request.target.path == "/premium/v1/search.ashx"
        guard isSearch || request.target.path == "/premium/v1/weather.ashx" else {
            return .page(.notFound, "404 - File or directory not found.")
        }
        guard request.method == .get || request.method == .head else {
            return .page(.methodNotAllowed, "405 - HTTP verb used to access this page is not allowed.")
        }
        let query = FormQuery(request.target.query)
        guard let given = query["key"], given == key, !key.isEmpty else { return .forbidden }
        let isXML = query["format"]?.lowercased() != "json"
        let count = used.withLock { $0.count(on: CivilDay(seconds: moment)) }
        left = max(0, quota - count)
        let text = trimmed(query["q"] ?? query["query"] ?? "")
        let asked = (fault?(request)).flatMap { $0 } ?? Fault(query: String(text))
        if count > quota, let refused = Fault.quota429.answer(isXML: isXML, key: given) { return refused }
        if let refused = asked?.answer(isXML: isXML, key: given) { return refused }
        if isSearch { return search(String(text), query, isXML: isXML, asked) }
        return forecast(String(text), query, at: moment, isXML: isXML, asked)
    }

    private func search(_ text: String, _ query: FormQuery, isXML: Bool, _ fault: Fault?) -> WeatherAnswer {
        var found = atlas.search(text)
        if text.hasPrefix("later:"), let later = Fault(rawValue: String(text.dropFirst("later:".count))) {
            found = [WeatherPlace(poleAt: later.number)]
        }
        if fault != nil { found = Array(atlas.places.prefix(3)) }
        guard !found.isEmpty else { return Self.noMatch(isXML: isXML) }
        let most = min(max(1, Int(query["num_of_results"] ?? "") ?? 10), 50)
        let hasZone = query["timezone"] == "yes"
        let body = WeatherBytes.document(isXML: isXML, fault == .bare ? nil : "search_api") { output in
            output.list("result") { output in
                for place in found.prefix(most) {
                    output.item("result") { output in
                        output.area(place, name: place.name)
                        if hasZone { output.group("timezone") { $0.tenths("offset", Double(place.offset) / 60) } }
                    }
                }
            }
        }
        return WeatherAnswer(isXML: isXML, body)
    }

    private func forecast(
        _ text: String, _ query: FormQuery, at moment: Int, isXML: Bool, _ fault: Fault?
    ) -> WeatherAnswer {
        let point = WeatherAtlas.point(text)
        let found = point.map { atlas.nearest($0.latitude, $0.longitude) } ?? atlas.search(text).first
        guard let place = found ?? (fault == nil ? nil : atlas.places.first) else { return Self.noMatch(isXML: isXML) }
        let today = CivilDay(seconds: moment + place.offset * 60)
        guard let days = Self.days(query, from: today) else {
            return Fault.noData.answer(isXML: isXML, key: "") ?? Self.noMatch(isXML: isXML)
        }
        let step = [1, 3, 6, 12, 24].first { query["tp"] == String($0) } ?? 3
        let body = WeatherBytes.document(isXML: isXML, fault == .bare ? nil : "data") { output in
            output.group("request") { output in
                output.text("type", point == nil ? "City" : "LatLon")
                output.text("query", point.map(Self.name) ?? "\(place.name), \(place.country)")
            }
            if query["showlocaltime"] == "yes" { Self.writeZone(place, at: moment, &output) }
            if query["includelocation"] == "yes" {
                output.group("nearest_area") { $0.area(place, name: place.area, address: false) }
            }
            if query["cc"] != "no" {
                let hour = (moment + place.offset * 60) / 3600 % 24
                output.group("current_condition") { output in
                    output.current(place, at: moment, WeatherDay(place, today).hour(hour))
                }
            }
            guard query["fx"] != "no" else { return }
            output.list("weather") { output in
                for day in days {
                    if fault == .old {
                        output.item("weather") { $0.oldDay(WeatherDay(place, day)) }
                    } else {
                        output.splice(
                            written(WrittenDay(place: place.number, day: day, step: step, isXML: isXML), place))
                    }
                }
            }
        }
        return WeatherAnswer(isXML: isXML, body)
    }

    /// The days that are asked for, 15 from today at the most; nil where there is no weather for the date.
    private static func days(_ query: FormQuery, from today: CivilDay) -> [CivilDay]? {
        let first: CivilDay
        switch query["date"]?.lowercased() {
        case nil, "today": first = today
        case "tomorrow": first = today + 1
        case .some(let text):
            guard let day = CivilDay(text), (today...today + 14).contains(day) else { return nil }
            first = day
        }
        let most = today + 15
        let count = min(max(1, Int(query["num_of_days"] ?? "") ?? 1), 15)
        return (0..<count).map { first + $0 }.filter { $0 < most }
    }

    private static func name(_ point: (latitude: Double, longitude: Double)) -> String {
        let latitude = WeatherBytes.degrees(point.latitude, digits: 2)
        return "Lat \(latitude) and Lon \(WeatherBytes.degrees(point.longitude, digits: 2))"
    }

    private static func writeZone(_ place: WeatherPlace, at moment: Int, _ output: inout WeatherBytes) {
        let local = moment + place.offset * 60
        var time: [UInt8] = []
        time.append(decimal: local / 3600 % 24, digits: 2)
        time.append(UInt8(ascii: ":"))
        time.append(decimal: local / 60 % 60, digits: 2)
        output.group("time_zone") { output in
            output.text("localtime", CivilDay(seconds: local).text + " " + String(decoding: time, as: UTF8.self))
            output.tenths("utcOffset", Double(place.offset) / 60)
        }
    }

    private static func noMatch(isXML: Bool) -> WeatherAnswer {
        .error("Unable to find any matching weather location to the query submitted!", isXML: isXML)
    }

    private struct WrittenDay: Hashable {
        let place: Int
        let day: CivilDay
        let step: Int
        let isXML: Bool
    }

    private func written(_ key: WrittenDay, _ place: WeatherPlace) -> [UInt8] {
        if let known = written.withLock({ $0[key] }) { return known }
        var output = WeatherBytes(isXML: key.isXML)
        output.item("weather") { $0.day(WeatherDay(place, key.day), step: key.step) }
        let bytes = output.bytes
        written.withLock { written in
            if written.count >= 1024 { written.removeAll() }
            written[key] = bytes
        }
        return bytes
    }
}

/// The calls of the running day.
private struct UsedCalls {
    private var day = CivilDay(number: 0)
    private var calls = 0

    /// Counts a call, and returns how many there are with it.
    mutating func count(on day: CivilDay) -> Int {
        if day != self.day { (self.day, calls) = (day, 0) }
        calls += 1
        return calls
    }
}

extension WeatherBytes {
    /// A day as the first version of the service had it.
    fileprivate mutating func oldDay(_ day: WeatherDay) {
        let noon = day.hour(14)
        let night = day.hour(3)
        text("date", day.day.text)
        tenths("precipMM", noon.rain)
        text("tempMaxC", whole(noon.temperature))
        text("tempMaxF", whole(noon.temperature * 1.8 + 32))
        text("tempMinC", whole(night.temperature))
        text("tempMinF", whole(night.temperature * 1.8 + 32))
        text("weatherCode", noon.kind.rawValue)
        wrapped("weatherDesc", noon.kind.words(isDay: true))
        text("winddirection", "N")
        text("windspeedKmph", whole(noon.wind))
    }
}
