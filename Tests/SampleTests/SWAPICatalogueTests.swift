import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample SWAPI's catalogue")
struct SWAPICatalogueTests {
    @Test(
        "it is whole",
        arguments: [
            ("people", 82), ("planets", 60), ("films", 6), ("species", 37), ("vehicles", 39), ("starships", 36),
        ])
    func counts(kind: String, count: Int) throws {
        #expect(try ask("/api/\(kind)/").json().text(at: "/count") == String(count))
    }

    @Test("the root names every kind")
    func root() {
        #expect(
            ask("/api/").text
                == #"{"people":"http://api.test/api/people/","planets":"http://api.test/api/planets/","#
                + #""films":"http://api.test/api/films/","species":"http://api.test/api/species/","#
                + #""vehicles":"http://api.test/api/vehicles/","starships":"http://api.test/api/starships/"}"#)
    }

    @Test("every link of every page leads to the resource that it names")
    func links() throws {
        var pages = ["http://api.test/api/"]
        var seen: Set<String> = []
        while let page = pages.popLast() {
            guard seen.insert(page).inserted else { continue }
            let response = ask(String(page.dropFirst("http://api.test".count)))
            #expect(response.status == .ok, "\(page)")
            let document = try response.json()
            if let own = document.member("url", of: document.root) { #expect(document.string(of: own) == page) }
            pages += Self.links(of: response.text)
        }
        // 260 resources, the root, and 9 + 6 + 1 + 4 + 4 + 4 pages; a first page has two addresses.
        #expect(seen.count == 260 + 1 + 28 + 5)
    }

    private static func links(of text: String) -> [String] {
        text.split(separator: "\"").filter { $0.hasPrefix("http://") }.map(String.init)
    }

    @Test("a resource has the original's fields, order, times and spelling")
    func wireForm() {
        #expect(
            ask("/api/people/3/").text
                == #"{"name":"R2-D2","height":"96","mass":"32","hair_color":"n/a","skin_color":"white, blue","#
                + #""eye_color":"red","birth_year":"33BBY","gender":"n/a","homeworld":"http://api.test/api/planets/8/","#
                + #""films":["http://api.test/api/films/1/","http://api.test/api/films/2/","#
                + #""http://api.test/api/films/3/","http://api.test/api/films/4/","http://api.test/api/films/5/","#
                + #""http://api.test/api/films/6/"],"species":["http://api.test/api/species/2/"],"#
                + #""vehicles":[],"starships":[],"created":"2014-12-10T15:11:50.376000Z","#
                + #""edited":"2014-12-20T21:17:50.311000Z","url":"http://api.test/api/people/3/"}"#)
    }

    @Test(
        "fields stand in the original's order",
        arguments: [
            (
                "planets/1",
                "name rotation_period orbital_period diameter climate gravity terrain surface_water population residents films"
            ),
            (
                "films/1",
                "title episode_id opening_crawl director producer release_date characters planets starships vehicles species"
            ),
            (
                "species/1",
                "name classification designation average_height skin_colors hair_colors eye_colors average_lifespan homeworld language people films"
            ),
            (
                "vehicles/4",
                "name model manufacturer cost_in_credits length max_atmosphering_speed crew passengers cargo_capacity consumables vehicle_class pilots films"
            ),
            (
                "starships/2",
                "name model manufacturer cost_in_credits length max_atmosphering_speed crew passengers cargo_capacity consumables hyperdrive_rating MGLT starship_class pilots films"
            ),
        ])
    func order(path: String, names: String) throws {
        let document = try ask("/api/\(path)/").json()
        let keys = document.members(of: document.root).compactMap { document.string(of: $0.key) }
        #expect(keys == names.split(separator: " ").map(String.init) + ["created", "edited", "url"])
    }

    @Test(
        "odd values are kept to the letter",
        arguments: [
            ("people/16", "/mass", #""1,358""#), ("people/39", "/name", #""Ric Olié""#),
            ("planets/28", "/gravity", #""unknown""#),
            ("planets/6", "/gravity", #""1.5 (surface), 1 standard (Cloud City)""#),
            ("planets/15", "/climate", #""artificial temperate ""#),
            ("starships/2", "/crew", #""30-165""#), ("starships/9", "/crew", #""342,953""#),
            ("starships/3", "/length", #""1,600""#),
            ("starships/11", "/max_atmosphering_speed", #""1000km""#),
            ("starships/9", "/max_atmosphering_speed", #""n/a""#),
            ("vehicles/6", "/length", #""10.4 ""#), ("vehicles/14", "/created", #""2014-12-15T12:22:12Z""#),
            ("species/2", "/average_lifespan", #""indefinite""#), ("species/2", "/homeworld", "null"),
            ("films/1", "/episode_id", "4"),
        ])
    func oddValues(path: String, pointer: String, value: String) throws {
        #expect(try ask("/api/\(path)/").json().text(at: pointer) == value)
    }

    @Test("each film has a crawl of its own, over two lines", arguments: 1...6)
    func crawls(film: Int) throws {
        let document = try ask("/api/films/\(film)/").json()
        let node = try #require(document.member("opening_crawl", of: document.root))
        let lines = try #require(document.string(of: node)).unicodeScalars.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.last == "\r")
    }

    @Test("the schema names all fields of a resource", arguments: SWAPIKind.allCases)
    func schema(kind: SWAPIKind) throws {
        let response = ask("/api/\(kind.rawValue)/schema")
        #expect(response.status == .ok)
        let schema = try response.json()
        let page = try ask("/api/\(kind.rawValue)/").json()
        let first = try #require(JSONPointer("/results/0").flatMap { page.node(at: $0) })
        let names = page.members(of: first).compactMap { page.string(of: $0.key) }
        let properties = try #require(schema.member("properties", of: schema.root))
        #expect(schema.members(of: properties).compactMap { schema.string(of: $0.key) } == names)
        let required = try #require(schema.member("required", of: schema.root))
        #expect(schema.elements(of: required).compactMap { schema.string(of: $0) } == names)
    }
}
