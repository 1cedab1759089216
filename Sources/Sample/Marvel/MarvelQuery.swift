internal import HTTP

/// A list's query: which resources, in which order, how many of them.
struct MarvelQuery {
    private(set) var limit = 20
    private(set) var offset = 0
    private var orders: [(number: MarvelNumber, isDescending: Bool)] = []
    private var tests: [(MarvelEntry) -> Bool] = []

    private let kind: MarvelKind
    private let catalogue: MarvelCatalogue
    private let today: CivilDay

    /// - Parameter owner: the kind of the resource that the list belongs to.
    init(
        _ query: FormQuery, _ kind: MarvelKind, of owner: MarvelKind?, _ catalogue: MarvelCatalogue, today: CivilDay
    ) throws(MarvelRefusal) {
        (self.kind, self.catalogue, self.today) = (kind, catalogue, today)
        var seen: Set<String> = []
        for (name, value) in query.pairs where !MarvelKeys.names.contains(name) && seen.insert(name).inserted {
            guard let parameter = kind.parameter(name, in: owner) else { throw .unknownParameter(name) }
            switch parameter {
            // Such a list may be given one by one too.
            case .anyOf(let other):
                let places = try Self.places(query.values(name), other, catalogue)
                tests.append { entry in entry[other].contains(where: places.contains) }
            case .allOf(let other):
                let places = try Self.places(query.values(name), other, catalogue)
                tests.append { entry in places.allSatisfy(entry[other].contains) }
            default:
                guard !value.isEmpty else { throw .blank(name) }
                try take(parameter, name, query.values(name).joined(separator: ","))
            }
        }
    }

    /// The places, among `candidates` (nil: all), of what the query finds, in its order.
    func found(_ candidates: [Int]?) -> [Int] {
        let entries = catalogue[kind]
        var found: [Int] = []
        for place in candidates ?? Array(entries.indices) {
            let entry = entries[place]
            if tests.allSatisfy({ $0(entry) }) { found.append(place) }
        }
        guard !orders.isEmpty else { return found }
        let keyed = found.map { place in
            (
                keys: orders.map { $0.isDescending ? ~entries[place][$0.number] : entries[place][$0.number] },
                place: place
            )
        }
        return keyed.sorted { left, right in
            for (left, right) in zip(left.keys, right.keys) where left != right { return left < right }
            return left.place < right.place
        }.map(\.place)
    }

    private mutating func take(_ parameter: MarvelParameter, _ name: String, _ value: String) throws(MarvelRefusal) {
        switch parameter {
        case .limit:
            guard let limit = Int(value), limit > 0 else { throw .limitTooSmall }
            guard limit <= 100 else { throw .limitTooLarge }
            self.limit = limit
        case .offset:
            guard let offset = Int(value), offset >= 0 else { throw .badValue(name, expected: "a whole number from 0") }
            self.offset = offset
        case .order: try takeOrder(value)
        case .contains(let text):
            let wanted = folded(value)
            tests.append { entry in
                let bytes = entry[text]
                return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
            }
        case .begins(let text):
            let wanted = folded(value)
            tests.append { $0[text].starts(with: wanted) }
        case .equals(let text):
            let wanted = folded(value)
            tests.append { $0[text] == wanted }
        case .format, .formatType: try takeFormat(parameter, name, value.lowercased())
        case .descriptor, .range, .since: try takeDays(parameter, name, value)
        case .without, .flag, .number, .decimal: try takeNumber(parameter, name, value)
        case .anyOf, .allOf: break
        }
    }

    private mutating func takeOrder(_ value: String) throws(MarvelRefusal) {
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let isDescending = part.hasPrefix("-")
            guard let number = kind.orders[String(isDescending ? part.dropFirst() : part)] else {
                throw .unknownOrder(String(part))
            }
            orders.append((number, isDescending))
        }
    }

    private mutating func takeFormat(
        _ parameter: MarvelParameter, _ name: String, _ value: String
    ) throws(MarvelRefusal) {
        if case .formatType = parameter {
            guard value == "comic" || value == "collection" else {
                throw .badValue(name, expected: "comic or collection")
            }
            let wanted = value == "collection" ? 1 : 0
            return tests.append { $0[.isCollection] == wanted }
        }
        guard Self.formats.contains(value) else { throw .badValue(name, expected: "a known format") }
        let isDigital = value == "digital comic" || value == "infinite comic"
        let wanted = folded(isDigital ? "digital vertical comic" : value)
        tests.append { $0[.format] == wanted }
    }

    private static let formats: Set = [
        "comic", "magazine", "trade paperback", "hardcover", "digest", "graphic novel", "digital comic",
        "infinite comic",
    ]

    private mutating func takeDays(_ parameter: MarvelParameter, _ name: String, _ value: String) throws(MarvelRefusal)
    {
        if case .since(let number) = parameter {
            guard let day = Self.day(value[...]) else { throw .badValue(name, expected: "a date") }
            return tests.append { $0[number] >= day.number }
        }
        var days: ClosedRange<CivilDay>?
        if case .descriptor = parameter {
            let week = today.weekStart
            switch value {
            case "lastWeek": days = week - 7...week - 1
            case "thisWeek": days = week...week + 6
            case "nextWeek": days = week + 7...week + 13
            case "thisMonth": days = today.month
            default: throw .badValue(name, expected: "lastWeek, thisWeek, nextWeek or thisMonth")
            }
        } else {
            let ends = value.split(separator: ",", omittingEmptySubsequences: false).compactMap(Self.day)
            if ends.count == 2, let first = ends.first, let last = ends.last, first <= last { days = first...last }
        }
        guard let days else { throw .badValue(name, expected: "two dates") }
        let numbers = days.lowerBound.number...days.upperBound.number
        tests.append { numbers.contains($0[.onsale]) }
    }

    /// A date, with or without a time after it.
    private static func day(_ text: Substring) -> CivilDay? {
        let bytes = text.utf8
        guard bytes.count == 10 || bytes.dropFirst(10).first == UInt8(ascii: "T") else { return nil }
        return CivilDay(Substring(bytes.prefix(10)))
    }

    private mutating func takeNumber(
        _ parameter: MarvelParameter, _ name: String, _ value: String
    ) throws(MarvelRefusal) {
        switch parameter {
        case .without(let number), .flag(let number):
            guard value == "true" || value == "false" else { throw .badValue(name, expected: "true or false") }
            let isWanted = value == "true"
            if case .flag = parameter {
                tests.append { ($0[number] == 1) == isWanted }
            } else if isWanted {
                tests.append { $0[number] != 1 }
            }
        case .number(let number):
            guard let wanted = Int(value) else { throw .badValue(name, expected: "a whole number") }
            tests.append { $0[number] == wanted }
        case .decimal(let number):
            guard let wanted = Double(value), let hundredths = Int(exactly: (wanted * 100).rounded()) else {
                throw .badValue(name, expected: "a number")
            }
            tests.append { $0[number] == hundredths }
        default: break
        }
    }

    private static func places(
        _ values: [String], _ kind: MarvelKind, _ catalogue: MarvelCatalogue
    ) throws(MarvelRefusal) -> [Int] {
        let parts = values.flatMap { $0.split(separator: ",") }
        guard parts.count <= 10 else { throw .tooManyIds(kind) }
        let ids = parts.compactMap { Int($0) }
        guard !ids.isEmpty else { throw .noId(kind) }
        // An id that nothing has stands for a place that nothing has.
        return ids.map { catalogue.place(kind, id: $0) ?? -1 }
    }
}
