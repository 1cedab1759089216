import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample Marvel's catalogue")
struct MarvelCatalogueTests {
    @Test(
        "it is large enough",
        arguments: [
            ("comics", 221), ("characters", 68), ("creators", 31), ("series", 26), ("events", 3), ("stories", 442),
        ])
    func counts(kind: String, count: Int) throws {
        #expect(try askMarvel("/\(kind)").json().number(at: "/data/total") == count)
    }

    @Test(
        "a resource has the original's members in its order",
        arguments: [
            (
                "comics/118003",
                "id digitalId title issueNumber variantDescription description modified isbn upc diamondCode ean issn format "
                    + "pageCount textObjects resourceURI urls series variants collections collectedIssues dates prices "
                    + "thumbnail images creators characters stories events"
            ),
            (
                "characters/1009100",
                "id name description modified thumbnail resourceURI comics series stories events urls"
            ),
            (
                "creators/7000",
                "id firstName middleName lastName suffix fullName modified thumbnail resourceURI comics series stories events urls"
            ),
            (
                "series/38000",
                "id title description resourceURI urls startYear endYear rating type modified thumbnail creators characters "
                    + "stories comics events next previous"
            ),
            (
                "events/301",
                "id title description resourceURI urls modified start end thumbnail creators characters stories comics series "
                    + "next previous"
            ),
            (
                "stories/260001",
                "id title description resourceURI type modified thumbnail creators characters series comics events originalIssue"
            ),
        ])
    func members(path: String, names: String) throws {
        let document = try askMarvel("/" + path).json()
        let result = try #require(JSONPointer("/data/results/0").flatMap { document.node(at: $0) })
        let keys = document.members(of: result).compactMap { document.string(of: $0.key) }
        #expect(keys == names.split(separator: " ").map(String.init))
    }

    @Test("every address in every resource leads to it, whatever host it was asked by")
    func addresses() throws {
        let root = "http://gateway.marvel.com/v1/public/"
        var addresses: Set<String> = []
        for kind in MarvelKind.allCases {
            for page in try allOfMarvel("/\(kind.rawValue)") {
                for part in String(decoding: page.bytes, as: UTF8.self).split(separator: "\"resourceURI\":\"")
                    .dropFirst()
                {
                    addresses.insert(String(part.prefix { $0 != "\"" }))
                }
            }
        }
        #expect(addresses.count == 221 + 68 + 31 + 26 + 3 + 442)
        for address in addresses {
            #expect(address.hasPrefix(root))
            let response = askMarvel("/" + address.dropFirst(root.count))
            #expect(try response.json().texts("/resourceURI") == [address])
        }
    }

    @Test("a list inside a resource is cut at 20 and says how many there are", arguments: MarvelKind.allCases)
    func available(kind: MarvelKind) throws {
        var cut = 0
        for page in try allOfMarvel("/\(kind.rawValue)").prefix(1) {
            let results = try #require(JSONPointer("/data/results").flatMap { page.node(at: $0) })
            for result in page.elements(of: results) {
                for other in MarvelKind.allCases where kind.lists(other) {
                    guard let list = page.member(other.rawValue, of: result) else { continue }
                    func number(_ name: String) -> Int? { page.member(name, of: list).flatMap { page.integer(of: $0) } }
                    let address = try #require(page.member("collectionURI", of: list).flatMap { page.string(of: $0) })
                    let path = address.dropFirst("http://gateway.marvel.com/v1/public".count)
                    let all = try askMarvel("\(path)?limit=1").json().number(at: "/data/total")
                    let available = try #require(number("available"))
                    let items = try #require(page.member("items", of: list))
                    let shown = page.count(of: items)
                    #expect(number("returned") == shown && shown == min(available, 20))
                    // Somebody who did two things stands in the list twice.
                    #expect(all == available || other == .creators && all < available, "\(address)")
                    if available > 20 { cut += 1 }
                }
            }
        }
        if kind == .characters || kind == .series { #expect(cut > 0) }
    }

    @Test("the popular one is in more comics than are shown, the crossing has more people")
    func popular() throws {
        let one = try askMarvel("/characters/1009100").json()
        #expect(try one.number(at: "/data/results/0/comics/available") > 25)
        #expect(try one.number(at: "/data/results/0/comics/returned") == 20)
        let crossing = try askMarvel("/comics?title=everybody&noVariants=true").json()
        #expect(try crossing.texts("/characters/available") == ["26"])
        let id = try #require(try crossing.texts("/id").first)
        #expect(try askMarvel("/comics/\(id)/characters?limit=100").json().number(at: "/data/count") == 26)
    }

    @Test(
        "odd values stand among last week's, which everybody asks for first",
        arguments: [
            ("/issueNumber", "88.1"), ("/issueNumber", "92.1"), ("/isbn", "9780000000019"), ("/ean", "0"),
            ("/issn", "19329000"), ("/upc", "75960600000012"), ("/description", "null"), ("/description", "\"#N/A\""),
            ("/description", "\"\""), ("/modified", "\"-0001-11-30T00:00:00-0500\""),
            ("/dates/1/date", "\"-0001-11-30T00:00:00-0500\""), ("/prices/0/price", "0"), ("/prices/0/price", "5"),
            ("/prices/0/price", "4"), ("/prices/0/price", "3.99"), ("/pageCount", "0"),
            ("/thumbnail/path", "\"http://i.annihil.us/u/prod/marvel/i/mg/b/40/image_not_available\""),
            ("/format", "\"\""), ("/format", "\"Trade Paperback\""), ("/format", "\"Digital Vertical Comic\""),
            ("/series/name", "\"Ember \\\"Zero\\\" Protocol (2024 - Present)\""), ("/textObjects", "[]"),
            ("/images", "[]"),
        ])
    func oddValues(pointer: String, token: String) throws {
        let pages = try allOfMarvel("/comics?dateDescriptor=lastWeek")
        #expect(try pages.contains { try $0.each(pointer).contains(token) })
    }

    @Test(
        "and odd texts anywhere",
        arguments: [
            "\"role\":\"penciler (cover)\"", "\"role\":\"penciller (cover)\"", "\"role\":\"inker\"", "夜明けの番人",
            "\"name\":\"佐和子 灯台\"", "José Ñandú", "2029-12-31T00:00:00-0500", "2099-12-31T00:00:00-0500",
            "\"type\":\"unlimitedDate\"", "\"type\":\"digitalPurchaseDate\"", "\"type\":\"digitalPurchasePrice\"",
            "\"type\":\"inAppLink\"", "\"type\":\"reader\"", "\"type\":\"purchase\"", "\"extension\":\"png\"",
            "utm_source=sample-public-key", "\\u000d\\u000a", "<br>", "(Foil Variant)",
        ])
    func oddTexts(text: String) throws {
        let all = try allOfMarvel("/comics").map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        #expect(all.contains(text))
    }

    @Test("one title is longer than any field of a form")
    func longTitle() throws {
        let titles = try allOfMarvel("/comics").flatMap { try $0.texts("/title") }
        #expect(titles.contains { $0.utf8.count > 300 })
    }

    @Test("a third of the people have no description, some a date of 1969")
    func people() throws {
        let people = try allOfMarvel("/characters")
        let descriptions = try people.flatMap { try $0.texts("/description") }
        let dates = try people.flatMap { try $0.texts("/modified") }
        #expect(descriptions.filter(\.isEmpty).count > 40 && descriptions.contains { !$0.isEmpty })
        #expect((10...40).contains(dates.filter { $0 == "1969-12-31T19:00:00-0500" }.count))
        #expect(dates.allSatisfy { $0.count == 24 })
    }

    @Test("variants name each other and not themselves, books the issues in them")
    func variants() throws {
        let comics = try allOfMarvel("/comics")
        var others: [String: Set<String>] = [:]
        for page in comics {
            for (id, list) in zip(try page.texts("/resourceURI"), try page.each("/variants")) {
                let parts = (list ?? "").split(separator: "\"resourceURI\":\"").dropFirst()
                others[id] = Set(parts.map { String($0.prefix { $0 != "\"" }) })
            }
        }
        #expect(
            others.allSatisfy { id, list in !list.contains(id) && list.allSatisfy { others[$0]?.contains(id) == true } }
        )
        #expect(others.values.filter { $0.count == 3 }.count > 30)
        let books = try askMarvel("/comics?formatType=collection").json()
        #expect(try books.each("/collectedIssues").allSatisfy { $0 != "[]" })
    }

    @Test("an hour's offset follows New York's summer time")
    func summerTime() throws {
        let sample = SampleMarvel(now: { CivilDay(year: 2024, month: 3, day: 14).number * 86_400 })
        let dates = try allOfMarvel("/comics?dateRange=2024-02-01,2024-04-30", of: sample)
            .flatMap { try $0.texts("/dates/0/date") }
        #expect(dates.contains { $0.hasPrefix("2024-03-06") } && dates.contains { $0.hasPrefix("2024-03-13") })
        #expect(dates.allSatisfy { $0.hasSuffix($0 < "2024-03-10" ? "-0500" : "-0400") })
    }
}
