import HTTP
import Plan
import Testing

@testable import Gateway

@Suite("Freshness")
struct FreshnessTests {
    private func directives(_ fields: [(FieldName, String)], _ policy: CachePolicy? = nil) -> String {
        Freshness(Fields(fields), policy: policy).directives
    }

    @Test(
        "the upstream's own word counts, less its age",
        arguments: [
            ("max-age=60", nil, "max-age=60"), ("max-age=60", "20", "max-age=40"), ("max-age=60", "61", "max-age=0"),
            ("public, Max-Age=\"60\"", nil, "max-age=60"), ("max-age=60, s-maxage=5", nil, "max-age=5"),
            ("s-maxage=5, max-age=60", nil, "max-age=5"), ("no-store", nil, "no-store"),
            ("private, max-age=60", nil, "no-store"), ("no-cache", nil, "max-age=0"),
            ("no-cache, max-age=60", nil, "max-age=0"), ("max-age=60, no-cache", nil, "max-age=0"),
            ("max-age=x", nil, "max-age=0"), ("max-age", nil, "max-age=0"), ("max-age=-1", nil, "max-age=0"),
            ("max-age=99999999999999999999", nil, "max-age=0"), ("max-age=9999999999", nil, "max-age=31536000"),
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

    @Test("together the shorter life and the stricter rule hold")
    func combination() {
        let hour = Freshness(Fields([(.cacheControl, "max-age=3600")]), policy: nil)
        let minute = Freshness(Fields([(.cacheControl, "max-age=60")]), policy: nil)
        let silent = Freshness(Fields(), policy: nil)
        let secret = Freshness(Fields([(.cacheControl, "no-store")]), policy: nil)
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
