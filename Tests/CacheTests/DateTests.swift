import HTTP
import Testing

@testable import Cache

struct DateTests {
    static let dates: [(String, Int?)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 06 08:49:37 1994", 784_111_777),
        // Without regard to case; the day of the week isn't checked, but has to be one.
        ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777), ("SUN, 06 NOV 1994 08:49:37 GMT", 784_111_777),
        ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Xyz, 06 Nov 1994 08:49:37 GMT", nil),
        ("06 Nov 1994 08:49:37 GMT", nil),
        // Years of two digits are never more than 50 years ahead of 2023.
        ("Thursday, 06-Nov-73 08:49:37 GMT", 3_277_183_777), ("Thursday, 06-Nov-74 08:49:37 GMT", 152_959_777),
        // No dates at all.
        ("0", nil), ("-1", nil), ("", nil), ("now", nil), ("Sun, 06 Nov 94 08:49:37 GMT", nil),
        ("Sun, 6 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 8:49:37 GMT", nil),
        ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 08:49:37 +0000", nil),
        ("Sun, 06 Nov 1994 08:49:37", nil), ("Sun,  06 Nov 1994 08:49:37 GMT", nil),
        ("Sun, 06-Nov-1994 08:49:37 GMT", nil), ("Sun, 06-Nov-94 08:49:37 GMT", nil),
        ("Sun 06 Nov 1994 08:49:37 GMT", nil), ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
        ("Sun, 06 Nov 1994 24:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:60:37 GMT", nil),
        ("Sun, 06 Nov 1994 08.49.37 GMT", nil), ("1994-11-06T08:49:37Z", nil), ("784111777", nil),
        // The far past and future, and a leap day and second.
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Fri, 29 Feb 1900 00:00:00 GMT", nil), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ]

    @Test("dates as a cache reads them", arguments: dates)
    func reads(text: String, expected: Int?) {
        #expect(CacheDate.seconds(text, now: now.seconds) == expected)
    }

    @Test("each day of 400 years is read as it is written")
    func everyDay() {
        for day in stride(from: 0, through: 146_097, by: 1) {
            let seconds = day * 86_400 + day % 86_400
            guard CacheDate.seconds(HTTPDate.text(seconds), now: now.seconds) != seconds else { continue }
            Issue.record("\(HTTPDate.text(seconds))")
            return
        }
    }
}

struct LifetimeTests {
    /// Fields of an answer that was made now, its lifetime and who says it.
    static let lifetimes: [(String, Int, Lifetime.Source)] = [
        ("Cache-Control: max-age=60\nExpires: \(date(10))", 60, .maxAge),
        ("Cache-Control: s-maxage=9, max-age=60", 9, .sharedMaxAge), ("Expires: \(date(10))", 10, .expires),
        ("Expires: \(date(10))\nDate: \(date(-20))", 30, .expires), ("Expires: \(date(-10))", 0, .expires),
        ("Expires: 0", 0, .expires), ("Expires: soon\nLast-Modified: \(date(-1000))", 0, .expires),
        ("Expires: \(date(10))\nExpires: \(date(90))", 10, .expires),
        ("Expires: \(date(10)), \(date(90))", 0, .expires),
        ("Expires: \(date(10))\nDate: yesterday", 10, .expires),
        ("Cache-Control: max-age=x\nExpires: \(date(10))", 0, .maxAge),
        ("Expires: Fri, 31 Dec 9999 23:59:59 GMT", 1 << 31, .expires),
        ("CDN-Cache-Control: public\nExpires: \(date(10))", 0, .none),
        ("Last-Modified: \(date(-1000))", 100, .guess), ("Last-Modified: \(date(-10_000_000))", 86_400, .guess),
        ("Last-Modified: \(date(1000))", 0, .guess), ("Last-Modified: 0", 0, .none), ("X: y", 0, .none),
        ("Cache-Control: public\nLast-Modified: \(date(-1000))", 100, .guess),
    ]

    @Test("how long an answer lives, and on whose word", arguments: lifetimes)
    func lifetime(text: String, seconds: Int, source: Lifetime.Source) {
        let lifetime = stored(text).lifetime
        #expect(lifetime.seconds == seconds)
        #expect(lifetime.source == source)
    }

    @Test(
        "only some statuses are given a life by guessing",
        arguments: [
            (200, true), (203, true), (204, true), (300, true), (301, true), (308, true), (404, true), (405, true),
            (410, true),
            (414, true), (501, true), (201, false), (302, false), (307, false), (403, false), (500, false),
            (503, false), (599, false),
        ])
    func guesses(code: Int, isGuessed: Bool) {
        #expect(stored("Last-Modified: \(date(-1000))", code).lifetime.source == (isGuessed ? .guess : .none))
        #expect(stored("Last-Modified: \(date(-1000))\nCache-Control: public", code).lifetime.source == .guess)
    }

    @Test("the contract's life counts where the upstream says nothing, and wins where it is told to")
    func contract() {
        var rules = CacheRules.exact
        rules.lifetime = 500
        #expect(stored("Last-Modified: \(date(-1000))", rules: rules).lifetime.source == .contract)
        #expect(stored("Cache-Control: max-age=5", rules: rules).lifetime.seconds == 5)
        #expect(stored("X: y", 302, rules: rules).lifetime.seconds == 0)
        rules.overrides = true
        #expect(stored("Cache-Control: max-age=5", rules: rules).lifetime.seconds == 500)
        #expect(storability("Cache-Control: no-store, private", rules: rules) == .storable)
    }

    @Test("404 and 410 live for seconds in a gateway")
    func negative() {
        var rules = CacheRules.gateway
        rules.lifetime = 500
        #expect(stored("X: y", 404, rules: rules).lifetime == Lifetime.seconds(10, .negative))
        #expect(stored("Cache-Control: max-age=60", 410, rules: rules).lifetime.seconds == 10)
        #expect(stored("Cache-Control: max-age=3", 404, rules: rules).lifetime.seconds == 3)
        rules.overrides = true
        #expect(stored("X: y", 404, rules: rules).lifetime.seconds == 10)
    }

    @Test("chance takes up to a tenth of what is left, and adds to it only where the life is our own choice")
    func jitter() {
        func life(_ text: String, _ chance: Double) -> Int {
            StoredAnswer(
                response(text), content: [], to: Fields(), requested: now, received: now, rules: .gateway,
                chance: chance
            )?
            .freshness(at: now) ?? -1
        }
        for chance in [-1.0, 1.0] { #expect(life("Cache-Control: max-age=100", chance) == 90_000) }
        #expect(life("Cache-Control: max-age=100\nAge: 50", 1) == 45_000)
        #expect(life("Last-Modified: \(date(-1000))", 1) == 110_000)
        #expect(life("Last-Modified: \(date(-1000))", -1) == 90_000)
        #expect(life("Cache-Control: max-age=100\nAge: 150", 1) == -50_000)
        #expect(life("Cache-Control: max-age=100", 77) == 90_000)
        #expect(life("Cache-Control: max-age=9", 1) == 9000 && life("Cache-Control: max-age=1", 1) == 1000)
    }

    @Test("on a mirror chance leaves what the upstream said")
    func exact() {
        let answer = StoredAnswer(
            response("Cache-Control: max-age=100"), content: [], to: Fields(), requested: now, received: now,
            rules: .mirror, chance: 1)
        #expect(answer?.freshness(at: now) == 100_000)
    }

    /// Fields, and the age on arrival after a request that took two seconds.
    static let ages: [(String, Int)] = [
        ("X: y", 2), ("Age: 10", 12), ("Age: 10, 20", 12), ("Age: 10\nAge: 20", 12), ("Age: -5", 2), ("Age: 5.5", 2),
        ("Age: \"5\"", 2), ("Age: five", 2), ("Age: 99999999999999999999999", 1 << 31), ("Age:", 2),
        ("Date: \(date(-30))", 30), ("Date: \(date(-30))\nAge: 50", 52), ("Date: \(date(30))", 2),
        ("Date: nonsense\nAge: 7", 9),
        ("Date: Mon, 01 Jan 0001 00:00:00 GMT", 1 << 31),
    ]

    @Test("how old an answer is when it comes", arguments: ages)
    func age(text: String, expected: Int) {
        #expect(
            Age.initial(fields(text), requested: now.advanced(milliseconds: -2000), received: now) == expected * 1000)
    }

    @Test("age counts on by the steady clock, whatever the wall clock does")
    func steady() {
        let answer = stored("Cache-Control: max-age=60\nAge: 10")
        #expect(answer.age(at: later(20)) == 30)
        #expect(answer.age(at: Moment(seconds: 0, uptime: now.uptime + 20_000)) == 30)
        #expect(answer.age(at: Moment(seconds: now.seconds, uptime: 0)) == 10)
        #expect(answer.age(at: Moment(seconds: now.seconds, uptime: .max)) == 1 << 31)
        #expect(answer.freshness(at: later(50)) == 0)
    }
}

extension Lifetime {
    static func seconds(_ seconds: Int, _ source: Source) -> Lifetime {
        var lifetime = stored("X: y", 404, rules: .gateway).lifetime
        lifetime.seconds = seconds
        lifetime.source = source
        return lifetime
    }
}
