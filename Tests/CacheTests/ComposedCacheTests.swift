import HTTP
import Testing
import Threads

@testable import Cache

struct ComposedCacheTests {
    private let shared = SharedCache(store: CacheStore(capacity: 4 << 20))
    private let time = Locked(now)
    private let partKey = CacheKey(CacheURL(scheme: "https", authority: "a", target: "/part"))
    private let key = CacheKey(.composed, "route")

    private var cache: ComposedCache {
        ComposedCache(
            shared,
            host: CacheHost(
                clock: { [time] in time.withLock { $0 } }, spawn: { _ in }, alarm: { _, _ in Nothing() }))
    }

    private final class Nothing {}

    /// A part that is kept, and what is composed of it: `life` seconds from now on.
    private func part(_ text: String = "Cache-Control: max-age=60", body: String = "part", at moment: Moment = now)
        -> StoredAnswer
    {
        let part = stored(text, body: body, at: moment, tags: ["https://a/part"])
        shared.store.insert(part, for: partKey)
        return part
    }

    private func composed(of part: StoredAnswer, directives: String? = nil) -> StoredAnswer {
        let form = Composition.Form(coding: nil, fields: fields("ETag: \"e\""), content: Array("whole".utf8))
        return StoredAnswer(
            composed: .ok,
            Composition(
                forms: [form], parts: [Composition.Part(part, at: partKey)], grace: ", stale-if-error=5",
                directives: directives),
            selection: Selection(passed: [], of: Fields()), made: now, age: part.milliseconds(at: now),
            life: part.freshness(at: now), tags: part.tags)
    }

    private func pass(_ seconds: Int) { time.withLock { $0 = $0.advanced(milliseconds: seconds * 1000) } }

    private func found(_ text: String = "") -> StoredAnswer? {
        cache.find(key, for: fields(text), at: cache.now)
    }

    @Test("it is given while it is fresh, with the age of its oldest part")
    func fresh() throws {
        let answer = composed(of: part("Cache-Control: max-age=60\nAge: 20"))
        #expect(cache.keep(answer, key, since: cache.mark))
        pass(39)
        let found = try #require(self.found())
        #expect(found.age(at: cache.now) == 59)
        #expect(found.hitStatus(at: cache.now).text == "sluice; hit; ttl=1")
        #expect(found.directivesForClients == "max-age=60, stale-if-error=5")
        pass(1)
        #expect(self.found() == nil)
    }

    @Test("it lives on with parts that were renewed unchanged")
    func extended() throws {
        cache.keep(composed(of: part()), key, since: cache.mark)
        pass(60)
        let renewed = part(at: cache.now)
        #expect(renewed.version == part().version)
        shared.store.insert(renewed, for: partKey)
        let found = try #require(self.found())
        #expect(found.age(at: cache.now) == 0 && found.freshness(at: cache.now) == 60_000)
        pass(59)
        #expect(self.found() != nil)
    }

    @Test("it doesn't where clients were told another life, or a part has changed, is gone or must be asked about")
    func notExtended() {
        for (directives, text, body) in [
            ("max-age=1", "Cache-Control: max-age=60", "part"), (nil, "Cache-Control: max-age=60", "other"),
            (nil, "Cache-Control: max-age=0", "part"), (nil, "Cache-Control: no-cache\nETag: \"a\"", "part"),
        ] {
            let bench = ComposedCacheTests()
            bench.cache.keep(
                bench.composed(of: bench.part(), directives: directives), bench.key, since: bench.cache.mark)
            bench.pass(60)
            _ = bench.part(text, body: body, at: bench.cache.now)
            #expect(bench.found() == nil, "\(directives ?? "") \(text) \(body)")
        }
        cache.keep(composed(of: part()), key, since: cache.mark)
        pass(60)
        shared.store.remove(partKey)
        #expect(found() == nil)
    }

    @Test(
        "a client that wants a newer one doesn't get it",
        arguments: [
            ("", true), ("Cache-Control: no-cache", false), ("Pragma: no-cache", false),
            ("Cache-Control: max-age=0", false), ("Cache-Control: max-age=9", false),
            ("Cache-Control: max-age=10", true), ("Cache-Control: min-fresh=51", false),
            ("Cache-Control: min-fresh=50", true), ("Cache-Control: only-if-cached", true),
            ("Cache-Control: no-store", true), ("Cache-Control: max-stale=100", true),
        ])
    func wishes(text: String, isGiven: Bool) {
        cache.keep(composed(of: part()), key, since: cache.mark)
        pass(10)
        #expect((found(text) != nil) == isGiven)
    }

    @Test("what was purged, or has changed, while it was composed is not kept")
    func outdated() {
        let mark = cache.mark
        let answer = composed(of: part())
        shared.invalidate(tag: "anything")
        #expect(!cache.keep(answer, key, since: mark) && found() == nil)
        _ = part(body: "other")
        #expect(!cache.keep(answer, key, since: cache.mark) && found() == nil)
        _ = part()
        #expect(cache.keep(answer, key, since: cache.mark) && found() != nil)
    }

    @Test("a part with another content drops what was composed of it, one with the same doesn't")
    func changed() {
        let url = CacheURL(scheme: "https", authority: "a", target: "/part")
        cache.keep(composed(of: part()), key, since: cache.mark)
        let same = stored("Cache-Control: max-age=90", body: "part", tags: ["https://a/part"])
        #expect(shared.keep(same, partKey, url, since: shared.store.mark(of: partKey)))
        #expect(found() != nil)
        let variant = stored("Cache-Control: max-age=90\nVary: Foo", body: "other", tags: ["https://a/part"])
        #expect(shared.keep(variant, partKey, url, since: shared.store.mark(of: partKey)))
        #expect(found() != nil)
        let other = stored("Cache-Control: max-age=90", body: "other", tags: ["https://a/part"])
        #expect(shared.keep(other, partKey, url, since: shared.store.mark(of: partKey)))
        #expect(found() == nil)
    }

    @Test("a form in another coding is kept with the answer, and counted")
    func forms() throws {
        let answer = composed(of: part())
        cache.keep(answer, key, since: cache.mark)
        let before = shared.store.counts.bytes
        let form = Composition.Form(coding: "gzip", fields: Fields(), content: [UInt8](repeating: 1, count: 1000))
        cache.add(form, to: try #require(found()), key)
        #expect(found()?.form("gzip")?.content.count == 1000)
        #expect(found()?.form(nil)?.content.count == 5)
        #expect(shared.store.counts.bytes > before + 1000)
        #expect(cache.form("gzip", of: answer, key)?.content.count == 1000)
        #expect(cache.form("br", of: answer, key) == nil)
        // Somebody else's was first: this one is for its own client alone.
        cache.add(Composition.Form(coding: "br", fields: Fields(), content: []), to: answer, key)
        #expect(found()?.form("br") == nil)
    }
}
