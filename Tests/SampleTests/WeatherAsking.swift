import HTTP
import JSON
import Testing

@testable import Sample

let weather = SampleWeather(now: { thursday })

/// The answer to a GET of `search.ashx?…` or `weather.ashx?…` with the sample's key, as JSON.
func askWeather(_ route: String, of responder: SampleWeather = weather) -> Response {
    askWeatherPlainly("/premium/v1/\(route)&key=sample-weather-key&format=json", of: responder)
}

/// The answer to a request as it stands.
func askWeatherPlainly(_ target: String, _ method: Method = .get, of responder: SampleWeather = weather) -> Response {
    responder.answer(to: Request(method: method, target: Target(target)))
}

extension JSONDocument {
    /// The text at a pointer, decoded; nil where there is none.
    func string(at pointer: String) -> String? {
        JSONPointer(pointer).flatMap { node(at: $0) }.flatMap { string(of: $0) }
    }

    /// The number that a text at a pointer spells.
    func value(at pointer: String) throws -> Double {
        let text = try #require(string(at: pointer), "\(pointer)")
        return try #require(Double(text), "\(pointer)")
    }

    func count(at pointer: String) -> Int? { JSONPointer(pointer).flatMap { node(at: $0) }.map { count(of: $0) } }
}

/// The message of a document that is an error.
func message(_ response: Response) throws -> String? { try response.json().string(at: "/data/error/0/msg") }

let noSuchPlace = "Unable to find any matching weather location to the query submitted!"
