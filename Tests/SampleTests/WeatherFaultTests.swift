import HTTP
import JSON
import Testing
import Threads

@testable import Sample

@Suite("The sample weather's errors")
struct WeatherFaultTests {
    static let json = "application/json; charset=utf-8"
    static let html = "text/html; charset=utf-8"
    static let text = "text/plain; charset=utf-8"
    static let xml = "text/xml; charset=utf-8"
    static let spent = "API key has reached calls per day allowed limit."

    private static func error(_ message: String) -> String { #"{"data":{"error":[{"msg":"\#(message)"}]}}"# }

    static let faults: [(SampleWeather.Fault, UInt16, String, String)] = [
        (.noMatch, 200, json, error(noSuchPlace)),
        (.noData, 200, json, error("There is no weather data available for the date provided.")),
        (.suspended, 200, json, error("User account is in suspended mode. Please contact the service to continue.")),
        (.quota, 200, json, error(spent)), (.quota429, 429, json, error(spent)),
        (.perSecond, 429, text, "Queries per second exceeded"), (.perDay, 429, text, "Queries per day exceeded"),
        (.forbidden, 403, html, ""),
        (
            .badKey, 403, json,
            #"{"meta":{"version":1,"status_code":403},"results":{"error":{"type":"KeyError","message":"#
                + #""'sample-weather-key' is not a valid key for 'Free-Weather-API-V2'"}}}"#
        ),
        (.html, 200, html, ""),
        (
            .xml, 200, xml,
            #"<?xml version="1.0" encoding="UTF-8"?><data><error><msg>\#(noSuchPlace)</msg></error></data>"#
        ),
    ]

    @Test("an error is had by its name, at the pole and by the hook, on both routes", arguments: faults)
    func reachable(fault: SampleWeather.Fault, status: UInt16, type: String, body: String) throws {
        let hooked = SampleWeather(fault: { _ in fault }, now: { thursday })
        let place = try askWeather("search.ashx?q=later:\(fault.rawValue)").json()
        let latitude = try #require(place.string(at: "/search_api/result/0/latitude"))
        let longitude = try #require(place.string(at: "/search_api/result/0/longitude"))
        let point = "\(latitude),\(longitude)"
        for route in ["search.ashx", "weather.ashx"] {
            let responses = [
                askWeather("\(route)?q=fault:\(fault.rawValue)"), askWeather("\(route)?q=\(point)"),
                askWeather("\(route)?q=Hanoi", of: hooked),
            ]
            for response in responses {
                #expect(response.status.code == status)
                #expect(response.fields[.contentType] == type)
                if !body.isEmpty { #expect(response.text == body) }
                if type == Self.html { #expect(response.text.hasPrefix("<!DOCTYPE html>")) }
            }
        }
    }

    @Test("all of them are in the table, or bend an answer")
    func complete() {
        #expect(Set(Self.faults.map(\.0)).union([.bare, .old]) == Set(SampleWeather.Fault.allCases))
        #expect(SampleWeather.Fault.allCases.map(\.number) == Array(1...SampleWeather.Fault.allCases.count))
        for fault in SampleWeather.Fault.allCases {
            #expect(SampleWeather.Fault(query: "-90,\(fault.number).000") == fault)
        }
        for text in ["-90,0", "-90,14", "-90,1.5", "90,1", "fault:", "fault:nothing", "Fault:html", ""] {
            #expect(SampleWeather.Fault(query: text) == nil)
        }
    }

    @Test("an answer without its outermost member is otherwise whole")
    func bare() throws {
        let whole = try askWeather("weather.ashx?q=Hanoi").json()
        #expect(askWeather("weather.ashx?q=fault:bare").text == (try whole.text(at: "/data")))
        #expect(try askWeather("search.ashx?q=fault:bare").json().count(at: "/result") == 3)
    }

    @Test("a day of old has other names and no hours")
    func old() throws {
        let document = try askWeather("weather.ashx?q=fault:old&num_of_days=2").json()
        let day = try #require(JSONPointer("/data/weather/1").flatMap { document.node(at: $0) })
        let names = document.members(of: day).compactMap { document.string(of: $0.key) }
        #expect(
            names == [
                "date", "precipMM", "tempMaxC", "tempMaxF", "tempMinC", "tempMinF", "weatherCode", "weatherDesc",
                "winddirection", "windspeedKmph",
            ])
        #expect(try askWeather("search.ashx?q=fault:old").json().count(at: "/search_api/result") == 3)
    }

    @Test(
        "a wrong key or none is a page that caches may keep",
        arguments: ["&key=wrong", "&key=", "", "&key=sample-weather-key&key=x", "&KEY=sample-weather-key"])
    func keys(query: String) {
        for route in ["search.ashx", "weather.ashx"] {
            let response = askWeatherPlainly("/premium/v1/\(route)?q=Hanoi&format=json\(query)")
            #expect(response.status == .forbidden)
            #expect(response.fields[.contentType] == Self.html)
            #expect(response.fields[.cacheControl] == "public, max-age=120")
            #expect(response.text.contains("<title>API key does not have access to the resource.</title>"))
            #expect(!response.fields.contains("X-WWO-Qpd-Left"))
        }
    }

    @Test("the sample with another key takes that one alone")
    func otherKey() {
        let other = SampleWeather(key: "CANARY\"1", now: { thursday })
        #expect(askWeather("weather.ashx?q=Hanoi", of: other).status == .forbidden)
        let target = "/premium/v1/weather.ashx?q=fault:bad-key&format=json&key=CANARY%221"
        #expect(askWeatherPlainly(target, of: other).text.contains(#"'CANARY\"1' is not"#))
    }

    @Test("calls are counted down, and from 00:00 UTC anew")
    func quota() throws {
        let clock = Locked(thursday)
        let sample = SampleWeather(quota: 2, now: { clock.withLock { $0 } })
        func ask() -> Response { askWeather("search.ashx?q=Hanoi", of: sample) }
        #expect(askWeatherPlainly("/premium/v1/search.ashx?q=Hanoi", of: sample).status == .forbidden)
        for left in ["1", "0"] {
            let answered = ask()
            #expect(answered.status == .ok)
            #expect(answered.fields["X-WWO-Qpd-Left"] == left)
        }
        let refused = ask()
        #expect(refused.status == .tooManyRequests)
        #expect(refused.fields["X-WWO-Qpd-Left"] == "0")
        #expect(try message(refused) == Self.spent)
        clock.withLock { $0 += 43_199 }
        #expect(ask().status == .tooManyRequests)
        clock.withLock { $0 += 1 }
        #expect(ask().status == .ok)
    }

    @Test(
        "there is nothing else",
        arguments: [
            "/premium/v1/past-weather.ashx", "/premium/v1/", "/premium/v1/search.ashx/", "/free/v1/search.ashx", "/",
            "*",
            "", "/premium/v1/Search.ashx",
        ])
    func paths(path: String) {
        let response = askWeatherPlainly(path + "?q=Hanoi&key=sample-weather-key&format=json")
        #expect(response.status == .notFound)
        #expect(response.fields[.contentType] == Self.html)
    }

    @Test("it is only read", arguments: Method.allCases)
    func methods(method: Method) {
        let target = "/premium/v1/search.ashx?q=Hanoi&key=sample-weather-key&format=json"
        let response = askWeatherPlainly(target, method)
        if method == .get || method == .head {
            #expect(response.bytes == askWeather("search.ashx?q=Hanoi").bytes)
        } else {
            #expect(response.status == .methodNotAllowed)
            #expect(response.fields[.allow] == "GET, HEAD")
        }
    }

    @Test("what the delay throws is the answer")
    func delay() async throws {
        let failing = SampleWeather(delay: { _ throws(GatewayError) in throw .contentTooLarge(limit: 1) })
        await #expect(throws: GatewayError.self) { _ = try await failing.respond(to: Request(target: Target("/"))) }
        let response = try await weather.respond(
            to: Request(target: Target("/premium/v1/search.ashx?q=Hanoi&key=sample-weather-key&format=json")))
        #expect(response.bytes == askWeather("search.ashx?q=Hanoi").bytes)
    }

    @Test("no clock stops it", arguments: [Int.min, -1, 0, Int.max])
    func clocks(seconds: Int) throws {
        let sample = SampleWeather(now: { seconds })
        for name in ["Honolulu", "Auckland"] {
            let response = askWeather("weather.ashx?q=\(name)&showlocaltime=yes&num_of_days=15", of: sample)
            #expect(try response.json().count(at: "/data/weather") == 15)
        }
        let books = SampleMarvel(now: { seconds })
        #expect(try askMarvel("/comics?dateDescriptor=lastWeek", of: books).json().number(at: "/data/total") > 60)
    }
}
