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
        #expect(understood([2] + entry.dropFirst(), at: now) == nil)
    }
}
