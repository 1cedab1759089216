import HTTP
import JSON
import Testing
import Threads

@testable import Sample

@Suite("The sample Marvel's lists")
struct MarvelListTests {
    @Test(
        "a page has its part of the list, and an empty one stands past the end",
        arguments: [
            ("", 0, 20, 20), ("?limit=1", 0, 1, 1), ("?limit=100", 0, 100, 100), ("?offset=5&limit=7", 5, 7, 7),
            ("?offset=212&limit=100", 212, 100, 9), ("?offset=1000000", 1_000_000, 20, 0),
            ("?offset=9223372036854775807", Int.max, 20, 0),
        ])
    func pages(query: String, offset: Int, limit: Int, count: Int) throws {
        let page = try askMarvel("/comics\(query)").json()
        #expect(try page.number(at: "/data/offset") == offset)
        #expect(try page.number(at: "/data/limit") == limit)
        #expect(try page.number(at: "/data/count") == count)
        #expect(try page.number(at: "/data/total") == 221)
        #expect(try page.each("/id").count == count)
    }

    @Test("no hit is an empty list, not an error")
    func empty() throws {
        let page = try askMarvel("/comics?title=zzzz").json()
        #expect(try page.text(at: "/code") == "200")
        #expect(
            try page.text(at: "/data") == #"{"offset":0,"limit":20,"total":0,"count":0,"results":[]}"#)
    }

    @Test("pages side by side are the whole list, nothing twice")
    func whole() throws {
        for path in [
            "/comics", "/comics?orderBy=-onsaleDate", "/comics?orderBy=issueNumber&noVariants=true", "/stories",
        ] {
            let ids = try allOfMarvel(path).flatMap { try $0.texts("/id") }
            #expect(Set(ids).count == ids.count)
            #expect(ids.count == (try askMarvel(path).json().number(at: "/data/total")))
        }
    }

    @Test(
        "a filter finds what it names, and something",
        arguments: [
            ("format=comic", "/format", ["Comic"]), ("format=Hardcover", "/format", ["Hardcover"]),
            ("format=trade%20paperback", "/format", ["Trade Paperback"]),
            ("format=infinite+comic", "/format", ["Digital Vertical Comic"]),
            ("formatType=collection", "/format", ["Trade Paperback", "Hardcover"]),
            ("formatType=comic&dateDescriptor=lastWeek", "/format", ["Comic", "Digital Vertical Comic", ""]),
            ("noVariants=true", "/variantDescription", [""]),
            ("hasDigitalIssue=false", "/digitalId", ["0"]),
            (
                "startYear=2020", "/series/name",
                ["The Unlikely Cartographers (2020 - 2022)", "Thirteen Bells (2020 - Present)"]
            ),
            ("issueNumber=88.1", "/issueNumber", ["88.1"]), ("issueNumber=46", "/issueNumber", ["46"]),
            ("titleStartsWith=harb", "/series/name", ["Harbour Watch (2024 - Present)"]),
            ("title=LAST%20lamp", "/series/name", ["The Last Lamplighter (2021 - Present)"]),
            ("title=%E7%95%AA%E4%BA%BA", "/series/name", ["夜明けの番人 (2023 - Present)"]),
            ("title=se%C3%B1or", "/series/name", ["Señor Cometa (2022 - Present)"]),
            (
                "series=38000,38019", "/series/name",
                ["Harbour Watch (2024 - Present)", "Lantern Street (2023 - Present)"]
            ),
            (
                "series=38000&series=38019", "/series/name",
                ["Harbour Watch (2024 - Present)", "Lantern Street (2023 - Present)"]
            ),
            ("series=38000,x,,1", "/series/name", ["Harbour Watch (2024 - Present)"]),
            ("isbn=9780000000019", "/isbn", ["9780000000019"]), ("ean=0", "/ean", ["0"]),
            ("issn=19329000", "/issn", ["19329000"]), ("upc=75960600000012", "/upc", ["75960600000012"]),
        ])
    func filters(query: String, pointer: String, values: [String]) throws {
        let page = try askMarvel("/comics?limit=100&\(query)").json()
        let found = try page.texts(pointer)
        #expect(Set(found) == Set(values))
        #expect(found.count == (try page.number(at: "/data/count")))
    }

    @Test("true and false of a flag share the list between them")
    func flags() throws {
        func total(_ query: String) throws -> Int { try askMarvel("/comics?\(query)").json().number(at: "/data/total") }
        let all = try total("limit=1")
        #expect(try total("hasDigitalIssue=true") + total("hasDigitalIssue=false") == all)
        #expect(try total("formatType=comic") + total("formatType=collection") == all)
        #expect(try total("noVariants=false") == all)
        #expect(try total("noVariants=true") < all)
        #expect(try total("diamondCode=SEP200000") == 1)
        #expect(try total("digitalId=0") + total("hasDigitalIssue=true") == all)
    }

    @Test("people together: each of them, or all of them")
    func together() throws {
        func ids(_ query: String) throws -> Set<String> {
            Set(try allOfMarvel("/comics?\(query)").flatMap { try $0.texts("/id") })
        }
        // The two that lead Harbour Watch, and one who stays at home.
        let (first, second) = try (ids("characters=1009100"), ids("characters=1009113"))
        #expect(try ids("characters=1009100,1009113") == first.union(second))
        #expect(try ids("sharedAppearances=1009100,1009113") == first.intersection(second))
        #expect(try ids("sharedAppearances=1009100,1").isEmpty)
        #expect(try ids("characters=1").isEmpty)
        #expect(first.count > second.count && !second.isEmpty)
        let (writer, artist) = try (ids("creators=7000"), ids("creators=7011"))
        #expect(try ids("collaborators=7000,7011") == writer.intersection(artist))
        #expect(try !writer.intersection(artist).isEmpty && ids("creators=7000,7011") == writer.union(artist))
        #expect(try ids("events=301").count > 0 && ids("stories=260001") == ["118003"])
    }

    @Test(
        "an order goes up, with a minus down",
        arguments: ["focDate", "onsaleDate", "issueNumber", "modified", "title"])
    func orders(order: String) throws {
        let pointer: String
        switch order {
        case "focDate": pointer = "/dates/1/date"
        case "onsaleDate": pointer = "/dates/0/date"
        default: pointer = "/" + order
        }
        func keys(_ order: String) throws -> [String] {
            try allOfMarvel("/comics?orderBy=\(order)").flatMap { try $0.texts(pointer) }
        }
        let (up, down) = try (keys(order), keys("-" + order))
        func key(_ text: String) -> String {
            if order == "issueNumber" { return String(Int((Double(text) ?? 0) * 10) + 1_000_000) }
            if order == "title" { return text.lowercased() }
            // A year below none comes first; the time of the day isn't looked at.
            return text.hasPrefix("-") ? "" : String(text.prefix(10))
        }
        #expect(zip(up, up.dropFirst()).allSatisfy { key($0) <= key($1) })
        #expect(zip(down, down.dropFirst()).allSatisfy { key($0) >= key($1) })
        #expect(Set(up).count > 20 && up.count == down.count)
    }

    @Test("the second of two orders decides where the first doesn't")
    func twoOrders() throws {
        let page = try askMarvel("/comics?limit=100&dateDescriptor=lastWeek&orderBy=onsaleDate,-title").json()
        #expect(Set(try page.texts("/dates/0/date")).count == 1)
        let titles = try page.texts("/title").map { Array($0.lowercased().utf8) }
        #expect(zip(titles, titles.dropFirst()).allSatisfy { !$0.lexicographicallyPrecedes($1) })
        #expect(titles.first != titles.last)
    }

    @Test("without a range the dates that are none come first, newest first")
    func noDates() throws {
        let dates = try askMarvel("/comics?orderBy=-onsaleDate&limit=6").json().texts("/dates/0/date")
        #expect(dates.prefix(2).allSatisfy { $0.hasPrefix("2099-12-31T00:00:00-0500") })
        #expect(dates.last?.hasPrefix("2029-") == true)
    }

    @Test(
        "the week and the month are those of the clock",
        arguments: [
            (2024, 5, 16), (2024, 5, 12), (2024, 5, 18), (2024, 2, 29), (2023, 12, 31), (2024, 1, 1), (2026, 11, 30),
            (2038, 1, 20), (1970, 2, 1), (2400, 2, 29),
        ])
    func weeks(year: Int, month: Int, day: Int) throws {
        let today = CivilDay(year: year, month: month, day: day)
        let sample = SampleMarvel(now: { today.number * 86_400 + 3600 })
        let week = today.weekStart
        let mission = "format=comic&formatType=comic&orderBy=-onsaleDate"
        for (descriptor, range, least) in [
            ("lastWeek", week - 7...week - 1, 60), ("thisWeek", week...week + 6, 10),
            ("nextWeek", week + 7...week + 13, 10), ("thisMonth", today.month, 10),
        ] {
            let pages = try allOfMarvel("/comics?\(mission)&dateDescriptor=\(descriptor)", of: sample)
            let dates = try pages.flatMap { try $0.texts("/dates/0/date") }
            #expect(dates.count >= least, "\(descriptor)")
            #expect(dates.allSatisfy { CivilDay($0.prefix(10)).map(range.contains) == true }, "\(descriptor)")
        }
        let range = "\((week - 7).text),\((week - 1).text)"
        #expect(
            try askMarvel("/comics?\(mission)&dateRange=\(range)", of: sample).json().text(at: "/data/total")
                == askMarvel("/comics?\(mission)&dateDescriptor=lastWeek", of: sample).json().text(at: "/data/total"))
    }

    @Test("the same object changes with the week")
    func nextWeek() throws {
        let clock = Locked(thursday)
        let sample = SampleMarvel(now: { clock.withLock { $0 } })
        func first() throws -> String? {
            try askMarvel("/comics?dateDescriptor=lastWeek&noVariants=true", of: sample).json().texts("/dates/0/date")
                .first
        }
        #expect(try first() == "2024-05-08T00:00:00-0400")
        clock.withLock { $0 += 2 * 86_400 }
        #expect(try first() == "2024-05-08T00:00:00-0400")
        clock.withLock { $0 += 86_400 }
        #expect(try first() == "2024-05-15T00:00:00-0400")
        let week = "/comics?dateDescriptor=lastWeek"
        #expect(try askMarvel(week, of: sample).json().number(at: "/data/total") > 60)
        // A clock that is put back finds the week before again.
        clock.withLock { $0 -= 86_400 }
        #expect(askMarvel(week, of: sample).bytes == askMarvel(week).bytes)
    }

    @Test("variants make most of a week")
    func variants() throws {
        let query = "/comics?dateDescriptor=lastWeek&format=comic&formatType=comic"
        let all = try askMarvel(query).json().number(at: "/data/total")
        let plain = try askMarvel(query + "&noVariants=true").json().number(at: "/data/total")
        #expect(all > 3 * plain && plain > 10)
    }

    @Test("what was changed since a day, with or without a time")
    func modified() throws {
        let some = try allOfMarvel("/comics?modifiedSince=2024-04-20").flatMap { try $0.texts("/modified") }
        #expect(!some.isEmpty && some.allSatisfy { $0 >= "2024-04-20" })
        let timed = try askMarvel("/comics?modifiedSince=2024-04-20T10:00:00-0400").json()
        #expect(try timed.number(at: "/data/total") == some.count)
    }

    @Test(
        "the other kinds have filters and orders of their own",
        arguments: [
            ("characters?name=harbour%20warden", "/name", ["Harbour Warden"]),
            (
                "characters?nameStartsWith=ha&orderBy=name", "/name",
                ["Halcyon Seven", "Half-Moon Hattie", "Harbour Warden"]
            ),
            ("characters?nameStartsWith=%D0%B7&orderBy=-name", "/name", ["Зимородок"]),
            ("characters?orderBy=name&limit=2", "/name", ["Anchorite", "Bellwether Crow"]),
            ("characters?comics=118003&orderBy=-name&limit=1", "/name", ["The Purser"]),
            ("creators?lastName=quistgaard", "/fullName", ["Ada Quistgaard"]),
            ("creators?suffix=III", "/fullName", ["Otis B. Greenhalgh III"]),
            ("creators?firstNameStartsWith=jo&orderBy=lastName", "/fullName", ["Jonah Threlkeld", "José Ñandú"]),
            ("creators?middleName=J.", "/lastName", ["Marchetti"]),
            ("events?orderBy=startDate&limit=1", "/title", ["Parliament of Gulls"]),
            ("events?nameStartsWith=ember", "/title", ["Ember Winter"]),
            ("series?startYear=2019", "/title", ["Quiet Giants (2019 - 2021)"]),
            ("series?titleStartsWith=the%20l&orderBy=title", "/startYear", ["2021", "2025"]),
            ("series?title=bone", "/title", ["Bramble & Bone (2024 - 2025)"]),
            ("stories?orderBy=id&limit=2", "/id", ["260001", "260003"]),
            ("stories?comics=118003", "/type", ["cover", "interiorStory"]),
        ])
    func others(path: String, pointer: String, values: [String]) throws {
        #expect(try askMarvel("/" + path).json().texts(pointer) == values)
    }
}
