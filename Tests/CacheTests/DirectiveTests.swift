import HTTP
import Testing

@testable import Cache

struct DirectiveTests {
    /// Lines of Cache-Control and the lifetime that they give, nil where they give none.
    static let lifetimes: [(String, Int?)] = [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("Max-Age = 60", 0), ("max-age=\"60\"", 60), ("max-age='60'", 0),
        ("max-age=60, max-age=10", 60), ("max-age=-1", 0), ("max-age=+1", 0), ("max-age=1.5", 0), ("max-age", 0),
        ("max-age=", 0), ("max-age=abc", 0), ("max-age=60s", 0), ("max-age=60 70", 0), ("max-age=0", 0),
        ("max-age=2147483648", 1 << 31), ("max-age=2147483649", 1 << 31),
        ("max-age=99999999999999999999999999999999", 1 << 31), ("max-age=00060", 60),
        ("a=\"max-age=1\", max-age=60", 60), ("a=\"b, max-age=1\", max-age=60", 60),
        ("a=\"b\\\", max-age=1\", max-age=60", 60),
        ("a=\"b, max-age=60", 60), ("unknown, max-age=60, other=\"x\"", 60), (",, ,max-age=60,", 60),
        ("\tmax-age=60\t", 60), ("max-age=60;q=1", 0), ("max-age=60;", 0), ("s-maxage=5, max-age=60", 5),
        ("max-age=60, S-MaxAge=\"5\"", 5), ("s-maxage=x, max-age=60", 0), ("public", nil), ("", nil),
        ("maxage=60", nil),
        ("max-age:60", nil), ("max age=60", nil),
    ]

    @Test("the lifetime that directives give", arguments: lifetimes)
    func lifetime(line: String, expected: Int?) {
        let directives = ResponseDirectives(fields("Cache-Control: \(line)"))
        #expect((directives.sharedMaxAge ?? directives.maxAge) == expected)
    }

    @Test("several lines are one list, and a quote without an end spoils its own line only")
    func lines() {
        let directives = ResponseDirectives(
            fields("Cache-Control: a=\"x\nCache-Control: NO-STORE\ncache-control: max-age=5"))
        #expect(directives.noStore)
        #expect(directives.maxAge == 5)
    }

    @Test("no-cache and private are about the whole or about fields")
    func fieldLists() {
        let some = ResponseDirectives(fields("Cache-Control: no-cache=\"Set-Cookie, X-A\", private=x-b"))
        #expect(!some.noCache && !some.isPrivate)
        #expect(some.noCacheFields == ["Set-Cookie", "X-A"])
        #expect(some.privateFields == ["X-B"])
        let whole = ResponseDirectives(fields("Cache-Control: no-cache=\"\", private=\"\""))
        #expect(whole.noCache && whole.isPrivate)
        let both = ResponseDirectives(fields("Cache-Control: no-cache=\"A\", no-cache"))
        #expect(both.noCache)
    }

    @Test("an argument where none belongs doesn't weaken a directive")
    func strictness() {
        let directives = ResponseDirectives(
            fields("Cache-Control: no-store=0, must-revalidate=\"no\", proxy-revalidate=x"))
        #expect(directives.noStore && directives.mustRevalidate && directives.proxyRevalidate)
    }

    /// A targeted field, the Cache-Control beside it, and the lifetime of both.
    static let targeted: [(String, String, Int?)] = [
        ("CDN-Cache-Control: max-age=10", "max-age=60", 10), ("CDN-Cache-Control: max-age=10", "no-store", 10),
        ("CDN-Cache-Control: max-age=10;x=1, public;a", "max-age=60", 10),
        ("CDN-Cache-Control: max-age=10, max-age=20", "max-age=60", 20),
        ("CDN-Cache-Control: max-age=10\nCDN-Cache-Control: public", "max-age=60", 10),
        ("CDN-Cache-Control: max-age=\"10\"", "max-age=60", 0), ("CDN-Cache-Control: max-age=10.5", "max-age=60", 0),
        ("CDN-Cache-Control: max-age=-10", "max-age=60", 0), ("CDN-Cache-Control: max-age", "max-age=60", 0),
        ("CDN-Cache-Control: MAX-AGE=10", "max-age=60", 60), ("CDN-Cache-Control: max-age=10,", "max-age=60", 60),
        ("CDN-Cache-Control: max-age=10;", "max-age=60", 60), ("CDN-Cache-Control: max-age =10", "max-age=60", 60),
        ("CDN-Cache-Control: max-age= 10", "max-age=60", 60), ("CDN-Cache-Control: &", "max-age=60", 60),
        ("CDN-Cache-Control:", "max-age=60", 60), ("CDN-Cache-Control: max-age=1234567890123456", "max-age=60", 60),
        ("CDN-Cache-Control: max-age=123456789012345", "max-age=60", 1 << 31),
        ("CDN-Cache-Control: public", "max-age=60", nil),
        ("CDN-Cache-Control: a=(1 2 \"x\" tok);p=:YQ==:, max-age=7", "max-age=60", 7),
        ("CDN-Cache-Control: a=(1 2", "max-age=60", 60), ("CDN-Cache-Control: a=\"x", "max-age=60", 60),
        ("Sluice-Cache-Control: max-age=3\nCDN-Cache-Control: max-age=10", "max-age=60", 3),
        ("Sluice-Cache-Control: =\nCDN-Cache-Control: max-age=10", "max-age=60", 10),
        ("Other-Cache-Control: max-age=3", "max-age=60", 60),
    ]

    @Test("a sound targeted field takes the place of Cache-Control", arguments: targeted)
    func target(target: String, line: String, expected: Int?) {
        let directives = ResponseDirectives(fields("\(target)\nCache-Control: \(line)"), targets: CacheRules.targets)
        #expect(directives.maxAge == expected)
        #expect(!directives.noStore)
    }

    @Test("booleans of a targeted field")
    func booleans() {
        let directives = ResponseDirectives(
            fields("CDN-Cache-Control: no-store=?0, private=?1, no-cache=\"a, b\", must-revalidate"),
            targets: CacheRules.targets)
        #expect(!directives.noStore && directives.isPrivate && directives.mustRevalidate)
        #expect(directives.noCacheFields == ["a", "b"])
    }

    @Test("what clients ask for")
    func requests() {
        let all = RequestDirectives(
            fields(
                "Cache-Control: No-Cache, no-store, ONLY-IF-CACHED\nCache-Control: max-age=\"5\", min-fresh=3, max-stale"
            ))
        #expect(all.noCache && all.noStore && all.onlyIfCached)
        #expect(all.maxAge == 5 && all.minFresh == 3 && all.maxStale == 1 << 31)
        let broken = RequestDirectives(fields("Cache-Control: max-age=x, max-stale=x, stale-if-error=9"))
        #expect(broken.maxAge == 0 && broken.maxStale == 0 && broken.staleIfError == 9)
    }

    @Test("Pragma counts where there is no Cache-Control")
    func pragma() {
        #expect(RequestDirectives(fields("Pragma: x, No-Cache")).noCache)
        #expect(!RequestDirectives(fields("Pragma: no-cache\nCache-Control: max-age=5")).noCache)
        #expect(!RequestDirectives(fields("Pragma: other")).noCache)
    }
}
