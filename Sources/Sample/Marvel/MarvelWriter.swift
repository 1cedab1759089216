internal import HTTP

/// Writes resources as the service does. Every address names the service's own host, whatever host it was asked by.
struct MarvelWriter {
    private static let host = "http://gateway.marvel.com/v1/public/"
    /// A list inside a resource stops here.
    private static let most = 20

    let stock: MarvelStock
    /// As it stands in a query.
    private let key: String
    /// The beginning of what stands for a resource in a list: `{"resourceURI":…,"name":…`.
    private var summaries: [[[UInt8]]] = []
    private var addresses: [[[UInt8]]] = []

    init(stock: MarvelStock, publicKey: String) {
        self.stock = stock
        key = Percent.encoded(publicKey)
        addresses = MarvelKind.allCases.map { kind in
            stock.entries[kind.place].map { Array("\(Self.host)\(kind.rawValue)/\($0.id)".utf8) }
        }
        summaries = MarvelKind.allCases.map { kind in stock.entries[kind.place].indices.map { summary(kind, $0) } }
    }

    func json(_ kind: MarvelKind, _ place: Int) -> [UInt8] {
        var json = JSONBytes()
        json.reserve(4096)
        json.object { json in
            json.member("id", stock.entries[kind.place][place].id)
            switch kind {
            case .comics: comic(place, &json)
            case .characters: character(place, &json)
            case .creators: creator(place, &json)
            case .events: event(place, &json)
            case .series: series(place, &json)
            case .stories: story(place, &json)
            }
        }
        return json.bytes
    }

    private func name(_ kind: MarvelKind, _ place: Int) -> String {
        switch kind {
        case .comics: stock.comics[place].title
        case .characters: stock.characters[place].name
        case .creators: stock.creators[place].filter { !$0.isEmpty }.joined(separator: " ")
        case .events: stock.events[place].title
        case .series: stock.series[place].name
        case .stories: (place % 2 == 0 ? "cover from " : "story from ") + stock.comics[place / 2].title
        }
    }

    private func summary(_ kind: MarvelKind, _ place: Int) -> [UInt8] {
        var json = JSONBytes()
        json.object { json in
            json.member("resourceURI", plain: addresses[kind.place][place])
            json.member("name", name(kind, place))
        }
        return Array(json.bytes.dropLast())
    }

    /// A comic's members after its id.
    private func comic(_ place: Int, _ json: inout JSONBytes) {
        let comic = stock.comics[place]
        json.member("digitalId", comic.digitalId)
        json.member("title", comic.title)
        json.member("issueNumber", token: comic.issueNumber)
        json.member("variantDescription", comic.variantDescription)
        json.member("description", comic.description)
        json.member("modified", Self.moment(comic.modified, place))
        json.member("isbn", token: comic.isbn)
        json.member("upc", token: comic.upc)
        json.member("diamondCode", token: comic.diamondCode)
        json.member("ean", token: comic.ean)
        json.member("issn", token: comic.issn)
        json.member("format", comic.format)
        json.member("pageCount", comic.pageCount)
        json.array("textObjects") { json in
            guard let text = comic.description, text.count > 10 else { return }
            json.object { json in
                json.member("type", place % 4 == 0 ? "issue_preview_text" : "issue_solicit_text")
                json.member("language", "en-us")
                json.member("text", text)
            }
        }
        json.member("resourceURI", plain: addresses[MarvelKind.comics.place][place])
        pages(of: comic, &json)
        summaryMember("series", .series, comic.series, &json)
        for (name, places) in [
            ("variants" as StaticString, comic.variants), ("collections", comic.collections),
            ("collectedIssues", comic.collectedIssues),
        ] {
            json.array(name) { json in
                for other in places { json.splice(summaries[MarvelKind.comics.place][other] + [UInt8(ascii: "}")]) }
            }
        }
        dates(of: comic, &json)
        json.array("prices") { json in
            for (type, price) in [
                ("printPrice", Optional(comic.printPrice)), ("digitalPurchasePrice", comic.digitalPrice),
            ] {
                guard let price else { continue }
                json.object { json in
                    json.member("type", type)
                    json.member("price", token: price)
                }
            }
        }
        picture("thumbnail", comic.hasPicture ? place : nil, &json)
        json.array("images") { json in
            guard comic.hasPicture else { return }
            for number in 0...(place % 5 == 0 ? 1 : 0) { json.object { Self.picture(place + 5000 * number, &$0) } }
        }
        for kind in [MarvelKind.creators, .characters, .stories, .events] { list(kind, of: .comics, place, &json) }
    }

    private func pages(of comic: MarvelComic, _ json: inout JSONBytes) {
        let slug = String(decoding: comic.title.utf8.map { Self.isWord($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        json.array("urls") { json in
            page("detail", "http://marvel.com/comics/issue/\(comic.id)/\(slug.lowercased())?", &json)
            guard comic.digitalId != 0 else { return }
            page("purchase", "http://comicstore.marvel.com/issue/digital-comic/\(comic.digitalId)?", &json)
            page("reader", "http://marvel.com/digitalcomics/view.htm?iid=\(comic.digitalId)&", &json)
            if comic.id % 4 == 0 {
                page("inAppLink", "https://applink.marvel.com/issue/\(comic.digitalId)?utm_source=api&", &json)
            }
        }
    }

    private func dates(of comic: MarvelComic, _ json: inout JSONBytes) {
        json.array("dates") { json in
            let dates = [
                ("onsaleDate", comic.onsale, true), ("focDate", comic.focus, true),
                ("unlimitedDate", comic.unlimited, comic.unlimited != nil),
                ("digitalPurchaseDate", comic.digitalPurchase, comic.digitalPurchase != nil),
            ]
            for (type, day, isShown) in dates where isShown {
                json.object { json in
                    json.member("type", type)
                    json.member("date", Self.midnight(day))
                }
            }
        }
    }

    private func character(_ place: Int, _ json: inout JSONBytes) {
        let character = stock.characters[place]
        json.member("name", character.name)
        json.member("description", character.description)
        modified(.characters, place, &json)
        picture("thumbnail", place % 6 == 5 ? nil : place + 900, &json)
        json.member("resourceURI", plain: addresses[MarvelKind.characters.place][place])
        for kind in [MarvelKind.comics, .series, .stories, .events] { list(kind, of: .characters, place, &json) }
        json.array("urls") { json in
            let id = stock.entries[MarvelKind.characters.place][place].id
            page("detail", "http://marvel.com/characters/\(id)/x?", &json)
            if !character.description.isEmpty { page("wiki", "http://marvel.com/universe/\(id)?", &json) }
            page("comiclink", "http://marvel.com/comics/characters/\(id)/x?", &json)
        }
    }

    private func creator(_ place: Int, _ json: inout JSONBytes) {
        let names = stock.creators[place]
        for (member, name) in zip(["firstName" as StaticString, "middleName", "lastName", "suffix"], names) {
            json.member(member, name)
        }
        json.member("fullName", name(.creators, place))
        modified(.creators, place, &json)
        picture("thumbnail", place % 4 == 0 ? place + 1800 : nil, &json)
        json.member("resourceURI", plain: addresses[MarvelKind.creators.place][place])
        for kind in [MarvelKind.comics, .series, .stories, .events] { list(kind, of: .creators, place, &json) }
        json.array("urls") { json in
            let id = stock.entries[MarvelKind.creators.place][place].id
            page("detail", "http://marvel.com/comics/creators/\(id)/x?", &json)
        }
    }

    private func event(_ place: Int, _ json: inout JSONBytes) {
        let event = stock.events[place]
        json.member("title", event.title)
        json.member("description", event.description)
        json.member("resourceURI", plain: addresses[MarvelKind.events.place][place])
        json.array("urls") { json in
            page(
                "detail", "http://marvel.com/comics/events/\(stock.entries[MarvelKind.events.place][place].id)/x?",
                &json)
        }
        modified(.events, place, &json)
        json.member("start", event.start.text + " 00:00:00")
        json.member("end", event.end.text + " 00:00:00")
        picture("thumbnail", place + 2700, &json)
        for kind in [MarvelKind.creators, .characters, .stories, .comics, .series] {
            list(kind, of: .events, place, &json)
        }
        neighbours(.events, place, &json)
    }

    private func series(_ place: Int, _ json: inout JSONBytes) {
        let series = stock.series[place]
        json.member("title", series.name)
        json.member(
            "description", place % 3 == 0 ? nil : MarvelTables.descriptions[place % MarvelTables.descriptions.count])
        json.member("resourceURI", plain: addresses[MarvelKind.series.place][place])
        json.array("urls") { json in
            page(
                "detail", "http://marvel.com/comics/series/\(stock.entries[MarvelKind.series.place][place].id)/x?",
                &json)
        }
        json.member("startYear", series.firstYear)
        json.member("endYear", series.lastYear)
        json.member("rating", series.rating)
        json.member("type", place % 5 == 0 ? "ongoing" : "")
        modified(.series, place, &json)
        picture("thumbnail", place % 9 == 8 ? nil : place + 3600, &json)
        for kind in [MarvelKind.creators, .characters, .stories, .comics, .events] {
            list(kind, of: .series, place, &json)
        }
        neighbours(.series, place, &json)
    }

    private func story(_ place: Int, _ json: inout JSONBytes) {
        json.member("title", name(.stories, place))
        json.member("description", "")
        json.member("resourceURI", plain: addresses[MarvelKind.stories.place][place])
        json.member("type", Self.storyType(place))
        json.member("modified", Self.moment(stock.comics[place / 2].modified, place))
        json.member("thumbnail", nil)
        for kind in [MarvelKind.creators, .characters, .series, .comics, .events] {
            list(kind, of: .stories, place, &json)
        }
        summaryMember("originalIssue", .comics, place / 2, &json)
    }

    private static func storyType(_ place: Int) -> String { place % 2 == 0 ? "cover" : "interiorStory" }

    /// The member for the resources of one kind that belong to another: how many there are, and the first of them.
    private func list(_ kind: MarvelKind, of owner: MarvelKind, _ place: Int, _ json: inout JSONBytes) {
        let entry = stock.entries[owner.place][place]
        let places = entry[kind]
        let shown = places.prefix(Self.most)
        func write(_ json: inout JSONBytes) {
            json.member("available", places.count)
            json.member(
                "collectionURI", plain: addresses[owner.place][place] + [UInt8(ascii: "/")] + kind.rawValue.utf8)
            json.array("items") { json in
                for (position, other) in shown.enumerated() {
                    var item = summaries[kind.place][other]
                    if kind == .creators { item.append(member: "role", entry.roles[position]) }
                    if kind == .stories { item.append(member: "type", Self.storyType(other)) }
                    item.append(UInt8(ascii: "}"))
                    json.splice(item)
                }
            }
            json.member("returned", shown.count)
        }
        switch kind {
        case .comics: json.object("comics", write)
        case .characters: json.object("characters", write)
        case .creators: json.object("creators", write)
        case .events: json.object("events", write)
        case .series: json.object("series", write)
        case .stories: json.object("stories", write)
        }
    }

    private func summaryMember(_ name: StaticString, _ kind: MarvelKind, _ place: Int?, _ json: inout JSONBytes) {
        guard let place, summaries[kind.place].indices.contains(place) else { return json.member(name, token: "null") }
        json.member(name, token: String(decoding: summaries[kind.place][place] + [UInt8(ascii: "}")], as: UTF8.self))
    }

    private func neighbours(_ kind: MarvelKind, _ place: Int, _ json: inout JSONBytes) {
        summaryMember("next", kind, kind == .events ? place + 1 : nil, &json)
        summaryMember("previous", kind, kind == .events ? place - 1 : nil, &json)
    }

    /// - Parameter address: up to where the key's parameters begin.
    private func page(_ type: String, _ address: String, _ json: inout JSONBytes) {
        json.object { json in
            json.member("type", type)
            json.member("url", "\(address)utm_campaign=apiRef&utm_source=\(key)")
        }
    }

    private func modified(_ kind: MarvelKind, _ place: Int, _ json: inout JSONBytes) {
        let day = stock.modified(kind, place)
        json.member("modified", day == nil ? "1969-12-31T19:00:00-0500" : Self.moment(day, place))
    }

    private func picture(_ name: StaticString, _ seed: Int?, _ json: inout JSONBytes) {
        json.object(name) { Self.picture(seed, &$0) }
    }

    private static func picture(_ seed: Int?, _ json: inout JSONBytes) {
        guard let seed else {
            json.member("path", "http://i.annihil.us/u/prod/marvel/i/mg/b/40/image_not_available")
            return json.member("extension", "jpg")
        }
        let digits = Array(String(scattered(seed) | 1 << 63, radix: 16))
        let file = String(digits[3..<16])
        json.member("path", "http://i.annihil.us/u/prod/marvel/i/mg/\(digits[1])/\(digits[1])\(digits[2])/\(file)")
        json.member("extension", seed % 31 == 0 ? "png" : "jpg")
    }

    private static func midnight(_ day: CivilDay?) -> String {
        guard let day else { return "-0001-11-30T00:00:00-0500" }
        return "\(day.text)T00:00:00\(offset(day))"
    }

    /// Some time of the day.
    private static func moment(_ day: CivilDay?, _ seed: Int) -> String {
        guard let day else { return midnight(nil) }
        var bytes: [UInt8] = []
        let chance = scattered(seed)
        for (position, most) in [24, 60, 60].enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ":")) }
            bytes.append(decimal: Int(chance >> (8 * position) % UInt64(most)), digits: 2)
        }
        return "\(day.text)T\(String(decoding: bytes, as: UTF8.self))\(offset(day))"
    }

    /// New York's: summer time from the second Sunday of March to the first of November.
    private static func offset(_ day: CivilDay) -> String {
        let (year, _, _) = day.date
        let begin = (CivilDay(year: year, month: 3, day: 1) + 6).weekStart + 7
        let end = (CivilDay(year: year, month: 11, day: 1) + 6).weekStart
        return (begin..<end).contains(day) ? "-0400" : "-0500"
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (0x61...0x7A).contains(ASCII.lowercased(byte))
    }
}

extension [UInt8] {
    /// Appends one more member of an object. Nothing in `text` has to be escaped.
    fileprivate mutating func append(member name: StaticString, _ text: String) {
        append(ascii: ",\"")
        append(ascii: name)
        append(ascii: "\":\"")
        append(contentsOf: text.utf8)
        append(UInt8(ascii: "\""))
    }
}
