import HTTP
import JSON
import Testing
import Threads

@testable import Sample

@Suite("The samples and hostile queries")
struct HostileQueryTests {
    private static let names = [
        "limit", "offset", "orderBy", "dateRange", "dateDescriptor", "modifiedSince", "issueNumber", "startYear",
        "characters",
        "collaborators", "title", "format", "q", "query", "num_of_days", "num_of_results", "tp", "date", "lang", "%00",
        "",
    ]
    private static let values = [
        "1", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e308", "nan", "inf", "0x7F", "%00", "%FF%FE",
        "%",
        "%zz", "+", ",", ",,,", "-", "--", "2024-05-16,2024-05-17", "9999-12-31", "0000-01-01", "0000-00-00,9999-99-99",
        "lastWeek", "-90,1", "-90,-1e9", "90,180", "1e-400,1", "-0,-0", "%E2%80%AE", "%F0%9F%8F%94", "a", "%22%5C", "<",
        "title,-title,title", "1,2,3", "24", "fault:old", "later:bare", String(repeating: "a", count: 5000),
    ]

    /// Pairs of names and values that are the same on every run.
    private static func query(_ seed: Int) -> String {
        (0..<Int(scattered(seed) % 4) + 1).map { pair in
            let chance = scattered(seed * 8 + pair + 1)
            let name = names[Int(chance % UInt64(names.count))]
            let value = values[Int(chance >> 16 % UInt64(values.count))]
            return chance >> 40 % 9 == 0 ? name : "\(name)=\(value)"
        }.joined(separator: "&")
    }

    @Test("every query is answered with a whole document")
    func answered() throws {
        for seed in 0..<3000 {
            let query = Self.query(seed)
            let books = askMarvel("/\(MarvelKind.allCases[seed % 6].rawValue)?\(query)")
            #expect([200, 409].contains(books.status.code), "\(query)")
            #expect(throws: Never.self, "\(query)") { try books.json() }
            let route = seed % 2 == 0 ? "search.ashx" : "weather.ashx"
            let sky = askWeather("\(route)?\(query)")
            #expect([200, 429, 403].contains(sky.status.code), "\(query)")
            guard sky.fields[.contentType] == "application/json; charset=utf-8" else { continue }
            #expect(throws: Never.self, "\(query)") { try sky.json() }
        }
    }

    @Test("many threads ask at once, over the change of a week and a day")
    func threads() async {
        let clock = Locked(thursday)
        let books = SampleMarvel(now: { clock.withLock { $0 } })
        let sky = SampleWeather(now: { clock.withLock { $0 } })
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<16 {
                group.addTask { @concurrent in
                    (0..<6).allSatisfy { round in
                        if task == 0 { clock.withLock { $0 += 2 * 86_400 } }
                        let page = askMarvel(
                            "/comics?limit=20&offset=\(round)", [(.acceptEncoding, "gzip")], of: books)
                        let days = askWeather("weather.ashx?q=Hanoi&num_of_days=3&tp=\([1, 3, 6][round % 3])", of: sky)
                        return page.status == .ok && days.status == .ok
                    }
                }
            }
            for await isGood in group { #expect(isGood) }
        }
    }
}
