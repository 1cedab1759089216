/// All comics as they stand in the week that begins on a Sunday: always the same books, on sale so many weeks before or after it.
struct MarvelShelf {
    private(set) var comics: [MarvelComic] = []
    private let week: CivilDay
    private let series: [MarvelSeries]
    /// The next issue of each series.
    private var numbers: [Int]
    private let characterCount: Int
    private let creatorCount: Int

    init(week: CivilDay, series: [MarvelSeries], characters: Int, creators: Int) {
        self.week = week
        self.series = series
        numbers = series.map(\.firstIssue)
        characterCount = characters
        creatorCount = creators
        comics.reserveCapacity(256)
        for row in rows(MarvelTables.schedule) where row.count == 3 { stock(row) }
        for row in rows(MarvelTables.oddities) where row.count == 3 { makeOdd(row) }
        for row in rows(MarvelTables.collections) where row.count == 6 { collect(row) }
    }

    private mutating func stock(_ row: [Substring]) {
        guard let most = Int(row[2]) else { return }
        for (position, place) in row[1].split(separator: ",").compactMap({ Int($0) }).enumerated() {
            guard series.indices.contains(place) else { continue }
            let number = numbers[place]
            numbers[place] += 1
            let main = issue(number, of: place, on: day(row[0]))
            comics.append(main.comic)
            for variant in 0..<max(0, most - position % 2) { addVariant(variant, of: main.place) }
        }
    }

    /// A week's Wednesday, or the date itself.
    private func day(_ text: Substring) -> CivilDay {
        Int(text).map { week + 7 * $0 + 3 } ?? CivilDay(text) ?? week
    }

    private func issue(_ number: Int, of place: Int, on day: CivilDay) -> (comic: MarvelComic, place: Int) {
        let index = comics.count
        let chance = scattered(index)
        let book = series[place]
        var comic = MarvelComic(
            id: Self.id(index), digitalId: chance % 2 == 0 ? 0 : 40_000 + 3 * index,
            title: "\(book.title) (\(book.firstYear)) #\(number)", issueNumber: String(number), series: place)
        comic.description = index % 5 == 1 ? "" : MarvelTables.descriptions[Int(chance >> 8 % 12)]
        comic.onsale = day
        comic.focus = chance >> 16 % 9 == 0 ? nil : day - 23
        comic.modified = chance >> 20 % 9 == 0 ? nil : min(day - 9 - Int(chance >> 24 % 12), week - 1)
        comic.unlimited = index % 7 < 4 ? day + 89 : nil
        comic.digitalPurchase = comic.digitalId != 0 ? day : nil
        comic.digitalPrice = comic.digitalId != 0 ? "1.99" : nil
        comic.upc = "\"7590000\(comic.id)\(number % 1000 + 1000)1\""
        comic.diamondCode = index % 3 == 0 ? "\"SEP\(200_000 + index)\"" : "\"\""
        comic.printPrice = ["3.99", "4.99", "3.99", "5.99", "4", "3.99"][Int(chance >> 32 % 6)]
        comic.hasPicture = chance >> 36 % 24 != 0
        comic.creators = creators(of: book, chance)
        comic.characters = characters(of: book, number, chance)
        comic.events = events(of: place, on: day)
        if book.isVertical {
            comic.format = "Digital Vertical Comic"
            comic.printPrice = "0"
        }
        return (comic, index)
    }

    private mutating func addVariant(_ number: Int, of place: Int) {
        let index = comics.count
        var comic = comics[place]
        comic.id = Self.id(index)
        comic.digitalId = 0
        comic.digitalPurchase = nil
        comic.digitalPrice = nil
        comic.variantOf = place
        let artist = Int(scattered(index) % UInt64(max(1, creatorCount)))
        comic.variantDescription = ["Variant", "Foil Variant", "Lantern-Light Variant"][number % 3]
        comic.title += " (\(comic.variantDescription))"
        comic.description = index % 4 == 0 ? comic.description : ""
        comic.upc = "\"7590000\(comic.id)00\(number + 2)1\""
        comic.focus = index % 6 == 0 ? nil : comic.focus
        comic.modified = index % 7 == 0 ? nil : comic.modified
        comic.printPrice = index % 11 == 0 ? "0" : comic.printPrice
        comic.hasPicture = index % 20 != 0
        comic.variants = []
        comic.creators = comic.creators.filter { !$0.role.hasSuffix("(cover)") } + [(artist, "penciler (cover)")]
        comic.characters = Array(comic.characters.prefix(1))
        comics.append(comic)
        for other in comics[place].variants + [place] {
            comics[other].variants.append(index)
            comics[index].variants.append(other)
        }
    }

    private mutating func makeOdd(_ row: [Substring]) {
        let last = week - 7..<week
        guard let place = Int(row[0]),
            let index = comics.firstIndex(where: { comic in
                comic.series == place && comic.variantOf == nil && comic.onsale.map(last.contains) == true
            })
        else { return }
        let all = row[1] == "issueNumber" ? [index] + comics[index].variants : [index]
        for index in all { comics[index].set(row[1], String(row[2])) }
    }

    private mutating func collect(_ row: [Substring]) {
        guard let place = Int(row[1]), series.indices.contains(place), let pages = Int(row[3]) else { return }
        let issues = comics.indices.filter { comics[$0].series == place && comics[$0].variantOf == nil }.prefix(6)
        var (comic, index) = issue(1, of: place, on: day(row[0]))
        let title = row[5].hasPrefix(":") ? "\(series[place].title)\(row[5])" : "\(series[place].title) \(row[5])"
        comic.title = "\(title) (\(row[2]))"
        comic.issueNumber = "0"
        comic.format = String(row[2])
        comic.pageCount = pages
        comic.printPrice = String(row[4])
        comic.upc = "\"\""
        comic.isbn = "\"978-0-00-00\(1000 + index)-\(index % 10)\""
        comic.ean = "\"978000000\(1000 + index) 51799\""
        comic.collectedIssues = Array(issues)
        for issue in issues { comics[issue].collections.append(index) }
        comics.append(comic)
    }

    /// Ids rise, with gaps.
    private static func id(_ index: Int) -> Int { 118_003 + 7 * index + index % 3 }

    private func creators(of book: MarvelSeries, _ chance: UInt64) -> [(place: Int, role: String)] {
        let roles = ["writer", "penciler", "colorist", "letterer", "editor"]
        var creators = Array(zip(book.creators, roles)).map { (place: $0.0, role: $0.1) }
        // The service spells the word both ways.
        let cover = chance >> 40 % 3 == 0 ? "penciller (cover)" : "penciler (cover)"
        if let second = book.creators.dropFirst().first { creators.append((second, cover)) }
        if chance >> 44 % 4 == 0 { creators.append((29, "inker")) }
        return creators
    }

    private func characters(of book: MarvelSeries, _ number: Int, _ chance: UInt64) -> [Int] {
        if book.isCrossing { return Array(0..<min(26, characterCount)) }
        var places = book.characters
        let guest = Int(chance >> 48 % UInt64(max(1, characterCount)))
        if number % 2 == 0, !places.contains(guest) { places.append(guest) }
        return places
    }

    private func events(of place: Int, on day: CivilDay) -> [Int] {
        switch place {
        case 25, 12: [0]
        case 9: [1]
        case 13 where day < week - 800: [2]
        default: []
        }
    }
}

/// A row of the table of series.
struct MarvelSeries: Sendable {
    let title: String
    let firstYear: Int
    let lastYear: Int
    let firstIssue: Int
    let rating: String
    let characters: [Int]
    let creators: [Int]

    /// Whether everybody appears in it.
    var isCrossing: Bool { title.hasPrefix("The Long Low Tide") }
    /// Whether it is read on a telephone only.
    var isVertical: Bool { title.hasSuffix("Vertical") }

    init?(_ row: [Substring]) {
        guard row.count == 7, let first = Int(row[1]), let last = Int(row[2]), let issue = Int(row[3]) else {
            return nil
        }
        title = String(row[0])
        (firstYear, lastYear, firstIssue) = (first, last, issue)
        rating = String(row[4])
        characters = row[5].split(separator: ",").compactMap { Int($0) }
        creators = row[6].split(separator: ",").compactMap { Int($0) }
    }

    /// With its years, as comics name it.
    var name: String {
        let years =
            lastYear == 2099
            ? "\(firstYear) - Present" : firstYear == lastYear ? "\(firstYear)" : "\(firstYear) - \(lastYear)"
        return "\(title) (\(years))"
    }
}

/// The rows of a table, each split at its bars.
func rows(_ table: String) -> [[Substring]] {
    table.utf8.split(separator: UInt8(ascii: "\n")).map { line in
        line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
