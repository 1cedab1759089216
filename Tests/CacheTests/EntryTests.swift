import HTTP
import Testing

@testable import Cache

@Suite("An answer as it goes to other machines")
struct EntryTests {
    private let now = Moment(seconds: 1_700_000_000, uptime: 5_000_000)
    private let rules = CacheRules.gateway

    private func stored(_ fields: [(FieldName, String)], request: [(FieldName, String)] = []) -> StoredAnswer? {
        StoredAnswer(
            Response(fields: Fields(fields)), content: Array("{\"n\":1}".utf8), to: Fields(request), requested: now,
            received: now,
            rules: rules, tags: ["things"])
    }

    private func understood(_ entry: [UInt8], at now: Moment) -> StoredAnswer? {
        StoredAnswer(entry: entry, rules: rules, tags: ["things"], chance: 0, at: now)
    }

    @Test("is the same answer there, as old as it is here")
    func roundTrip() throws {
        let answer = try #require(
            stored(
                [
                    ("Cache-Control", "max-age=100"), ("Age", "10"), ("ETag", "\"a\""), ("Vary", "Accept, X-Odd"),
                    ("X-Other", "b\u{E9}"),
                ],
                request: [("Accept", "text/html")]))
        let later = Moment(seconds: now.seconds + 5, uptime: now.uptime + 5000)
        let entry = try #require(answer.entry(at: later))
        // Another machine's clock that only goes on began elsewhere.
        let there = Moment(seconds: later.seconds + 7, uptime: 12)
        let read = try #require(understood(entry, at: there))
        #expect(read.status == .ok && read.content == answer.content && read.tags == ["things"])
        #expect(read.age(at: there) == 10 + 5 + 7)
        #expect(read.freshness(at: there) == (100 - 22) * 1000)
        #expect(read.fields == answer.fields)
        #expect(read.selection == answer.selection)
        #expect(read.selection.matches(Fields([("Accept", "text/html")])))
        #expect(!read.selection.matches(Fields([("Accept", "text/css")])))
    }

    @Test(
        "is as old to the millisecond, by the wall clocks of both",
        arguments: [(0, 999, 1_700), (999, 0, 2_300), (500, 400, 0), (1, 0, 9_999), (0, 1, 999)])
    func fractions(written: Int, kept: Int, passed: Int) throws {
        let here = Moment(seconds: now.seconds, fraction: written, uptime: now.uptime + kept)
        let entry = try #require(stored([("Cache-Control", "max-age=12")])?.entry(at: here))
        let there = Moment(seconds: here.seconds, fraction: written, uptime: 70).advanced(milliseconds: passed)
        let read = try #require(understood(entry, at: there))
        #expect(read.milliseconds(at: there) == kept + passed)
        #expect(read.age(at: there) == (kept + passed) / 1000)
        #expect(read.milliseconds(at: there.advanced(milliseconds: 1)) == kept + passed + 1)
    }

    @Test("a moment goes on and back by both clocks")
    func moments() {
        let moment = Moment(seconds: 10, fraction: 300, uptime: 5)
        #expect(moment.advanced(milliseconds: 700) == Moment(seconds: 11, fraction: 0, uptime: 705))
        #expect(moment.advanced(milliseconds: -301) == Moment(seconds: 9, fraction: 999, uptime: -296))
        #expect(moment.advanced(milliseconds: -2300) == Moment(seconds: 8, fraction: 0, uptime: -2295))
        #expect(moment.wallMilliseconds(since: (9, 999)) == 301 && moment.wallMilliseconds(since: (10, 301)) == 0)
        #expect(moment.wallMilliseconds(since: (11, 0)) == 0 && moment.wallMilliseconds(since: (.max, 0)) == 0)
        #expect(moment.wallMilliseconds(since: (.min, 0)) == 1000 << 31)
    }

    @Test("is as old as it was where the other clock is behind")
    func clocks() throws {
        let entry = try #require(stored([("Cache-Control", "max-age=100"), ("Age", "30")])?.entry(at: now))
        let there = Moment(seconds: now.seconds - 1000, uptime: 0)
        #expect(understood(entry, at: there)?.age(at: there) == 30)
    }

    @Test("stays here where a client's credential chose it, and where it has to be asked about each time")
    func staying() {
        #expect(stored([("Vary", "Authorization")], request: [("Authorization", "Bearer a")])?.entry(at: now) == nil)
        #expect(stored([("Vary", "Cookie")], request: [("Cookie", "a=b")])?.entry(at: now) == nil)
        #expect(stored([("Vary", "X-API-Key")], request: [("X-Api-Key", "a")])?.entry(at: now) == nil)
        #expect(stored([("Vary", "Cookie")])?.entry(at: now) != nil)
        #expect(stored([("Cache-Control", "no-cache")])?.outdated().entry(at: now) == nil)
    }

    @Test("bytes that are no entry are none, and never end the program")
    func mutations() throws {
        let entry = try #require(
            stored([("Cache-Control", "max-age=100"), ("Vary", "Accept")], request: [("Accept", "a")])?.entry(at: now))
        #expect(understood(entry, at: now) != nil)
        for count in entry.indices { #expect(understood(Array(entry[..<count]), at: now) == nil) }
        #expect(understood(entry + [0], at: now) == nil)
        for place in entry.indices {
            for value: UInt8 in [0, 1, 0x0A, 0x7F, 0x80, 0xFF] {
                var other = entry
                other[place] = value
                guard let answer = understood(other, at: now) else { continue }
                #expect(answer.age(at: now) >= 0 && answer.age(at: now) <= 1 << 31)
            }
        }
        #expect(understood([], at: now) == nil)
        #expect(understood([1] + entry.dropFirst(), at: now) == nil)
    }
}
