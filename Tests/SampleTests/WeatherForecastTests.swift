import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample weather's forecasts")
struct WeatherForecastTests {
    @Test("a forecast has the original's members in its order")
    func members() throws {
        let document = try askWeather("weather.ashx?q=Hanoi&includelocation=yes&showlocaltime=yes").json()
        func names(_ pointer: String) throws -> String {
            let node = try #require(JSONPointer(pointer).flatMap { document.node(at: $0) })
            return document.members(of: node).compactMap { document.string(of: $0.key) }.joined(separator: " ")
        }
        #expect(try names("/data") == "request time_zone nearest_area current_condition weather")
        #expect(try names("/data/request/0") == "type query")
        #expect(
            try names("/data/nearest_area/0") == "areaName country region latitude longitude population weatherUrl")
        #expect(
            try names("/data/current_condition/0")
                == "observation_time localObsDateTime temp_C temp_F weatherCode weatherIconUrl weatherDesc windspeedMiles "
                + "windspeedKmph winddirDegree winddir16Point precipMM precipInches humidity visibility visibilityMiles "
                + "pressure pressureInches cloudcover FeelsLikeC FeelsLikeF uvIndex")
        #expect(
            try names("/data/weather/0")
                == "date astronomy maxtempC maxtempF mintempC mintempF avgtempC avgtempF totalSnow_cm sunHour uvIndex hourly"
        )
        #expect(
            try names("/data/weather/0/astronomy/0")
                == "sunrise sunset moonrise moonset moon_phase moon_illumination")
        #expect(
            try names("/data/weather/0/hourly/0")
                == "time tempC tempF windspeedMiles windspeedKmph winddirDegree winddir16Point weatherCode weatherIconUrl "
                + "weatherDesc precipMM precipInches humidity visibility visibilityMiles pressure pressureInches cloudcover "
                + "HeatIndexC HeatIndexF DewPointC DewPointF WindChillC WindChillF WindGustMiles WindGustKmph FeelsLikeC "
                + "FeelsLikeF chanceofrain chanceofremdry chanceofwindy chanceofovercast chanceofsunshine chanceoffrost "
                + "chanceofhightemp chanceoffog chanceofsnow chanceofthunder uvIndex shortRad diffRad")
    }

    @Test("every scalar is a text, but the current UV index of some places")
    func scalars() throws {
        var numbers: Set<String> = []
        for place in WeatherAtlas().places {
            let query = Percent.encoded("\(place.name),\(place.country)")
            let document = try askWeather("weather.ashx?q=\(query)&num_of_days=2&includelocation=yes&showlocaltime=yes")
                .json()
            func visit(_ node: JSONNode) {
                switch document.kind(of: node) {
                case .object: for (_, value) in document.members(of: node) { visit(value) }
                case .array: for value in document.elements(of: node) { visit(value) }
                case .string: break
                default: numbers.insert(document.pointer(to: node).description)
                }
            }
            visit(document.root)
        }
        #expect(numbers == ["/data/current_condition/0/uvIndex"])
        #expect(try askWeather("weather.ashx?q=Dublin").json().string(at: "/data/current_condition/0/uvIndex") != nil)
    }

    @Test(
        "times are hundreds of hours, without zeros before them",
        arguments: [
            ("", "0 300 600 900 1200 1500 1800 2100"), ("&tp=3", "0 300 600 900 1200 1500 1800 2100"),
            ("&tp=6", "0 600 1200 1800"), ("&tp=12", "0 1200"), ("&tp=24", "24"),
            ("&tp=5", "0 300 600 900 1200 1500 1800 2100"), ("&tp=", "0 300 600 900 1200 1500 1800 2100"),
            ("&tp=1", (0..<24).map { String($0 * 100) }.joined(separator: " ")),
        ])
    func times(query: String, times: String) throws {
        let document = try askWeather("weather.ashx?q=Hanoi\(query)").json()
        let count = try #require(document.count(at: "/data/weather/0/hourly"))
        let found = (0..<count).compactMap { document.string(at: "/data/weather/0/hourly/\($0)/time") }
        #expect(found.joined(separator: " ") == times)
    }

    @Test(
        "so many days from a date on",
        arguments: [
            ("", ["2024-05-16"]), ("&num_of_days=3", ["2024-05-16", "2024-05-17", "2024-05-18"]),
            ("&num_of_days=0", ["2024-05-16"]), ("&num_of_days=x", ["2024-05-16"]), ("&date=today", ["2024-05-16"]),
            ("&date=tomorrow&num_of_days=2", ["2024-05-17", "2024-05-18"]), ("&date=2024-05-20", ["2024-05-20"]),
            ("&date=2024-05-30&num_of_days=9", ["2024-05-30"]),
        ])
    func days(query: String, dates: [String]) throws {
        let document = try askWeather("weather.ashx?q=Dublin\(query)").json()
        let count = try #require(document.count(at: "/data/weather"))
        #expect((0..<count).map { document.string(at: "/data/weather/\($0)/date") } == dates)
        #expect(try askWeather("weather.ashx?q=Dublin&num_of_days=99").json().count(at: "/data/weather") == 15)
    }

    @Test(
        "a date without weather is an error under 200",
        arguments: ["2024-05-15", "2024-05-31", "2024-02-30", "yesterday", "", "16.05.2024", "99999999-01-01"])
    func noData(date: String) throws {
        let response = askWeather("weather.ashx?q=Dublin&date=\(date)")
        #expect(response.status == .ok)
        #expect(try message(response) == "There is no weather data available for the date provided.")
    }

    @Test("the day is the place's own", arguments: [("Auckland", 17), ("Honolulu", 16), ("Anchorage", 16)])
    func localDay(name: String, day: Int) throws {
        // Ten in the evening, UTC.
        let evening = SampleWeather(now: { thursday + 10 * 3600 })
        let document = try askWeather("weather.ashx?q=\(name)", of: evening).json()
        #expect(document.string(at: "/data/weather/0/date") == "2024-05-\(day)")
        #expect(document.string(at: "/data/current_condition/0/observation_time") == "10:00 PM")
    }

    @Test("now is told in UTC and in the place's own time")
    func now() throws {
        let document = try askWeather("weather.ashx?q=Kathmandu&showlocaltime=yes").json()
        #expect(document.string(at: "/data/current_condition/0/observation_time") == "12:00 PM")
        #expect(document.string(at: "/data/current_condition/0/localObsDateTime") == "2024-05-16 05:45 PM")
        #expect(document.string(at: "/data/time_zone/0/localtime") == "2024-05-16 17:45")
        #expect(document.string(at: "/data/time_zone/0/utcOffset") == "5.8")
    }

    @Test("parts can be left out")
    func parts() throws {
        let bare = try askWeather("weather.ashx?q=Hanoi&fx=no&cc=no").json()
        #expect(bare.count(at: "/data") == 1)
        #expect(try askWeather("weather.ashx?q=Hanoi&cc=no").json().count(at: "/data/current_condition") == nil)
        #expect(try askWeather("weather.ashx?q=Hanoi&fx=no").json().count(at: "/data/weather") == nil)
        #expect(try askWeather("weather.ashx?q=Hanoi").json().count(at: "/data/nearest_area") == nil)
    }

    @Test(
        "a point has the weather of the nearest place, and says what was asked",
        arguments: [
            ("21.029,105.854", "Lat 21.03 and Lon 105.85", "Hanoi"), ("21,106.5", "Lat 21.00 and Lon 106.50", "Hanoi"),
            ("-33.9%2C18.4", "Lat -33.90 and Lon 18.40", "Cape Town"),
            ("+51.5,-0.1", "Lat 51.50 and Lon -0.10", "Blackfriars"),
            ("65,-179.9", nil, nil), ("0,0", "Lat 0.00 and Lon 0.00", "Lagos"), ("-45,-170", nil, nil),
            ("91,0", nil, nil), ("0,181", nil, nil), ("nan,0", nil, nil), ("1e400,0", nil, nil), ("1,2,3", nil, nil),
        ] as [(String, String?, String?)])
    func points(text: String, query: String?, area: String?) throws {
        // A plus is a blank, and blanks around don't matter.
        let response = askWeather("weather.ashx?q=\(text)&includelocation=yes")
        let document = try response.json()
        #expect(document.string(at: "/data/request/0/query") == query)
        #expect(document.string(at: "/data/nearest_area/0/areaName/0/value") == area)
        if query == nil {
            #expect(try message(response) == noSuchPlace)
        } else {
            #expect(document.string(at: "/data/request/0/type") == "LatLon")
        }
    }

    @Test("the area of a town may have another name")
    func nextDoor() throws {
        let document = try askWeather("weather.ashx?q=berlin&includelocation=yes").json()
        #expect(document.string(at: "/data/request/0/type") == "City")
        #expect(document.string(at: "/data/request/0/query") == "Berlin, Germany")
        #expect(document.string(at: "/data/nearest_area/0/areaName/0/value") == "Mitte")
    }

    @Test("figures fit each other and the place", arguments: WeatherAtlas().places.map(\.number))
    func figures(number: Int) throws {
        let place = try #require(WeatherAtlas().places.first { $0.number == number })
        let query = Percent.encoded("\(place.name),\(place.country)")
        let document = try askWeather("weather.ashx?q=\(query)&num_of_days=15").json()
        for day in 0..<15 {
            let path = "/data/weather/\(day)"
            let (most, least) = try (document.value(at: path + "/maxtempC"), document.value(at: path + "/mintempC"))
            let mean = try document.value(at: path + "/avgtempC")
            #expect(least <= mean && mean <= most && most - least <= 15)
            #expect(abs(mean - (place.january + place.july) / 2) < 25)
            for hour in 0..<8 {
                let path = path + "/hourly/\(hour)"
                let temperature = try document.value(at: path + "/tempC")
                #expect(least <= temperature && temperature <= most)
                #expect(abs(try document.value(at: path + "/tempF") - (temperature * 1.8 + 32)) <= 1.5)
                #expect(try document.value(at: path + "/DewPointC") <= temperature)
                #expect(try document.value(at: path + "/HeatIndexC") >= document.value(at: path + "/WindChillC"))
                #expect((1...100).contains(try document.value(at: path + "/humidity")))
                #expect((0...359).contains(try document.value(at: path + "/winddirDegree")))
                #expect((960...1050).contains(try document.value(at: path + "/pressure")))
                #expect(try document.value(at: path + "/WindGustKmph") >= document.value(at: path + "/windspeedKmph"))
                #expect((0...12).contains(try document.value(at: path + "/uvIndex")))
                #expect((0...100).contains(try document.value(at: path + "/chanceofrain")))
            }
        }
    }

    @Test("the same place and day have the same weather, whenever and however asked for")
    func steady() throws {
        let tomorrow = SampleWeather(now: { thursday + 86_400 })
        let early = try askWeather("weather.ashx?q=Hanoi&date=tomorrow").json().text(at: "/data/weather/0")
        let late = try askWeather("weather.ashx?q=Hanoi&date=today", of: tomorrow).json().text(at: "/data/weather/0")
        #expect(early == late)
        #expect(
            try askWeather("weather.ashx?q=21.0,105.8&num_of_days=2").json().text(at: "/data/weather/1") == early)
        #expect(
            askWeather("weather.ashx?q=Hanoi&num_of_days=3").bytes
                == askWeather("weather.ashx?q=Hanoi&num_of_days=3").bytes)
        #expect(try askWeather("weather.ashx?q=Paris&date=tomorrow").json().text(at: "/data/weather/0") != early)
    }

    @Test(
        "odd values come up somewhere",
        arguments: [
            "\"DewPointC\":\"-0\"", "\"moonrise\":\"No moonrise\"", "\"moonset\":\"No moonset\"",
            "\"sunrise\":\"No sunrise\"", "\"sunset\":\"No sunset\"", "\"weatherIconUrl\":[{\"value\":\"\"}]",
            "\"value\":\"Partly Cloudy \"", "\"uvIndex\":\"0\"", "\"totalSnow_cm\":\"0.0\"",
        ])
    func oddValues(text: String) throws {
        // Midwinter of the north, and a month of the moon.
        let found = [20, 35].contains { day in
            let winter = SampleWeather(now: { CivilDay(year: 2024, month: 12, day: day).number * 86_400 })
            return WeatherAtlas().places.contains { place in
                let query = Percent.encoded("\(place.name),\(place.country)")
                return askWeather("weather.ashx?q=\(query)&num_of_days=15", of: winter).text.contains(text)
            }
        }
        #expect(found)
    }

    @Test("XML has the same names and values, without wrappers")
    func xml() throws {
        let response = askWeatherPlainly("/premium/v1/weather.ashx?q=Hanoi&tp=24&key=sample-weather-key")
        let json = try askWeather("weather.ashx?q=Hanoi&tp=24").json()
        #expect(response.fields[.contentType] == "text/xml; charset=utf-8")
        #expect(
            response.text.hasPrefix(
                #"<?xml version="1.0" encoding="UTF-8"?><data><request><type>City</type><query>Hanoi, Vietnam</query></request>"#
                    + "<current_condition><observation_time>12:00 PM</observation_time>"))
        #expect(response.text.hasSuffix("</hourly></weather></data>"))
        let maximum = try #require(json.string(at: "/data/weather/0/maxtempC"))
        #expect(response.text.contains("<maxtempC>\(maximum)</maxtempC>"))
        #expect(!response.text.contains("value"))
        var open: [Substring] = []
        for part in response.text.dropFirst(38).split(separator: "<") {
            let name = part.prefix { $0 != ">" }
            if name.hasPrefix("/") { #expect(open.popLast() == name.dropFirst()) } else { open.append(name) }
        }
        #expect(open.isEmpty)
    }
}
