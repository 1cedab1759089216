/// All resources of one week, ready to be sent: built once, then only read.
struct MarvelCatalogue: Sendable {
    /// The Sunday that begins the week.
    let week: CivilDay
    private let writer: MarvelWriter
    /// The resources as they are sent; those of the stories, which are many and seldom asked for, are written when they are.
    private var texts: [[[UInt8]]]
    private var places: [[Int: Int]]

    /// - Parameter publicKey: the key that the addresses of pages carry.
    init(week: CivilDay, publicKey: String) {
        self.week = week
        let stock = MarvelStock(week: week)
        let writer = MarvelWriter(stock: stock, publicKey: publicKey)
        self.writer = writer
        texts = MarvelKind.allCases.map { kind in
            kind == .stories ? [] : stock.entries[kind.place].indices.map { writer.json(kind, $0) }
        }
        places = stock.entries.map { list in
            Dictionary(uniqueKeysWithValues: list.enumerated().map { ($0.element.id, $0.offset) })
        }
    }

    subscript(kind: MarvelKind) -> [MarvelEntry] { writer.stock.entries[kind.place] }

    /// Where the resource with this id stands in its list.
    func place(_ kind: MarvelKind, id: Int) -> Int? { places[kind.place][id] }

    /// The resource as it is sent.
    func json(_ kind: MarvelKind, _ place: Int) -> [UInt8] {
        kind == .stories ? writer.json(kind, place) : texts[kind.place][place]
    }
}

/// All resources and what they have to do with each other, before they are written.
struct MarvelStock: Sendable {
    let comics: [MarvelComic]
    let series: [MarvelSeries]
    let characters: [(name: String, description: String)]
    /// First, middle and last name, suffix.
    let creators: [[String]]
    let events: [(title: String, description: String, start: CivilDay, end: CivilDay)]
    /// Of each kind, in the order of the lists above; two stories for each comic, its cover and what is inside.
    private(set) var entries: [[MarvelEntry]] = []
    let week: CivilDay

    init(week: CivilDay) {
        self.week = week
        series = rows(MarvelTables.series).compactMap(MarvelSeries.init)
        characters = rows(MarvelTables.characters).map { row in
            (String(row.first ?? ""), String(row.dropFirst().first ?? ""))
        }
        creators = rows(MarvelTables.creators).map { row in row.map { String($0) } }.filter { $0.count == 4 }
        events = rows(MarvelTables.events).compactMap { row in
            guard row.count == 4, let start = CivilDay(row[2]), let end = CivilDay(row[3]) else { return nil }
            return (String(row[0]), String(row[1]), start, end)
        }
        let shelf = MarvelShelf(week: week, series: series, characters: characters.count, creators: creators.count)
        comics = shelf.comics
        entries = MarvelKind.allCases.map(unlinked)
        link()
        for kind in MarvelKind.allCases { rank(kind) }
    }

    /// When a character, a creator or a series was changed; nil where the service gives the end of 1969.
    func modified(_ kind: MarvelKind, _ place: Int) -> CivilDay? {
        let chance = scattered(place * 6 + kind.place)
        return chance % 3 == 0 ? nil : week - 30 - Int(chance >> 8 % 2000)
    }

    private func unlinked(_ kind: MarvelKind) -> [MarvelEntry] {
        switch kind {
        case .comics: comics.map(entry)
        case .characters:
            characters.enumerated().map { place, row in named(kind, place, 1_009_100 + 13 * place, row.name) }
        case .creators:
            creators.enumerated().map { place, names in
                var entry = named(kind, place, 7_000 + 11 * place, names.filter { !$0.isEmpty }.joined(separator: " "))
                for (text, name) in zip([MarvelText.firstName, .middleName, .lastName, .suffix], names) {
                    entry[text] = folded(name)
                }
                return entry
            }
        case .events:
            events.enumerated().map { place, row in
                var entry = named(kind, place, 301 + 17 * place, row.title)
                entry[.start] = row.start.number
                return entry
            }
        case .series:
            series.enumerated().map { place, row in
                var entry = named(kind, place, 38_000 + 19 * place, row.title)
                entry[.year] = row.firstYear
                return entry
            }
        case .stories:
            (0..<2 * comics.count).map { place in
                var entry = MarvelEntry(id: 260_001 + 2 * place)
                entry[.modified] = comics[place / 2].modified?.number ?? .min
                return entry
            }
        }
    }

    private func named(_ kind: MarvelKind, _ place: Int, _ id: Int, _ name: String) -> MarvelEntry {
        var entry = MarvelEntry(id: id)
        entry[.name] = folded(name)
        entry[.modified] = modified(kind, place)?.number ?? .min
        return entry
    }

    private func entry(_ comic: MarvelComic) -> MarvelEntry {
        var entry = MarvelEntry(id: comic.id)
        entry[.name] = folded(series[comic.series].title)
        entry[.format] = folded(comic.format)
        func plain(_ token: String) -> [UInt8] { folded(token).filter { $0 != UInt8(ascii: "\"") } }
        entry[.diamondCode] = plain(comic.diamondCode)
        entry[.upc] = plain(comic.upc)
        entry[.isbn] = plain(comic.isbn)
        entry[.ean] = plain(comic.ean)
        entry[.issn] = plain(comic.issn)
        entry[.onsale] = comic.onsale?.number ?? .min
        entry[.focus] = comic.focus?.number ?? .min
        entry[.modified] = comic.modified?.number ?? .min
        entry[.issue] = comic.hundredths
        entry[.digitalId] = comic.digitalId
        entry[.year] = series[comic.series].firstYear
        entry[.isVariant] = comic.variantOf == nil ? 0 : 1
        entry[.isCollection] = comic.isCollection ? 1 : 0
        entry[.isDigital] = comic.digitalId == 0 ? 0 : 1
        return entry
    }

    /// A comic names what belongs to it; whatever else belongs together does so by a comic.
    private mutating func link() {
        for place in comics.indices { linkComic(place) }
        for kind in [MarvelKind.characters, .creators, .events, .series] {
            for place in entries[kind.place].indices { linkByComics(kind, place) }
        }
        for place in entries[MarvelKind.stories.place].indices { linkStory(place) }
    }

    /// A story has what its comic has.
    private mutating func linkStory(_ place: Int) {
        let comic = entries[MarvelKind.comics.place][place / 2]
        for kind in [MarvelKind.characters, .creators, .events, .series] {
            entries[MarvelKind.stories.place][place][kind] = comic[kind]
        }
        entries[MarvelKind.stories.place][place].roles = comic.roles
    }

    private mutating func linkComic(_ place: Int) {
        let comic = comics[place]
        var entry = entries[MarvelKind.comics.place][place]
        entry[.series] = [comic.series]
        entry[.characters] = comic.characters
        entry[.creators] = comic.creators.map(\.place)
        entry.roles = comic.creators.map(\.role)
        entry[.events] = comic.events
        entry[.stories] = [2 * place, 2 * place + 1]
        entries[MarvelKind.comics.place][place] = entry
        for kind in MarvelKind.allCases where kind != .comics {
            for other in entry[kind] where entries[kind.place].indices.contains(other) {
                if entries[kind.place][other][.comics].last != place {
                    entries[kind.place][other][.comics].append(place)
                }
            }
        }
    }

    private mutating func linkByComics(_ kind: MarvelKind, _ place: Int) {
        var entry = entries[kind.place][place]
        for other in MarvelKind.allCases where other != .comics && other != kind {
            var seen: Set<Int> = []
            for place in entry[.comics] {
                let comic = entries[MarvelKind.comics.place][place]
                for (position, linked) in comic[other].enumerated() where seen.insert(linked).inserted {
                    entry[other].append(linked)
                    if other == .creators { entry.roles.append(comic.roles[position]) }
                }
            }
        }
        entries[kind.place][place] = entry
    }

    /// Notes the alphabetical orders.
    private mutating func rank(_ kind: MarvelKind) {
        let list = entries[kind.place]
        rank(kind, .byName, kind == .comics ? comics.map { folded($0.title) } : list.map { $0[.name] })
        guard kind == .creators else { return }
        rank(kind, .byFirstName, list.map { $0[.firstName] })
        rank(kind, .byMiddleName, list.map { $0[.middleName] })
        rank(kind, .byLastName, list.map { $0[.lastName] })
        rank(kind, .bySuffix, list.map { $0[.suffix] })
    }

    private mutating func rank(_ kind: MarvelKind, _ number: MarvelNumber, _ keys: [[UInt8]]) {
        let sorted = keys.indices.sorted { left, right in keys[left].lexicographicallyPrecedes(keys[right]) }
        var rank = 0
        for (position, place) in sorted.enumerated() {
            if position > 0, keys[place] != keys[sorted[position - 1]] { rank += 1 }
            entries[kind.place][place][number] = rank
        }
    }
}
