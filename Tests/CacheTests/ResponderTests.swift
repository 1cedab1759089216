import HTTP
import Testing

@testable import Cache

struct ResponderTests {
    private func told(_ text: String, _ body: String, _ code: Int = 200) -> Response {
        response(text, code, body: body)
    }

    @Test("miss, hit, stale and good, stale and changed")
    func life() async {
        let bench = Bench(
            told("Cache-Control: max-age=60\nETag: \"a\"", "one"),
            told("ETag: \"a\"\nCache-Control: max-age=60", "", 304),
            told("Cache-Control: max-age=60\nETag: \"b\"", "two"))
        #expect(await bench.ask().description == "200 one (sluice; fwd=uri-miss; fwd-status=200; ttl=60; stored)")
        bench.pass(10)
        let hit = await bench.ask()
        #expect(hit.description == "200 one (sluice; hit; ttl=50)" && hit.fields[.age] == "10")
        bench.pass(51)
        let good = await bench.ask()
        #expect(
            good.description == "200 one (sluice; fwd=stale; fwd-status=304; ttl=60; stored)"
                && good.fields[.age] == "0")
        #expect(bench.origin.requests[1].fields[.ifNoneMatch] == "\"a\"")
        bench.pass(61)
        #expect(await bench.ask().description == "200 two (sluice; fwd=stale; fwd-status=200; ttl=60; stored)")
        #expect(await bench.ask().body == "two")
        #expect(bench.origin.requests.count == 3)
        let counts = bench.shared.store.counts
        #expect(counts.hits == 2 && counts.misses == 3 && counts.revalidated == 1)
    }

    @Test("what a client's own conditions get")
    func conditions() async {
        let bench = Bench(
            told("Cache-Control: max-age=60\nETag: \"a\"", "one"), told("ETag: \"a\"", "", 304),
            told("Cache-Control: max-age=60\nETag: \"b\"", "two"))
        _ = await bench.ask()
        #expect(await bench.ask("If-None-Match: \"a\"").code == 304)
        #expect(await bench.ask("If-None-Match: \"b\"").code == 200)
        bench.pass(61)
        // A tag that only the client has isn't sent on, so the 304 is about ours, and the client gets the content.
        #expect(await bench.ask("If-None-Match: \"z\"").body == "one")
        #expect(bench.origin.requests[1].fields.values(.ifNoneMatch) == ["\"a\""])
        bench.pass(61)
        #expect(await bench.ask("If-None-Match: \"b\"").code == 304)
        #expect(await bench.ask("Range: bytes=1-").description.hasPrefix("206 wo"))
        #expect(bench.origin.requests.count == 3)
    }

    @Test("conditions and ranges for which nothing is kept go to the upstream as they are")
    func passedConditions() async {
        let bench = Bench(told("ETag: \"z\"", "", 304), told("Content-Range: bytes 0-1/9", "on", 206))
        #expect(await bench.ask("If-None-Match: \"z\"").code == 304)
        #expect(bench.origin.requests[0].fields[.ifNoneMatch] == "\"z\"")
        let part = await bench.ask("Range: bytes=0-1")
        #expect(part.code == 206 && part.body == "on" && !part.status.contains("stored"))
        #expect(bench.origin.requests[1].fields["Range"] == "bytes=0-1")
        #expect(bench.shared.store.counts.entries == 0)
    }

    @Test("a 304 about nothing that we have is asked again without conditions")
    func foreignNotModified() async {
        let bench = Bench(
            told("Cache-Control: max-age=60\nETag: \"a\"", "one"), told("ETag: \"other\"", "", 304),
            told("Cache-Control: max-age=60\nETag: \"c\"", "three"))
        _ = await bench.ask()
        bench.pass(61)
        #expect(await bench.ask().body == "three")
        #expect(bench.origin.requests[2].fields.isEmpty)
        #expect(await bench.ask().status.hasPrefix("sluice; hit"))
    }

    @Test("variants are kept side by side and the upstream may choose between them")
    func variants() async {
        let origin = ScriptedOrigin { request, turn in
            let language = request.fields["Accept-Language"] ?? "none"
            if let tags = request.fields.list(.ifNoneMatch), language == "fr", tags.contains("\"en\"") {
                return response("ETag: \"en\"\nVary: Accept-Language\nCache-Control: max-age=60", 304, body: "")
            }
            return response("ETag: \"\(language)\"\nVary: Accept-Language\nCache-Control: max-age=60", body: language)
        }
        let bench = Bench(origin)
        #expect(await bench.ask("Accept-Language: en").body == "en")
        #expect(await bench.ask("Accept-Language: de").body == "de")
        #expect(await bench.ask("Accept-Language: EN").status == "sluice; hit; ttl=60")
        let french = await bench.ask("Accept-Language: fr")
        #expect(french.body == "en" && french.status.hasPrefix("sluice; fwd=vary-miss; fwd-status=304"))
        #expect(await bench.ask("Accept-Language: fr").description == "200 en (sluice; hit; ttl=60)")
        #expect(origin.requests.count == 3)
    }

    @Test("a failure is hidden by what is kept, as long as it may be")
    func staleIfError() async {
        let origin = ScriptedOrigin { _, turn throws(GatewayError) in
            switch turn {
            case 0: return response("Cache-Control: max-age=60, stale-if-error=100", body: "one")
            case 1: return response("Cache-Control: max-age=60", 503, body: "down")
            default:
                throw GatewayError(source: .upstream("x"), code: "upstream-refused", status: .badGateway, detail: "")
            }
        }
        let bench = Bench(origin)
        _ = await bench.ask()
        bench.pass(70)
        let first = await bench.ask()
        #expect(first.description == "200 one (sluice; fwd=stale; fwd-status=503; ttl=-10; detail=stale-if-error)")
        #expect(first.fields[.age] == "70")
        #expect(await bench.ask().description == "200 one (sluice; fwd=stale; ttl=-10; detail=stale-if-error)")
        bench.pass(91)
        #expect(await bench.ask().description == "502 upstream-refused ()")
        let counts = bench.shared.store.counts
        #expect((counts.staleIfError, counts.misses, counts.stale) == (2, 2, 0) && counts.lookups == 4)
    }

    @Test("what is stale is given while it is renewed, once for all")
    func staleWhileRevalidate() async {
        let bench = Bench(
            told("Cache-Control: max-age=60, stale-while-revalidate=100\nETag: \"a\"", "one"),
            told("Cache-Control: max-age=60\nETag: \"b\"", "two"))
        _ = await bench.ask()
        bench.pass(70)
        for _ in 0..<3 { #expect(await bench.ask().description == "200 one (sluice; hit; ttl=-10)") }
        await bench.settle()
        #expect(bench.origin.requests.count == 2)
        #expect(bench.origin.requests[1].fields[.ifNoneMatch] == "\"a\"")
        #expect(await bench.ask().description == "200 two (sluice; hit; ttl=60)")
    }

    @Test("an answer that was given stale to HEAD, or in part, is renewed whole")
    func renewsWhole() async {
        for (text, method) in [("", HTTP.Method.head), ("Range: bytes=0-1\nCache-Control: foo", .get)] {
            let bench = Bench(
                told("Cache-Control: max-age=60, stale-while-revalidate=100\nETag: \"a\"", "one"),
                told("Cache-Control: max-age=60\nETag: \"b\"", "two"))
            _ = await bench.ask()
            bench.pass(70)
            _ = await bench.ask(text, method)
            await bench.settle()
            #expect(bench.origin.requests[1].method == .get)
            #expect(bench.origin.requests[1].fields == fields("If-None-Match: \"a\""))
            #expect(await bench.ask().description == "200 two (sluice; hit; ttl=60)")
        }
    }

    @Test("all that is kept of an upstream can be dropped by its tag")
    func tags() async {
        let bench = Bench(told("Cache-Control: max-age=60", "x"))
        _ = await bench.ask()
        #expect(bench.shared.invalidate(tag: "other") == 0)
        #expect(bench.shared.invalidate(tag: "origin") == 1)
        #expect(await bench.ask().status.contains("fwd=uri-miss"))
        #expect(bench.shared.invalidate { key, _ in key.text.hasPrefix("https://example.com/api/") } == 1)
    }

    @Test("what changes something drops what is kept, of the same origin only")
    func invalidates() async {
        let origin = ScriptedOrigin { request, turn in
            if request.method == .post {
                return response("Location: /api/b\nContent-Location: https://other.com/api/c", 201, body: "")
            }
            return response("Cache-Control: max-age=60", body: "\(request.target.text) \(turn)")
        }
        let bench = Bench(origin)
        for path in ["/a", "/b", "/c"] { _ = await bench.ask(path: path) }
        #expect(await bench.ask("", .post, path: "/a").status == "sluice; fwd=method; fwd-status=201")
        #expect(await bench.ask(path: "/a").body == "/a 4")
        #expect(await bench.ask(path: "/b").body == "/b 5")
        #expect(await bench.ask(path: "/c").body == "/c 2")
    }

    @Test("a change that fails drops nothing")
    func failedChange() async {
        let origin = ScriptedOrigin { request, _ in
            request.method == .get ? response("Cache-Control: max-age=60") : response("", 500)
        }
        let bench = Bench(origin)
        _ = await bench.ask()
        _ = await bench.ask("", .delete)
        #expect(await bench.ask().status.hasPrefix("sluice; hit"))
    }

    @Test("HEAD is answered from GET, and renews or outdates it")
    func head() async {
        let origin = ScriptedOrigin { request, turn in
            if request.method == .head { return response("ETag: \"\(turn)\"", body: "") }
            return response("Cache-Control: max-age=60\nETag: \"a\"", body: "one")
        }
        let bench = Bench(origin)
        _ = await bench.ask()
        #expect(await bench.ask("", .head).status == "sluice; hit; ttl=60")
        #expect(await bench.ask("Cache-Control: no-cache", .head).status.hasPrefix("sluice; fwd=request"))
        // The tag was another one: what is kept has to be asked about.
        #expect(await bench.ask().status.hasPrefix("sluice; fwd=stale"))
        #expect(origin.requests.last?.fields[.ifNoneMatch] == "\"a\"")
    }

    @Test(
        "no answer is kept of what ended too early, may not be kept, or is a part",
        arguments: [
            ("Cache-Control: no-store", 200), ("Cache-Control: private", 200),
            ("Vary: *\nCache-Control: max-age=9", 200),
            ("Cache-Control: max-age=9", 206), ("Set-Cookie: a=b", 200),
        ])
    func unkept(text: String, code: Int) async {
        let bench = Bench(told(text, "x", code))
        for _ in 0..<2 { #expect(await bench.ask().status.hasPrefix("sluice; fwd=uri-miss")) }
        #expect(bench.origin.requests.count == 2 && bench.shared.store.counts.entries == 0)
    }

    @Test("only-if-cached is refused with nothing kept, without asking anybody")
    func onlyIfCached() async {
        let bench = Bench(told("Cache-Control: max-age=9", "x"))
        let reply = await bench.ask("Cache-Control: only-if-cached")
        #expect(reply.description == "504 only-if-cached (sluice; detail=only-if-cached)")
        #expect(bench.origin.requests.isEmpty)
        _ = await bench.ask()
        #expect(await bench.ask("Cache-Control: only-if-cached").code == 200)
    }

    @Test("a field that isn't handed to the upstream changes nothing, and one that is makes another answer")
    func passedFields() async {
        var rules = CacheRules.exact
        rules.passed = ["X-Tenant"]
        let origin = ScriptedOrigin { request, turn in
            response("Cache-Control: max-age=60", body: "\(request.fields["X-Tenant"] ?? "-") \(turn)")
        }
        let bench = Bench(origin, rules: rules)
        #expect(await bench.ask("X-Tenant: a").body == "a 0")
        #expect(await bench.ask("X-Tenant: b").body == "b 1")
        #expect(await bench.ask("X-Tenant: a\nX-Other: z").body == "a 0")
        #expect(await bench.ask("X-Tenant: b").body == "b 1")
    }
}
