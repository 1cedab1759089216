import HTTP
import Testing

@testable import Cache

struct ReuseTests {
    /// Fields of a client, and the status that they get of an answer with tag "a" that changed 50 seconds ago: from a cache, from an origin.
    static let conditions: [(String, Int, Int)] = [
        ("", 200, 200), ("If-None-Match: \"a\"", 304, 304), ("If-None-Match: W/\"a\"", 304, 304),
        ("If-None-Match: \"b\"", 200, 200), ("If-None-Match: \"b\", \"a\"", 304, 304),
        ("If-None-Match: \"b\"\nIf-None-Match: \"a\"", 304, 304),
        ("If-None-Match: *", 304, 304), ("If-None-Match: \"x,\", \"a\"", 304, 304),
        ("If-None-Match: \"x, \"a\"", 200, 200),
        ("If-None-Match: a", 200, 200), ("If-None-Match: 'a'", 200, 200), ("If-None-Match:", 200, 200),
        ("If-None-Match: \"A\"", 200, 200), ("If-None-Match: w/\"a\"", 200, 200),
        ("If-Modified-Since: \(date(-50))", 304, 304), ("If-Modified-Since: \(date(-49))", 304, 304),
        ("If-Modified-Since: \(date(-51))", 200, 200), ("If-Modified-Since: yesterday", 200, 200),
        ("If-Modified-Since: \(date(-50).lowercased())", 304, 304),
        // The tag wins over the date.
        ("If-None-Match: \"b\"\nIf-Modified-Since: \(date(0))", 200, 200),
        ("If-None-Match: \"a\"\nIf-Modified-Since: \(date(-99))", 304, 304),
        // Only the origin judges these.
        ("If-Match: \"a\"", 200, 200), ("If-Match: \"b\"", 200, 412), ("If-Match: W/\"a\"", 200, 412),
        ("If-Match: *", 200, 200),
        ("If-Unmodified-Since: \(date(-50))", 200, 200), ("If-Unmodified-Since: \(date(-51))", 200, 412),
        ("If-Unmodified-Since: x", 200, 200), ("If-Match: \"a\"\nIf-Unmodified-Since: \(date(-99))", 200, 200),
        ("If-Match: \"b\"\nIf-None-Match: \"a\"", 304, 412),
    ]

    private let answer = stored(
        """
        Cache-Control: max-age=60
        ETag: "a"
        Last-Modified: \(date(-50))
        Content-Type: text/plain
        Vary: Foo
        X-A: b
        """, body: "0123456789")

    @Test("conditions of clients", arguments: conditions)
    func condition(text: String, cache: Int, origin: Int) {
        for method in [HTTP.Method.get, .head] {
            let asking = request(text, method)
            #expect(answer.response(to: asking, at: now, status: nil).status.code == cache)
            #expect(answer.response(to: asking, at: now, status: nil, role: .origin).status.code == origin)
        }
    }

    @Test("what a 304 says")
    func notModified() {
        let response = answer.response(
            to: request("If-None-Match: \"a\""), at: later(7), status: answer.hitStatus(at: later(7)))
        #expect(response.body.isEmpty)
        #expect(response.fields[.etag] == "\"a\"" && response.fields[.vary] == "Foo")
        #expect(response.fields[.cacheControl] == "max-age=60" && response.fields[.date] == date(0))
        #expect(response.fields[.age] == "7" && response.fields[.cacheStatus] == "sluice; hit; ttl=53")
        #expect(response.fields[.contentType] == nil)
    }

    @Test("conditions mean nothing where the answer is no success")
    func otherStatuses() {
        let missing = stored("Cache-Control: max-age=60\nETag: \"a\"", 404)
        #expect(missing.response(to: request("If-None-Match: \"a\""), at: now, status: nil).status == .notFound)
        #expect(
            missing.response(to: request("If-Match: \"b\""), at: now, status: nil, role: .origin).status == .notFound)
        #expect(missing.response(to: request("Range: bytes=0-1"), at: now, status: nil).status == .notFound)
    }

    @Test("without a last change the date is compared")
    func byDate() {
        let plain = stored("Cache-Control: max-age=60\nDate: \(date(-5))")
        #expect(
            plain.response(to: request("If-Modified-Since: \(date(-5))"), at: now, status: nil).status == .notModified)
        #expect(plain.response(to: request("If-Modified-Since: \(date(-6))"), at: now, status: nil).status == .ok)
    }

    /// A range of ten bytes, what comes, and its Content-Range.
    static let ranges: [(String, Int, String, String?)] = [
        ("bytes=0-0", 206, "0", "bytes 0-0/10"), ("bytes=2-4", 206, "234", "bytes 2-4/10"),
        ("bytes=7-", 206, "789", "bytes 7-9/10"),
        ("bytes=-3", 206, "789", "bytes 7-9/10"), ("bytes=-30", 206, "0123456789", "bytes 0-9/10"),
        ("bytes=5-99", 206, "56789", "bytes 5-9/10"), ("BYTES=2-4", 206, "234", "bytes 2-4/10"),
        ("bytes= 2-4 ", 206, "234", "bytes 2-4/10"), ("bytes=2-4,", 206, "234", "bytes 2-4/10"),
        ("bytes=002-4", 206, "234", "bytes 2-4/10"),
        ("bytes=0-99999999999999999999999999", 206, "0123456789", "bytes 0-9/10"),
        ("bytes=10-", 416, "", "bytes */10"), ("bytes=99999999999999999999999-", 416, "", "bytes */10"),
        ("bytes=-0", 416, "", "bytes */10"),
        ("bytes=10-12", 416, "", "bytes */10"), ("bytes=0-1,1-4", 200, "0123456789", nil),
        ("bytes=0-1,20-", 206, "01", "bytes 0-1/10"), ("bytes=10-,20-", 416, "", "bytes */10"),
        ("bytes=4-2", 200, "0123456789", nil),
        ("bytes=", 200, "0123456789", nil), ("bytes=-", 200, "0123456789", nil), ("bytes=a-b", 200, "0123456789", nil),
        ("bytes=1", 200, "0123456789", nil), ("items=0-1", 200, "0123456789", nil), ("0-1", 200, "0123456789", nil),
        ("bytes=+1-2", 200, "0123456789", nil), ("bytes=1-2-3", 200, "0123456789", nil),
        ("bytes=--1", 200, "0123456789", nil),
    ]

    @Test("ranges of a kept answer", arguments: ranges)
    func range(value: String, code: Int, body: String, contentRange: String?) async throws {
        let response = answer.response(to: request("Range: \(value)"), at: now, status: nil)
        #expect(response.status.code == code)
        #expect(String(decoding: try await response.body.collected(limit: 100), as: UTF8.self) == body)
        #expect(response.fields["Content-Range"] == contentRange)
    }

    /// `If-Range`, and whether the range counts.
    static let ifRanges: [(String, Bool)] = [
        ("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false), (date(-50), true), (date(-49), false),
        (date(-51), false), ("x", false),
    ]

    @Test("If-Range", arguments: ifRanges)
    func ifRange(value: String, counts: Bool) {
        let response = answer.response(to: request("Range: bytes=0-1\nIf-Range: \(value)"), at: now, status: nil)
        #expect(response.status.code == (counts ? 206 : 200))
    }

    @Test("a change in the second of the date is no strong validator")
    func weakDate() {
        let answer = stored("Cache-Control: max-age=60\nLast-Modified: \(date(0))")
        let response = answer.response(to: request("Range: bytes=0-1\nIf-Range: \(date(0))"), at: now, status: nil)
        #expect(response.status == .ok)
    }

    @Test("HEAD has no range, and conditions come before it")
    func precedence() {
        #expect(answer.response(to: request("Range: bytes=0-1", .head), at: now, status: nil).status == .ok)
        let both = request("Range: bytes=0-1\nIf-None-Match: \"a\"")
        #expect(answer.response(to: both, at: now, status: nil).status == .notModified)
        let empty = stored("Cache-Control: max-age=60", body: "")
        #expect(empty.response(to: request("Range: bytes=0-1"), at: now, status: nil).status.code == 416)
        #expect(empty.response(to: request("Range: bytes=-5"), at: now, status: nil).status.code == 416)
    }

    @Test("the members of Cache-Status")
    func status() {
        #expect(CacheStatus.hit(ttl: 30).text == "sluice; hit; ttl=30")
        #expect(stored("Cache-Control: max-age=60").hitStatus(at: later(61)).ttl == -1)
        var forwarded = CacheStatus.forwarded(.varyMiss)
        forwarded.forwardStatus = 304
        forwarded.ttl = -7
        forwarded.isStored = true
        forwarded.isCollapsed = true
        forwarded.key = "a\"\\b\u{e9}"
        forwarded.detail = "stale-if-error"
        #expect(
            forwarded.text
                == "sluice; fwd=vary-miss; fwd-status=304; ttl=-7; stored; collapsed; key=\"a\\\"\\\\b?\"; detail=stale-if-error"
        )
        forwarded.detail = "no token"
        #expect(!forwarded.text.contains("detail"))
    }

    @Test(
        "one word says what we did, whatever caches nearer to the origin say",
        arguments: [
            ("sluice; hit; ttl=3", "hit"), ("sluice; hit; ttl=-3", "stale"), ("sluice; fwd=uri-miss; stored", "miss"),
            ("sluice; fwd=stale; stored", "renewed"), ("sluice; fwd=stale; detail=stale-if-error", "stale"),
            ("sluice; fwd=uri-miss; stored; detail=partly-hit", "partly-hit"), ("sluice; fwd=bypass", "asked"),
            ("sluice; fwd=uri-miss; collapsed", "collapsed"), ("other; hit, sluice; fwd=uri-miss", "miss"),
            ("sluice; fwd=uri-miss; fwd-status=200; ttl=-5", "miss"),
            ("sluice; hit; ttl=3, sluice; fwd=request", "miss"), ("other; hit", nil), ("", nil),
        ])
    func word(list: String, word: String?) {
        #expect(CacheStatus.word(of: list) == word)
    }

    @Test("our member comes after those of caches nearer to the origin")
    func statusOrder() {
        let answer = stored("Cache-Control: max-age=60\nCache-Status: other; hit")
        let response = answer.response(to: request(), at: now, status: .hit(ttl: 60))
        #expect(response.fields.values(.cacheStatus) == ["other; hit", "sluice; hit; ttl=60"])
    }
}

struct InvalidationTests {
    private let url = CacheURL(scheme: "HTTPS", authority: "Example.com:443", target: "/a/b?c=d")

    @Test("what is unsafe and succeeds makes its own URL outdated, and what it names of the same origin")
    func targets() {
        let answer = response("Location: /new\nContent-Location: https://example.com/other", 201)
        let texts = Invalidation.targets(of: .post, url, answeredWith: answer).map(\.text)
        #expect(texts == ["https://example.com/a/b?c=d", "https://example.com/new", "https://example.com/other"])
        let elsewhere = response("Location: https://evil.com/a\nContent-Location: http://example.com/a")
        #expect(Invalidation.targets(of: .delete, url, answeredWith: elsewhere).count == 1)
    }

    @Test(
        "safe methods and failures make nothing outdated",
        arguments: [
            (HTTP.Method.get, 200, 0), (.head, 200, 0), (.options, 200, 0), (.post, 400, 0), (.post, 500, 0),
            (.put, 204, 1),
            (.patch, 200, 1), (.delete, 302, 1),
        ])
    func counts(method: HTTP.Method, code: Int, count: Int) {
        #expect(Invalidation.targets(of: method, url, answeredWith: response("", code)).count == count)
    }

    /// RFC 3986, section 5.4, as far as the origin stays.
    static let references: [(String, String?)] = [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"),
        ("g#s", "/b/c/g"), (";x", "/b/c/;x"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"),
        ("../", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../g", "/g"), ("../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"),
        ("g.", "/b/c/g."),
        ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/../h", "/b/c/h"),
        ("g?y/../x", "/b/c/g?y/../x"),
        ("//a/g", "/g"), ("//b/g", nil), ("http://a/g", "/g"), ("HTTP://A:80/g", "/g"), ("https://a/g", nil),
        ("http:g", nil),
        ("mailto:x", nil), ("http://u@a/g", nil), ("http://a", "/"), ("http://a?x", "/?x"), ("g h", nil), ("\\g", nil),
        ("http://a:81/", nil),
    ]

    @Test("references of answers", arguments: references)
    func resolves(reference: String, expected: String?) {
        let base = CacheURL(scheme: "http", authority: "a", target: "/b/c/d;p?q")
        #expect(base.resolving(reference)?.target == expected)
    }
}
