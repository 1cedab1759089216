import HTTP
import Testing

@testable import Cache

struct SelectionTests {
    /// Vary, the request that was answered, another one, and whether the answer fits it.
    static let pairs: [(String, String, String, Bool)] = [
        ("Vary: Foo", "Foo: 1", "Foo: 1", true), ("Vary: Foo", "Foo: 1", "Foo: 2", false),
        ("Vary: Foo", "Foo: 1", "", false),
        ("Vary: Foo", "", "Foo: 1", false), ("Vary: Foo", "", "Bar: 1", true), ("Vary: Foo", "Foo:", "", false),
        ("Vary: FOO", "foo: 1", "Foo: 1", true), ("Vary: Foo", "Foo: a", "Foo: A", false),
        ("Vary: Foo", "Foo: 1\nFoo: 2", "Foo: 1, 2", true), ("Vary: Foo", "Foo: 1,2", "Foo: 1 , 2", true),
        ("Vary: Foo", "Foo: 1, 2", "Foo: 2, 1", false), ("Vary: Foo", "Foo: 12", "Foo: 1, 2", false),
        ("Vary: Foo", "Foo: \"1,2\"", "Foo: \"1, 2\"", false),
        ("Vary: Foo", "Foo: \"a\\\",b\"", "Foo: \"a\\\", b\"", false),
        ("Vary: Foo, Bar", "Foo: 1\nBar: 2", "Foo: 1\nBar: 2", true),
        ("Vary: Foo, Bar", "Foo: 1\nBar: 2", "Foo: 1\nBar: 3", false),
        ("Vary: Foo\nVary: Bar", "Foo: 1\nBar: 2", "Foo: 1", false), ("Vary: ,Foo,,", "Foo: 1", "Foo: 2", false),
        ("Vary: Accept-Encoding", "Accept-Encoding: gzip, br", "Accept-Encoding: BR,gzip", true),
        ("Vary: Accept-Language", "Accept-Language: EN;q=1, de", "Accept-Language: en; q=1,de", true),
        ("Vary: Accept-Language", "Accept-Language: en, de", "Accept-Language: de, en", false),
        ("Vary: User-Agent", "User-Agent: a (b, c)", "User-Agent: a (b,c)", false),
        ("X: no vary", "Foo: 1", "Foo: 2", true), ("Vary:", "Foo: 1", "Foo: 2", true),
        ("Vary: no name", "a: 1", "a: 2", true),
    ]

    @Test("which requests an answer fits", arguments: pairs)
    func matches(vary: String, first: String, second: String, expected: Bool) {
        let selection = Selection(of: fields(vary), to: fields(first))
        #expect(selection?.matches(fields(second)) == expected)
    }

    @Test("an asterisk fits no request", arguments: ["*", "Foo, *", "*, Foo", "Foo\nVary: *"])
    func asterisk(value: String) { #expect(Selection(of: fields("Vary: \(value)"), to: Fields()) == nil) }

    @Test("fields that are handed to the upstream count as if it named them")
    func passed() {
        let selection = Selection(of: fields("Vary: B"), to: fields("A: 1\nB: 2"), passed: ["a"])
        #expect(selection?.matches(fields("A: 1\nB: 2")) == true)
        #expect(selection?.matches(fields("A: 3\nB: 2")) == false)
    }

    @Test("of several that fit the latest by date is given, and of the same second the last that came")
    func latest() {
        let control = "Cache-Control: max-age=600"
        let old = stored("\(control)\nDate: \(date(-20))\nVary: Foo", to: "Foo: 1")
        let new = stored("\(control)\nDate: \(date(-10))\nVary: Bar", to: "Foo: 1")
        let other = stored("\(control)\nDate: \(date(0))\nVary: Foo", to: "Foo: 2")
        for order in [[old, new, other], [other, new, old], [new, old, other]] {
            #expect(Lookup(request("Foo: 1"), among: order, at: now, rules: .exact).selected === new)
        }
        let second = stored("\(control)\nDate: \(date(-10))\nVary: Foo", to: "Foo: 1", at: later(1))
        #expect(Lookup(request("Foo: 1"), among: [second, new], at: later(1), rules: .exact).selected === second)
    }

    @Test("one with Vary wins over one without, which isn't given where it is older than what varies")
    func forgotten() {
        func selected(_ text: String, _ variants: [StoredAnswer]) -> StoredAnswer? {
            Lookup(request(text), among: variants, at: now, rules: .exact).selected
        }
        let varying = stored("Cache-Control: max-age=600\nDate: \(date(-10))\nVary: Foo", to: "Foo: 1")
        let newer = stored("Cache-Control: max-age=600\nDate: \(date(-5))")
        let older = stored("Cache-Control: max-age=600\nDate: \(date(-15))")
        #expect(selected("Foo: 1", [varying, newer]) === varying && selected("", [varying, newer]) === newer)
        #expect(selected("Foo: 1", [older, varying]) === varying && selected("", [older, varying]) == nil)
    }
}

struct LookupTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var stored: String
        var request: String
        var age: Int
        var action: Lookup.Action
        var reason: CacheStatus.Forward?
        init(
            _ stored: String, _ request: String, _ age: Int, _ action: Lookup.Action,
            _ reason: CacheStatus.Forward? = nil
        ) {
            (self.stored, self.request, self.age, self.action, self.reason) = (stored, request, age, action, reason)
        }
        var testDescription: String { "\(stored) | \(request) | \(age) s" }
    }

    static let cases: [Case] = [
        Case("max-age=60", "", 59, .serve), Case("max-age=60", "", 60, .validate, .stale),
        Case("max-age=60, no-cache", "", 1, .validate, .stale),
        Case("s-maxage=60, max-age=1", "", 59, .serve), Case("s-maxage=1, max-age=60", "", 2, .validate, .stale),
        // The client's wishes.
        Case("max-age=60", "Cache-Control: no-cache", 1, .validate, .request),
        Case("max-age=60", "Pragma: no-cache", 1, .validate, .request),
        Case("max-age=60", "Cache-Control: no-store", 1, .serve),
        Case("max-age=60", "Cache-Control: max-age=10", 10, .serve),
        Case("max-age=60", "Cache-Control: max-age=10", 11, .validate, .request),
        Case("max-age=60", "Cache-Control: max-age=0", 0, .validate, .request),
        Case("max-age=60", "Cache-Control: max-age=100", 61, .validate, .stale),
        Case("max-age=60", "Cache-Control: min-fresh=20", 40, .serve),
        Case("max-age=60", "Cache-Control: min-fresh=20", 41, .validate, .request),
        Case("max-age=60", "Cache-Control: max-stale", 6000, .serve),
        Case("max-age=60", "Cache-Control: max-stale=10", 70, .serve),
        Case("max-age=60", "Cache-Control: max-stale=10", 71, .validate, .stale),
        Case("max-age=60", "Cache-Control: max-stale=10, max-age=65", 66, .validate, .stale),
        Case("max-age=60", "Cache-Control: max-stale=10, max-age=65", 65, .serve),
        Case("max-age=60", "Cache-Control: max-stale=10, min-fresh=1", 65, .validate, .stale),
        Case("max-age=60, must-revalidate", "Cache-Control: max-stale", 61, .validate, .stale),
        Case("max-age=60, proxy-revalidate", "Cache-Control: max-stale", 61, .validate, .stale),
        Case("s-maxage=60", "Cache-Control: max-stale", 61, .validate, .stale),
        Case("max-age=60, no-cache", "Cache-Control: max-stale", 1, .validate, .stale),
        Case("max-age=60", "Cache-Control: only-if-cached", 59, .serve),
        Case("max-age=60", "Cache-Control: only-if-cached", 61, .refuse),
        Case("max-age=60", "Cache-Control: only-if-cached, max-stale", 61, .serve),
        Case("max-age=60", "Cache-Control: only-if-cached, no-cache", 1, .refuse),
        // While it is being renewed.
        Case("max-age=60, stale-while-revalidate=30", "", 90, .serveAndRefresh),
        Case("max-age=60, stale-while-revalidate=30", "", 91, .validate, .stale),
        Case("max-age=60, stale-while-revalidate=30", "Cache-Control: max-age=100", 70, .validate, .stale),
        Case("max-age=60, stale-while-revalidate=30, must-revalidate", "", 61, .validate, .stale),
        Case("s-maxage=60, stale-while-revalidate=30", "", 70, .validate, .stale),
        Case("max-age=60, stale-while-revalidate=x", "", 61, .validate, .stale),
        // What only the origin can judge.
        Case("max-age=60", "If-Match: \"a\"", 1, .forward, .request),
        Case("max-age=60", "If-Unmodified-Since: \(date(0))", 1, .forward, .request),
        // What doesn't matter.
        Case("max-age=60", "Cache-Control: foo, max-age=\"60\"", 1, .serve),
        Case("max-age=60", "If-None-Match: \"z\"\nRange: bytes=0-1", 1, .serve),
        Case("max-age=60, immutable", "Cache-Control: no-cache", 1, .validate, .request),
    ]

    @Test("what is done with a kept answer", arguments: cases)
    func decides(_ item: Case) {
        let answer = stored("Cache-Control: \(item.stored)\nETag: \"a\"")
        let lookup = Lookup(request(item.request), among: [answer], at: later(item.age), rules: .exact)
        #expect(lookup.action == item.action)
        #expect(lookup.reason == item.reason)
    }

    @Test("without anything kept, or nothing that fits")
    func misses() {
        let none = Lookup(request(), among: [], at: now, rules: .exact)
        #expect(none.action == .forward && none.reason == .uriMiss)
        let plain = stored("Cache-Control: max-age=60\nVary: Foo", to: "Foo: 1")
        let other = Lookup(request(), among: [plain], at: now, rules: .exact)
        #expect(other.action == .forward && other.reason == .varyMiss)
        let tagged = stored("Cache-Control: max-age=60\nVary: Foo\nETag: \"a\"", to: "Foo: 1")
        #expect(Lookup(request(), among: [tagged], at: now, rules: .exact).action == .validate)
        let method = Lookup(request("", .post), among: [tagged], at: now, rules: .exact)
        #expect(method.action == .forward && method.reason == .method)
        #expect(Lookup(request("Cache-Control: only-if-cached"), among: [], at: now, rules: .exact).action == .refuse)
    }

    @Test("what can't be asked about is fetched anew")
    func withoutValidator() {
        let answer = stored("Cache-Control: max-age=60")
        let lookup = Lookup(request(), among: [answer], at: later(61), rules: .exact)
        #expect(lookup.action == .forward && lookup.reason == .stale && lookup.selected === answer)
    }

    @Test("HEAD is answered from what is kept for GET")
    func head() {
        let answer = stored("Cache-Control: max-age=60")
        #expect(Lookup(request("", .head), among: [answer], at: now, rules: .exact).action == .serve)
    }

    @Test("a request with credentials gets what is for all")
    func credentials() {
        let closed = stored("Cache-Control: max-age=60")
        let open = stored("Cache-Control: max-age=60, public")
        let asking = request("Authorization: x")
        #expect(Lookup(asking, among: [closed], at: now, rules: .exact).selected == nil)
        #expect(Lookup(asking, among: [open], at: now, rules: .exact).action == .serve)
    }

    @Test("where clients aren't obeyed their directives change nothing")
    func disobedient() {
        var rules = CacheRules.exact
        rules.obeysClients = false
        let answer = stored("Cache-Control: max-age=60", rules: rules)
        #expect(Lookup(request("Cache-Control: no-cache"), among: [answer], at: now, rules: rules).action == .serve)
        #expect(Lookup(request("Pragma: no-cache"), among: [answer], at: now, rules: rules).action == .serve)
    }

    /// Cache-Control, the client's, the age, and whether it stands in for a failure.
    static let failures: [(String, String, Int, Bool)] = [
        ("max-age=60, stale-if-error=30", "", 90, true), ("max-age=60, stale-if-error=30", "", 91, false),
        ("max-age=60", "", 61, false), ("max-age=60", "Cache-Control: stale-if-error=10", 70, true),
        ("max-age=60", "Cache-Control: stale-if-error=10", 71, false),
        ("max-age=60, stale-if-error=30, must-revalidate", "", 61, false),
        ("max-age=60, stale-if-error=30, proxy-revalidate", "", 61, false),
        ("max-age=60, stale-if-error=30, no-cache", "", 1, false), ("s-maxage=60, stale-if-error=30", "", 70, false),
        ("s-maxage=60", "Cache-Control: stale-if-error=30", 70, false),
        ("max-age=60, stale-if-error=30", "Cache-Control: no-cache", 70, false),
        ("max-age=60, must-revalidate", "Cache-Control: max-age=0", 1, false),
        ("max-age=60", "Cache-Control: max-age=0", 1, true),
    ]

    @Test("what stands in for a failure", arguments: failures)
    func standsIn(line: String, client: String, age: Int, expected: Bool) {
        let answer = stored("Cache-Control: \(line)\nETag: \"a\"")
        #expect(Lookup.mayServe(answer, onErrorOf: request(client), at: later(age), rules: .exact) == expected)
    }

    @Test("where nobody answers, what nothing forbids stands in for as long as the rules say")
    func unreachable() {
        var rules = CacheRules.exact
        rules.staleIfUnreachable = 100
        func standsIn(_ line: String, _ age: Int) -> Bool {
            Lookup.mayServe(
                stored("Cache-Control: \(line)"), onErrorOf: request(), isUnreachable: true, at: later(age),
                rules: rules)
        }
        #expect(standsIn("max-age=60", 160) && !standsIn("max-age=60", 161))
        #expect(!standsIn("max-age=60, stale-if-error=5", 66) && !standsIn("s-maxage=60", 61))
        #expect(!standsIn("max-age=60, must-revalidate", 61))
    }

    @Test("who composes answers takes the upstream's word for a longer use beside s-maxage")
    func composing() {
        var rules = CacheRules.gateway
        rules.jitter = 0
        let answer = stored("Cache-Control: s-maxage=60, stale-while-revalidate=30, stale-if-error=30", rules: rules)
        #expect(Lookup(request(), among: [answer], at: later(70), rules: rules).action == .serveAndRefresh)
        #expect(Lookup.mayServe(answer, onErrorOf: request(), at: later(70), rules: rules))
    }

    @Test("the contract's windows count where the upstream gives none and forbids nothing")
    func contract() {
        var rules = CacheRules.exact
        rules.staleIfError = 100
        rules.staleWhileRevalidate = 50
        func action(_ line: String, _ age: Int) -> Lookup.Action {
            Lookup(request(), among: [stored("Cache-Control: \(line)", rules: rules)], at: later(age), rules: rules)
                .action
        }
        func standsIn(_ line: String, _ age: Int) -> Bool {
            Lookup.mayServe(
                stored("Cache-Control: \(line)", rules: rules), onErrorOf: request(), at: later(age), rules: rules)
        }
        #expect(action("max-age=60", 110) == .serveAndRefresh)
        #expect(action("max-age=60, stale-while-revalidate=0", 61) == .forward)
        #expect(action("s-maxage=60", 61) == .forward)
        #expect(standsIn("max-age=60", 160))
        #expect(!standsIn("max-age=60", 161))
        #expect(!standsIn("s-maxage=60", 61))
        rules.overrides = true
        rules.lifetime = 60
        #expect(action("must-revalidate, max-age=1", 110) == .serveAndRefresh)
        #expect(standsIn("no-store", 160))
    }

    @Test("which statuses are failures")
    func errors() {
        let codes = (100...599).filter { Status(code: $0).map(Lookup.isError) ?? false }
        #expect(codes == [500, 502, 503, 504])
    }
}
