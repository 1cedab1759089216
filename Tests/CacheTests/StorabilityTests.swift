import HTTP
import Testing

@testable import Cache

struct StorabilityTests {
    static let answers: [(String, Int, Storability)] = [
        ("Cache-Control: max-age=60", 200, .storable), ("Cache-Control: max-age=60, no-store", 200, .refused(.noStore)),
        ("Cache-Control: no-store, no-store, max-age=60", 200, .refused(.noStore)),
        ("Cache-Control: private, max-age=60", 200, .refused(.private)),
        ("Cache-Control: private=\"X-A\", max-age=60", 200, .storable),
        ("Cache-Control: private, s-maxage=60", 200, .refused(.private)),
        ("Cache-Control: max-age=60\nVary: *", 200, .refused(.vary)),
        ("Cache-Control: max-age=60\nVary: Accept, *", 200, .refused(.vary)),
        ("Cache-Control: max-age=60\nVary: Accept", 200, .storable),
        // Asked about each time.
        ("Cache-Control: no-cache\nETag: \"a\"", 200, .storable), ("Cache-Control: no-cache", 200, .refused(.useless)),
        ("ETag: \"a\"", 200, .storable), ("Last-Modified: \(date(-10))", 200, .storable),
        ("X: y", 200, .refused(.useless)),
        // Stale from the start, but a client may want it nevertheless.
        ("Cache-Control: max-age=10\nAge: 20", 200, .storable), ("Expires: 0", 200, .storable),
        // Statuses.
        ("Cache-Control: max-age=60", 206, .refused(.partial)), ("Cache-Control: max-age=60", 304, .refused(.status)),
        ("Cache-Control: max-age=60", 416, .storable), ("Cache-Control: max-age=60", 503, .storable),
        ("Cache-Control: max-age=60", 499, .storable), ("ETag: \"a\"", 499, .refused(.useless)),
        ("Cache-Control: public\nETag: \"a\"", 499, .storable), ("Cache-Control: max-age=60", 302, .storable),
        ("ETag: \"a\"", 302, .refused(.useless)), ("Cache-Control: max-age=60", 201, .storable),
        // `must-understand`.
        ("Cache-Control: must-understand, no-store, max-age=60", 200, .storable),
        ("Cache-Control: must-understand, max-age=60", 499, .refused(.notUnderstood)),
        // A cookie needs the upstream's own word.
        ("Set-Cookie: a=b\nCache-Control: max-age=60", 200, .storable),
        ("Set-Cookie: a=b\nETag: \"a\"", 200, .refused(.cookie)),
        // A targeted field decides.
        ("CDN-Cache-Control: max-age=60\nCache-Control: no-store", 200, .storable),
        ("CDN-Cache-Control: no-store\nCache-Control: max-age=60", 200, .refused(.noStore)),
        ("CDN-Cache-Control: no-store,\nCache-Control: max-age=60", 200, .storable),
    ]

    @Test(
        "what one client's conditions or range have brought",
        arguments: [
            ("If-Match: \"a\"", "X: y", 412, .refused(.status)), ("If-Match: \"a\"", "X: y", 200, .storable),
            ("Range: bytes=9-", "X: y", 416, .refused(.status)),
            ("Range: bytes=0-6", "Content-Range: bytes 0-6/9", 206, .storable),
            ("Range: bytes=0-6", "Content-Range: bytes 0-6/*", 206, .refused(.partial)),
            ("Range: bytes=0-6", "Content-Type: multipart/byteranges", 206, .refused(.partial)),
            ("", "Content-Range: bytes 0-6/9", 206, .refused(.partial)),
        ] as [(String, String, Int, Storability)])
    func asked(fields: String, text: String, code: Int, expected: Storability) {
        #expect(storability("Cache-Control: max-age=60\n" + text, code, to: request(fields)) == expected)
    }

    @Test("what a mirror keeps", arguments: answers)
    func mirror(text: String, code: Int, expected: Storability) { #expect(storability(text, code) == expected) }

    @Test(
        "a gateway keeps success, redirects, 404 and 410, and no other error",
        arguments: [
            (200, true), (203, true), (301, true), (302, true), (404, true), (410, true), (400, false), (401, false),
            (403, false),
            (405, false), (429, false), (500, false), (502, false), (503, false), (504, false),
        ])
    func gateway(code: Int, isKept: Bool) {
        let storability = storability("Cache-Control: max-age=60", code, rules: .gateway)
        #expect(storability == (isKept ? .storable : .refused(.status)))
    }

    @Test("a gateway keeps 404 without a word, and no cookies")
    func gatewayRules() {
        #expect(storability("X: y", 404, rules: .gateway) == .storable)
        #expect(storability("Set-Cookie: a=b\nCache-Control: max-age=60", rules: .gateway) == .refused(.cookie))
    }

    @Test("answers to other methods, incomplete ones, and those that the client wants forgotten are not kept")
    func requests() {
        let text = "Cache-Control: max-age=60"
        #expect(storability(text, to: request("", .head)) == .refused(.method))
        #expect(storability(text, to: request("", .post)) == .refused(.method))
        #expect(storability(text, to: request("Cache-Control: no-store")) == .refused(.requestNoStore))
        #expect(storability(text, isComplete: false) == .refused(.incomplete))
    }

    @Test(
        "an answer to a request with credentials is kept only where it says so",
        arguments: [
            ("max-age=60", false), ("max-age=60, public", true), ("s-maxage=60", true),
            ("max-age=60, must-revalidate", true),
            ("max-age=60, proxy-revalidate", false), ("max-age=60, immutable", false),
        ])
    func credentials(line: String, isKept: Bool) {
        let storability = storability("Cache-Control: \(line)", to: request("Authorization: Basic x"))
        #expect(storability == (isKept ? .storable : .refused(.authorization)))
    }

    @Test("fields of the connection, of proxies, and those that directives name are not kept")
    func strippedFields() {
        let answer = stored(
            """
            Cache-Control: max-age=60, no-cache="X-A", private="X-B, X-C"
            Connection: close, X-D
            Keep-Alive: timeout=5
            Proxy-Authenticate: Basic
            Proxy-Connection: close
            TE: trailers
            Trailer: X-T
            Transfer-Encoding: chunked
            Upgrade: x
            Content-Length: 7
            Age: 3
            X-A: 1
            X-B: 1
            X-C: 1
            X-D: 1
            x-e: kept
            """)
        var names: [String] = []
        func note(_ name: String, _ value: String) { names.append(name) }
        answer.fields.forEach(note)
        #expect(names == ["Cache-Control", "x-e", "Date"])
        #expect(answer.fields[.date] == date(0))
        #expect(answer.age(at: now) == 3)
    }

    @Test("a date that is none is put right")
    func dateField() {
        #expect(stored("Cache-Control: max-age=60\nDate: today").fields.values(.date) == [date(0)])
        #expect(stored("Cache-Control: max-age=60\nDate: \(date(-9))").fields.values(.date) == [date(-9)])
    }

    @Test("bytes above 127 stay as they are")
    func latin1() {
        var fields = fields("Cache-Control: max-age=60\nConnection: X-A\nX-A: b")
        fields.append(nameBytes: "X-B".utf8, valueBytes: [0x66, 0xE9, 0xC3, 0xA9])
        let answer = StoredAnswer(
            Response(fields: fields), content: [], to: Fields(), requested: now, received: now, rules: .exact)
        #expect(answer?.fields.wire.contains(where: { $0 == 0xE9 }) == true)
        #expect(answer?.fields["X-B"]?.unicodeScalars.map(\.value) == [0x66, 0xE9, 0xC3, 0xA9])
    }
}
