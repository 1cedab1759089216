internal import Glibc
internal import HTTP

extension WeatherBytes {
    /// A place as both routes show it.
    mutating func area(_ place: WeatherPlace, name: String, address: Bool = true) {
        wrapped("areaName", name)
        wrapped("country", place.country)
        wrapped("region", place.region)
        text("latitude", Self.degrees(place.latitude, digits: 3))
        text("longitude", Self.degrees(place.longitude, digits: 3))
        text("population", place.population)
        let point = "\(Self.degrees(place.latitude, digits: 4)),\(Self.degrees(place.longitude, digits: 4))"
        wrapped("weatherUrl", address ? "http://www.worldweatheronline.com/v2/weather.aspx?q=\(point)" : "")
    }

    /// - Parameters:
    ///   - seconds: the moment, UTC.
    ///   - hour: the weather of the place's own hour.
    mutating func current(_ place: WeatherPlace, at seconds: Int, _ hour: WeatherDay.Hour) {
        let local = seconds + place.offset * 60
        text("observation_time", WeatherSky.clock(seconds / 60 % 1440, or: ""))
        text(
            "localObsDateTime",
            CivilDay(seconds: local).text + " " + WeatherSky.clock(local / 60 % 1440, or: ""))
        degrees("temp_C", "temp_F", hour.temperature)
        conditions(hour, icon: true)
        wind(hour)
        measures(hour)
        degrees("FeelsLikeC", "FeelsLikeF", hour.feelsLike)
        // The service can't decide.
        if place.number % 3 == 0 { bare("uvIndex", hour.uv) } else { text("uvIndex", hour.uv) }
    }

    /// One day of a forecast, with an hour of every `step`.
    mutating func day(_ day: WeatherDay, step: Int) {
        let hours = (0..<24).map(day.hour)
        let temperatures = hours.map(\.temperature)
        text("date", day.day.text)
        group("astronomy") { output in
            let sky = day.sky
            output.text("sunrise", WeatherSky.clock(sky.sunrise, or: "No sunrise"))
            output.text("sunset", WeatherSky.clock(sky.sunset, or: "No sunset"))
            output.text("moonrise", WeatherSky.clock(sky.moonrise, or: "No moonrise"))
            output.text("moonset", WeatherSky.clock(sky.moonset, or: "No moonset"))
            output.text("moon_phase", sky.moonPhase)
            output.text("moon_illumination", sky.moonlight)
        }
        degrees("maxtempC", "maxtempF", temperatures.max() ?? 0)
        degrees("mintempC", "mintempF", temperatures.min() ?? 0)
        degrees("avgtempC", "avgtempF", temperatures.reduce(0, +) / 24)
        tenths("totalSnow_cm", hours.reduce(0) { $0 + ($1.kind.isSnow ? $1.rain : 0) })
        tenths("sunHour", day.sunHours)
        text("uvIndex", hours.map(\.uv).max() ?? 0)
        list("hourly") { output in
            // A whole day in one is told by its afternoon.
            for hour in stride(from: step == 24 ? 14 : 0, to: 24, by: step) {
                output.item("hourly") { $0.hour(hours[hour], time: step == 24 ? 24 : hour * 100) }
            }
        }
    }

    private mutating func hour(_ hour: WeatherDay.Hour, time: Int) {
        text("time", time)
        degrees("tempC", "tempF", hour.temperature)
        wind(hour)
        conditions(hour, icon: false)
        measures(hour)
        degrees("HeatIndexC", "HeatIndexF", max(hour.temperature, hour.feelsLike))
        degrees("DewPointC", "DewPointF", hour.dewPoint)
        degrees("WindChillC", "WindChillF", min(hour.temperature, hour.feelsLike))
        text("WindGustMiles", whole(hour.gust * 0.6214))
        text("WindGustKmph", whole(hour.gust))
        degrees("FeelsLikeC", "FeelsLikeF", hour.feelsLike)
        let isCold = hour.temperature < 1
        text("chanceofrain", isCold ? 0 : hour.chanceOfRain)
        text("chanceofremdry", 100 - hour.chanceOfRain)
        text("chanceofwindy", hour.gust > 40 ? 60 : 0)
        text("chanceofovercast", min(95, hour.cloud))
        text("chanceofsunshine", hour.isDay ? 100 - hour.cloud : 0)
        text("chanceoffrost", isCold ? 80 : 0)
        text("chanceofhightemp", hour.temperature > 30 ? 90 : 0)
        text("chanceoffog", hour.kind == .mist ? 70 : 0)
        text("chanceofsnow", isCold ? hour.chanceOfRain : 0)
        text("chanceofthunder", hour.kind == .thunder ? 75 : 0)
        text("uvIndex", hour.uv)
        tenths("shortRad", hour.radiation)
        tenths("diffRad", hour.radiation * 0.3)
    }

    private mutating func conditions(_ hour: WeatherDay.Hour, icon: Bool) {
        text("weatherCode", hour.kind.rawValue)
        let address = "http://cdn.worldweatheronline.com/images/wsymbols01_png_64/\(hour.kind.rawValue)"
        wrapped("weatherIconUrl", icon ? "\(address)_\(hour.isDay ? "day" : "night").png" : "")
        wrapped("weatherDesc", hour.kind.words(isDay: hour.isDay))
    }

    private mutating func wind(_ hour: WeatherDay.Hour) {
        text("windspeedMiles", whole(hour.wind * 0.6214))
        text("windspeedKmph", whole(hour.wind))
        text("winddirDegree", hour.direction)
        text("winddir16Point", Self.points[(hour.direction * 10 + 112) / 225 % 16])
    }

    private mutating func measures(_ hour: WeatherDay.Hour) {
        tenths("precipMM", hour.rain)
        tenths("precipInches", hour.rain / 25.4)
        text("humidity", hour.humidity)
        text("visibility", hour.visibility)
        text("visibilityMiles", whole(Double(hour.visibility) * 0.6214))
        text("pressure", hour.pressure)
        text("pressureInches", whole(Double(hour.pressure) * 0.02953))
        text("cloudcover", hour.cloud)
    }

    /// A temperature in both scales; just below zero is `-0`, as the service writes it.
    private mutating func degrees(_ celsius: StaticString, _ fahrenheit: StaticString, _ value: Double) {
        let isNegativeZero = value < 0 && whole(value) == 0
        if isNegativeZero { text(celsius, "-0") } else { text(celsius, whole(value)) }
        text(fahrenheit, whole(value * 1.8 + 32))
    }

    private static let points = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]

    /// Degrees of the globe with so many decimals.
    static func degrees(_ value: Double, digits: Int) -> String {
        let scale = digits == 2 ? 100 : digits == 3 ? 1000 : 10_000
        let scaled = whole(value * Double(scale))
        var bytes: [UInt8] = scaled < 0 ? [UInt8(ascii: "-")] : []
        bytes.append(decimal: abs(scaled) / scale)
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: abs(scaled) % scale, digits: digits)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension WeatherDay.Hour {
    /// °C: colder for the wind, warmer for damp heat.
    var feelsLike: Double {
        if temperature < 10 {
            let factor = pow(max(5, wind), 0.16)
            return min(temperature, 13.12 + 0.6215 * temperature - 11.37 * factor + 0.3965 * temperature * factor)
        }
        return temperature > 26 ? temperature + Double(humidity - 40) * 0.08 : temperature
    }
}
