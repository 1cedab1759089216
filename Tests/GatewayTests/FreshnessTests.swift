import HTTP
import Plan
import Testing

@testable import Gateway

@Suite("Freshness")
struct FreshnessTests {
    /// Sun, 09 Sep 2001 01:46:40 GMT
    private let now = 1_000_000_000

    private func directives(_ fields: [(FieldName, String)], _ policy: CachePolicy? = nil) -> String {
        Freshness(Fields(fields), policy: policy, now: now).directives
    }

    @Test(
        "the upstream's own word counts, from when the answer was made",
        arguments: [
            ("max-age=60", nil, "max-age=60"), ("max-age=60", "20", "max-age=60"), ("max-age=60", "61", "max-age=60"),
            ("public, Max-Age=\"60\"", nil, "max-age=60"), ("max-age=60, s-maxage=5", nil, "max-age=5"),
            ("s-maxage=5, max-age=60", nil, "max-age=5"), ("no-store", nil, "no-store"),
            ("private, max-age=60", nil, "no-store"), ("no-cache", nil, "max-age=0"),
            ("no-cache, max-age=60", nil, "max-age=0"), ("max-age=60, no-cache", nil, "max-age=0"),
            ("max-age=x", nil, "max-age=0"), ("max-age", nil, "max-age=0"), ("max-age=-1", nil, "max-age=0"),
            ("max-age=99999999999999999999", nil, "max-age=31536000"), ("max-age=9999999999", nil, "max-age=31536000"),
            ("must-revalidate", nil, "no-cache"), ("max-age=60", "x", "max-age=60"),
        ] as [(String, String?, String)])
    func own(cacheControl: String, age: String?, expected: String) {
        var fields: [(FieldName, String)] = [(.cacheControl, cacheControl)]
        if let age { fields.append((.age, age)) }
        #expect(directives(fields) == expected)
    }

    @Test("several lines are one list")
    func lines() {
        #expect(directives([(.cacheControl, "public"), (.cacheControl, "max-age=7")]) == "max-age=7")
    }

    @Test("the contract's time counts where the upstream says nothing, or where it says so")
    func policy() {
        let policy = CachePolicy(ttl: .seconds(3600))
        #expect(directives([], policy) == "max-age=3600")
        #expect(directives([(.cacheControl, "max-age=5")], policy) == "max-age=5")
        let override = CachePolicy(ttl: .seconds(3600), override: true)
        #expect(directives([(.cacheControl, "no-store")], override) == "max-age=3600")
        #expect(directives([]) == "no-cache")
    }

    @Test(
        "what is left is never more than by RFC 9111, however old the answer says that it is",
        arguments: [
            ("Date: Sun, 09 Sep 2001 00:46:40 GMT", 3600, -3540),
            ("Date: Thu, 01 Jan 1970 00:00:00 GMT", 1_000_000_000, -999_999_940),
            ("Age: 1000", 1000, -940), ("Age: 20", 20, 40), ("Age: 99999999999999999999", 1 << 31, 60 - 1 << 31),
            ("Date: Sun, 09 Sep 2001 01:46:50 GMT", 0, 60), ("Age: x", 0, 60), ("Date: x", 0, 60),
        ] as [(String, Int, Int)])
    func age(line: String, age: Int, left: Int) throws {
        let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
        let name = try #require(FieldName(parts[0]))
        let freshness = Freshness(Fields([(.cacheControl, "max-age=60"), (name, parts[1])]), policy: nil, now: now)
        #expect(freshness.age == age)
        #expect(freshness.seconds == left)
        #expect(freshness.directives == "max-age=60")
        let ours = Freshness(Fields([(name, parts[1])]), policy: CachePolicy(ttl: .seconds(60)), now: now)
        #expect(ours.seconds == left)
    }

    @Test("Expires counts before the contract's time, and no longer than it says")
    func expires() {
        let policy = CachePolicy(ttl: .seconds(3600))
        #expect(directives([(.expires, "Sun, 09 Sep 2001 01:47:40 GMT")], policy) == "max-age=60")
        #expect(directives([(.expires, "0")], policy) == "max-age=0")
    }

    @Test(
        "what is for one client alone is forbidden to all caches, whatever the contract says",
        arguments: [("Vary", "*"), ("Vary", "Accept, *"), ("Set-Cookie", "session=S1")] as [(FieldName, String)])
    func forOne(name: FieldName, value: String) {
        let fields: [(FieldName, String)] = [(.cacheControl, "max-age=60"), (name, value)]
        #expect(directives(fields) == "no-store")
        #expect(directives(fields, CachePolicy(ttl: .seconds(3600), override: true)) == "no-store")
    }

    @Test("a part's great age doesn't make another part's life longer")
    func ages() {
        var whole = Freshness()
        whole.combine(Freshness(Fields([(.cacheControl, "max-age=9000"), (.age, "5000")]), policy: nil, now: now))
        whole.combine(Freshness(Fields([(.cacheControl, "max-age=60"), (.age, "160")]), policy: nil, now: now))
        #expect((whole.seconds, whole.age) == (-100, 5000))
        #expect(whole.directives == "max-age=4900")
    }

    @Test("together the shorter life and the stricter rule hold")
    func combination() {
        let hour = Freshness(Fields([(.cacheControl, "max-age=3600")]), policy: nil, now: now)
        let minute = Freshness(Fields([(.cacheControl, "max-age=60")]), policy: nil, now: now)
        let silent = Freshness(Fields(), policy: nil, now: now)
        let secret = Freshness(Fields([(.cacheControl, "no-store")]), policy: nil, now: now)
        func combined(_ parts: Freshness...) -> String {
            var whole = Freshness()
            for part in parts { whole.combine(part) }
            return whole.directives
        }
        #expect(combined(hour, minute) == "max-age=60")
        #expect(combined(minute, hour) == "max-age=60")
        #expect(combined(hour, silent) == "no-cache")
        #expect(combined(hour, secret, minute) == "no-store")
    }
}
