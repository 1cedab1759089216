import HTTP
import Testing

@testable import Cache

/// Whatever stands in fields, nothing traps and every answer keeps its promises.
struct HostileTests {
    private static let seeds = [
        "max-age=60, no-cache=\"a, b\", private", "CDN=1;a=\"b\", c=(1 2);q, d=:YQ==:", "Sun, 06 Nov 1994 08:49:37 GMT",
        "\"a\", W/\"b\", *",
        "bytes=0-5, 7-, -3", "https://example.com:443/a/../b?c#d", "gzip;q=0.5, br", "99999999999999999999", "",
    ]

    private func mutated(_ random: inout SplitMix) -> String {
        var bytes = Array((Self.seeds.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.insert(UInt8.random(in: 1...255, using: &random), at: place)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2 where place < bytes.count:
                bytes[place] = [0x22, 0x2C, 0x3D, 0x5C, 0x2D, 0x39, 0x2A, 0xFF].randomElement(using: &random) ?? 0
            default: bytes.insert(contentsOf: Array((Self.seeds.randomElement(using: &random) ?? "").utf8), at: place)
            }
        }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private func mutatedFields(_ names: [FieldName], _ random: inout SplitMix) -> Fields {
        var fields = Fields()
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            fields.append(names.randomElement(using: &random) ?? "X", mutated(&random))
        }
        return fields
    }

    private static let ofAnswers: [FieldName] = [
        .cacheControl, "CDN-Cache-Control", .expires, .date, .age, .vary, .etag, .lastModified, "Set-Cookie",
        .connection, .location,
    ]
    private static let ofRequests: [FieldName] = [
        .cacheControl, "Pragma", .ifNoneMatch, .ifModifiedSince, "If-Match", "If-Range", "Range", .acceptEncoding,
        .authorization, "Foo",
    ]

    @Test("thousands of exchanges of mutated fields")
    func mutations() {
        var random = SplitMix(state: 2026)
        let codes = [200, 200, 200, 206, 301, 304, 404, 503]
        for _ in 0..<5000 {
            var asking = request()
            asking.fields = mutatedFields(Self.ofRequests, &random)
            let code = codes.randomElement(using: &random) ?? 200
            let said = Response(status: Status(code: code) ?? .ok, fields: mutatedFields(Self.ofAnswers, &random))
            let rules = Bool.random(using: &random) ? CacheRules.mirror : .gateway
            let moment = later(Int.random(in: -100...100_000, using: &random))
            guard
                let answer = StoredAnswer(
                    said, content: Array("0123456789".utf8), to: asking.fields, requested: now, received: now,
                    rules: rules,
                    chance: Double.random(in: -1...1, using: &random))
            else { continue }
            #expect(answer.selection.matches(asking.fields))
            #expect((0...1 << 31).contains(answer.age(at: moment)))
            let lookup = Lookup(asking, among: [answer], at: moment, rules: rules)
            let isServed = lookup.action == .serve || lookup.action == .serveAndRefresh
            #expect(!isServed || lookup.selected === answer)
            let given = answer.response(to: asking, at: moment, status: answer.hitStatus(at: moment))
            #expect([code, 304, 206, 416].contains(Int(given.status.code)))
            _ = Storability(of: said, to: asking, received: now, rules: rules)
            _ = Lookup.mayServe(answer, onErrorOf: asking, at: moment, rules: rules)
            let validation = Validation(lookup, among: [answer])
            _ = validation.fields(for: asking.fields)
            let renewed = validation.renewal(
                by: Response(status: .notModified, fields: mutatedFields(Self.ofAnswers, &random)), for: asking,
                requested: now,
                received: moment, rules: rules)
            #expect(renewed.map { $0.answer.content == answer.content } ?? true)
            let url = CacheURL(scheme: "https", authority: "example.com", target: "/a")
            for target in Invalidation.targets(of: .post, url, answeredWith: said) {
                #expect(target.origin == url.origin)
            }
        }
    }

    @Test("a stale answer is never given without leave")
    func staleness() {
        var random = SplitMix(state: 7)
        for _ in 0..<5000 {
            let answer = stored(
                "Cache-Control: max-age=\(Int.random(in: 0...50, using: &random))\nX: \(mutated(&random))")
            let moment = later(Int.random(in: 0...100, using: &random))
            let lookup = Lookup(request(), among: [answer], at: moment, rules: .exact)
            #expect((lookup.action == .serve) == (answer.freshness(at: moment) > 0))
        }
    }

    @Test("what isn't in the key and not in Vary changes neither the upstream's request nor the answer")
    func completeKey() async {
        var random = SplitMix(state: 99)
        // The upstream shows what it was asked, and a mirror hands everything on: so what it sees of unnamed fields is the first client's.
        let origin = ScriptedOrigin { request, _ in
            response(
                "Cache-Control: max-age=60\nVary: Foo", body: "\(request.target.text) \(request.fields["Foo"] ?? "-")")
        }
        let bench = Bench(origin)
        for _ in 0..<2000 {
            let foo = Int.random(in: 0..<4, using: &random)
            let path = "/\(Int.random(in: 0..<4, using: &random))"
            let noise = "X-\(Int.random(in: 0..<99, using: &random)): \(Int.random(in: 0..<99, using: &random))"
            let reply = await bench.ask("Foo: \(foo)\n\(noise)\nCookie: \(noise)", path: path)
            #expect(reply.body == "\(path) \(foo)")
        }
        #expect(origin.requests.count == 16)
    }
}
