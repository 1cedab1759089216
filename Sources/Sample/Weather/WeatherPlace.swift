internal import Glibc

/// A place of the world.
struct WeatherPlace: Sendable {
    /// Its row in the table.
    let number: Int
    let name: String
    /// What the service calls the spot: sometimes the part of the town, or the town next door.
    let area: String
    let country: String
    let region: String
    let latitude: Double
    let longitude: Double
    let population: Int
    /// Minutes ahead of UTC.
    let offset: Int
    /// Usual temperatures, °C.
    let january: Double
    let july: Double
    /// Days of a hundred with rain.
    let wetness: Int
    /// All its names, and what may stand after a comma, as they are compared.
    fileprivate let names: [[UInt8]]
    fileprivate let surroundings: [[UInt8]]

    init?(_ row: [Substring], number: Int) {
        guard row.count == 13, let latitude = Double(row[5]), let longitude = Double(row[6]), let people = Int(row[7]),
            let hours = Double(row[8]), let january = Double(row[9]), let july = Double(row[10]),
            let wet = Int(row[11]),
            let offset = Int(exactly: hours * 60)
        else { return nil }
        self.number = number
        name = String(row[0])
        area = String(row[12].isEmpty ? row[0] : row[12])
        (country, region) = (String(row[2]), String(row[4]))
        (self.latitude, self.longitude, population, self.offset) = (latitude, longitude, people, offset)
        (self.january, self.july, wetness) = (january, july, wet)
        names = ([row[0]] + row[1].split(separator: ";")).map(unaccented)
        let short = row[3] == "US" ? ["USA", "United States"] : row[3] == "GB" ? ["UK", "England"] : []
        surroundings = ([row[2], row[3]] + row[4].split(separator: ",") + short.map { $0[...] }).map(unaccented)
    }

    /// The South Pole, where the longitude says what goes wrong.
    init(poleAt longitude: Int) {
        number = 999
        (name, area, country, region) = ("South Pole", "South Pole", "Antarctica", "")
        (latitude, self.longitude, population, offset) = (-90, Double(longitude), 0, 0)
        (january, july, wetness) = (-28, -60, 5)
        (names, surroundings) = ([], [])
    }

    /// Kilometres to a point, on a ball.
    fileprivate func distance(_ latitude: Double, _ longitude: Double) -> Double {
        let (from, to) = (self.latitude * .pi / 180, latitude * .pi / 180)
        let across = (longitude - self.longitude) * .pi / 180
        let cosine = sin(from) * sin(to) + cos(from) * cos(to) * cos(across)
        return 6371 * acos(min(1, max(-1, cosine)))
    }
}

/// All places, and how they are found.
struct WeatherAtlas: Sendable {
    let places: [WeatherPlace]

    init() {
        places = rows(WeatherPlace.table).enumerated().compactMap { WeatherPlace($0.element, number: $0.offset) }
    }

    /// The places that a text fits, the ones of exactly that name first, the larger ones before the smaller: `town`, its beginning or a part
    /// of it, then what else it is in (`town,country`), each without regard to case and accents.
    func search(_ text: String) -> [WeatherPlace] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { unaccented(trimmed(String($0))) }
        guard let town = parts.first, !town.isEmpty else { return [] }
        let rest = parts.dropFirst().filter { !$0.isEmpty }
        let found: [(place: WeatherPlace, fit: Int)] = places.compactMap { place in
            guard rest.allSatisfy(place.surroundings.contains), let fit = Self.fit(town, place) else { return nil }
            return (place, fit)
        }
        return found.sorted { ($0.fit, $1.place.population) < ($1.fit, $0.place.population) }.map(\.place)
    }

    /// The nearest place to a point, where one is nearer than 1000 km.
    func nearest(_ latitude: Double, _ longitude: Double) -> WeatherPlace? {
        let nearest = places.min { $0.distance(latitude, longitude) < $1.distance(latitude, longitude) }
        guard let nearest, nearest.distance(latitude, longitude) < 1000 else { return nil }
        return nearest
    }

    /// The point that `latitude,longitude` names, in degrees; nil for any other text.
    static func point(_ text: String) -> (latitude: Double, longitude: Double)? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { trimmed(String($0)) }
        guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
            abs(latitude) <= 90, abs(longitude) <= 180
        else { return nil }
        return (latitude, longitude)
    }

    /// 0 for the name itself, 1 for its beginning, 2 for a part of it.
    private static func fit(_ town: [UInt8], _ place: WeatherPlace) -> Int? {
        if place.names.contains(town) { return 0 }
        guard town.count >= 3 else { return nil }
        if place.names.contains(where: { $0.starts(with: town) }) { return 1 }
        let isPart = place.names.contains { name in name.indices.contains { name[$0...].starts(with: town) } }
        return isPart ? 2 : nil
    }
}

/// `text` in lower case, Latin letters without their marks.
private func unaccented(_ text: Substring) -> [UInt8] {
    var result = ""
    for scalar in text.lowercased().unicodeScalars where !(0x300...0x36F).contains(scalar.value) {
        result.unicodeScalars.append(Accents.plain[scalar] ?? scalar)
    }
    return Array(trimmed(result).utf8)
}

private enum Accents {
    static let plain: [Unicode.Scalar: Unicode.Scalar] = {
        let rows = [
            "aàáâãäåāăąạảấầẩẫậắằẳẵặ", "cçćč", "dđď", "eèéêëēėęěẹẻẽếềểễệ", "gğ", "iìíîïīįıịỉĩ", "lł", "nñńň",
            "oòóôõöøōőọỏốồổỗộớờởỡợơ", "rř", "sśşšș", "tţťț", "uùúûüūůűụủũứừửữựư", "yýÿỳỵỷỹ", "zźżž",
        ]
        var plain: [Unicode.Scalar: Unicode.Scalar] = [:]
        for row in rows {
            guard let letter = row.unicodeScalars.first else { continue }
            for scalar in row.unicodeScalars.dropFirst() { plain[scalar] = letter }
        }
        return plain
    }()
}
