import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample weather's places")
struct WeatherSearchTests {
    @Test("a place has the original's form: every value a text, some in wrappers")
    func form() {
        let response = askWeather("search.ashx?q=Dublin")
        #expect(response.status == .ok)
        #expect(response.fields[.contentType] == "application/json; charset=utf-8")
        #expect(
            response.text
                == #"{"search_api":{"result":[{"areaName":[{"value":"Dublin"}],"country":[{"value":"Ireland"}],"#
                + #""region":[{"value":"Dublin"}],"latitude":"53.333","longitude":"-6.249","population":"1024027","#
                + #""weatherUrl":[{"value":"http://www.worldweatheronline.com/v2/weather.aspx?q=53.3331,-6.2489"}]}]}}"#
        )
    }

    @Test("there are forty places and more, each found by its own name, country and code")
    func all() throws {
        let places = WeatherAtlas().places
        #expect(places.count >= 40)
        for place in places {
            for text in ["\(place.name),\(place.country)", "\(place.name.uppercased()), \(place.country)"] {
                let found = try askWeather("search.ashx?q=\(Percent.encoded(text))").json()
                #expect(found.string(at: "/search_api/result/0/areaName/0/value") == place.name)
            }
            #expect(abs(place.latitude) <= 90 && abs(place.longitude) <= 180 && place.population > 0)
        }
    }

    @Test(
        "a text finds a name, its beginning or a part of it, without regard to case and accents",
        arguments: [
            ("hanoi", ["Hanoi"]), ("H%C3%A0%20N%E1%BB%99i", ["Hanoi"]), ("ha+noi", ["Hanoi"]), ("  Hanoi ", ["Hanoi"]),
            ("S%C3%A3o%20Paulo,BR", ["São Paulo"]), ("sao+paulo", ["São Paulo"]),
            ("Sa%CC%83o%20Paulo", ["São Paulo"]), ("TROMSO", ["Tromsø"]), ("k%C3%B6ln", ["Köln"]),
            ("cologne", ["Köln"]), ("%D0%9C%D0%BE%D1%81%D0%BA%D0%B2%D0%B0", ["Moscow"]),
            ("%E6%9D%B1%E4%BA%AC", ["Tokyo"]), ("NYC", ["New York"]), ("york", ["New York"]),
            ("San%20", ["San Francisco", "San José"]), ("san%20jos%C3%A9,cr", ["San José"]),
            ("London", ["London", "London"]), ("london,uk", ["London"]), ("London,Ontario", ["London"]),
            ("Paris,Texas,USA", ["Paris"]), ("paris,us,texas", ["Paris"]), ("Paris,", ["Paris", "Paris"]),
        ])
    func texts(text: String, names: [String]) throws {
        let found = try askWeather("search.ashx?q=\(text)").json()
        let results = try #require(JSONPointer("/search_api/result").flatMap { found.node(at: $0) })
        #expect(
            found.elements(of: results).indices(of: found) == names)
    }

    @Test("the larger place comes first, the exact name before it")
    func order() throws {
        let found = try askWeather("search.ashx?q=paris").json()
        #expect(found.string(at: "/search_api/result/0/country/0/value") == "France")
        #expect(found.string(at: "/search_api/result/1/region/0/value") == "Texas")
    }

    @Test(
        "what isn't found is an error under 200, and under data",
        arguments: [
            "Atlantis", "", "%20", "%2C", "Paris,Vietnam", "ha", "x%00", "%FF", "50%25", "a%2Bb", "fault:", "fault:x",
            "later:x",
        ])
    func nothing(text: String) throws {
        for route in ["search.ashx", "weather.ashx"] {
            let response = askWeather("\(route)?q=\(text)")
            #expect(response.status == .ok)
            #expect(response.text == #"{"data":{"error":[{"msg":"\#(noSuchPlace)"}]}}"#)
        }
        #expect(try message(askWeather("search.ashx?x=1")) == noSuchPlace)
    }

    @Test("both names of the parameter are taken, q before query")
    func bothNames() throws {
        for query in ["query=Hanoi", "q=Hanoi", "q=Hanoi&query=Paris", "query=Paris&q=Hanoi"] {
            let found = try askWeather("search.ashx?\(query)").json()
            #expect(found.string(at: "/search_api/result/0/areaName/0/value") == "Hanoi")
        }
    }

    @Test(
        "so many results are shown",
        arguments: [
            ("", 2), ("&num_of_results=1", 1), ("&num_of_results=50", 2), ("&num_of_results=0", 1),
            ("&num_of_results=-3", 1), ("&num_of_results=x", 2), ("&num_of_results=99999999999999999999", 2),
        ])
    func results(query: String, count: Int) throws {
        #expect(try askWeather("search.ashx?q=london\(query)").json().count(at: "/search_api/result") == count)
    }

    @Test("the time zone comes where it is asked for")
    func timezone() throws {
        let found = try askWeather("search.ashx?q=delhi&timezone=yes").json()
        #expect(found.string(at: "/search_api/result/0/timezone/0/offset") == "5.5")
        #expect(
            try askWeather("search.ashx?q=delhi").json().string(at: "/search_api/result/0/timezone/0/offset") == nil)
    }

    @Test("without format=json it is XML", arguments: ["", "&format=xml", "&format=csv", "&format=", "&format=JSONP"])
    func xml(query: String) {
        let response = askWeatherPlainly("/premium/v1/search.ashx?q=dublin&key=sample-weather-key\(query)")
        #expect(response.fields[.contentType] == "text/xml; charset=utf-8")
        #expect(
            response.text
                == #"<?xml version="1.0" encoding="UTF-8"?><search_api><result><areaName>Dublin</areaName>"#
                + #"<country>Ireland</country><region>Dublin</region><latitude>53.333</latitude>"#
                + #"<longitude>-6.249</longitude><population>1024027</population>"#
                + #"<weatherUrl>http://www.worldweatheronline.com/v2/weather.aspx?q=53.3331,-6.2489</weatherUrl>"#
                + "</result></search_api>")
        let missing = askWeatherPlainly("/premium/v1/search.ashx?q=zz&key=sample-weather-key\(query)")
        #expect(
            missing.text
                == #"<?xml version="1.0" encoding="UTF-8"?><data><error><msg>\#(noSuchPlace)</msg></error></data>"#)
    }
}

extension JSONElements {
    /// The names of places.
    fileprivate func indices(of document: JSONDocument) -> [String] {
        map { place in document.member("areaName", of: place).flatMap { name(in: document, $0) } ?? "" }
    }

    private func name(in document: JSONDocument, _ wrapper: JSONNode) -> String? {
        document.element(0, of: wrapper).flatMap { document.member("value", of: $0) }.flatMap {
            document.string(of: $0)
        }
    }
}
