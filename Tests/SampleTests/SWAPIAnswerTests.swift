import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample SWAPI's answers")
struct SWAPIAnswerTests {
    static let json = "application/json"
    static let html = "text/html; charset=utf-8"

    @Test(
        "a path names a resource, a list, or nothing",
        arguments: [
            ("/api/people/1/", 200, json), ("/api/people/01/", 200, json), ("/api/people/%201%20/", 200, json),
            ("/api/%70eople/1/", 200, json), ("/api/people/17/", 404, json), ("/api/people/0/", 404, json),
            ("/api/people/-1/", 404, json),
            ("/api/people/+1/", 404, json), ("/api/people/x/", 404, json), ("/api/people/%20/", 404, json),
            ("/api/people/99999999999999999999/", 404, json), ("/api/people/schema/", 404, json),
            ("/api/people/schema", 200, json),
            ("/api/nothing/", 404, html), ("/api/nothing", 404, html), ("/api//people/1/", 404, html),
            ("/api/people/1/x", 404, html),
            ("/api/people/1/x/", 404, html), ("/api/people//", 404, html), ("/api/people/1.json/", 404, html),
            ("/api//", 404, html),
            ("/", 404, html), ("/apix/", 404, html), ("/people/1/", 404, html), ("*", 404, html), ("", 404, html),
        ])
    func paths(path: String, status: UInt16, type: String) {
        let response = ask(path)
        #expect(response.status.code == status)
        #expect(response.fields[.contentType] == type)
        if status == 404, type == Self.json { #expect(response.text == #"{"detail":"Not found"}"#) }
    }

    @Test(
        "a missing slash is a redirect to the same address with it",
        arguments: [
            ("/api", "/api/"), ("/api/people", "/api/people/"), ("/api/people/1", "/api/people/1/"),
            ("/api/people/999", "/api/people/999/"), ("/api/people?page=2&x=%20", "/api/people/?page=2&x=%20"),
            ("/api/people/1?", "/api/people/1/"), ("/api/%70eople/1", "/api/%70eople/1/"),
        ], Method.allCases)
    func redirects(pair: (target: String, location: String), method: Method) {
        let response = ask(pair.target, method)
        #expect(response.status == .movedPermanently)
        #expect(response.fields[.location] == "http://api.test" + pair.location)
        #expect(response.fields[.contentType] == Self.html)
        #expect(response.bytes.isEmpty)
    }

    @Test("every answer of the API says what it varies by, what is allowed, and that it is not to be framed")
    func fields() {
        let fields = ask("/api/people/1/").fields
        #expect(fields[.contentType] == "application/json")
        #expect(fields[.vary] == "Accept, Cookie")
        #expect(fields[.allow] == "GET, HEAD, OPTIONS")
        #expect(fields["X-Frame-Options"] == "SAMEORIGIN")
        #expect(!fields.contains("Access-Control-Allow-Origin"))
    }

    @Test("a request with an origin is open to all")
    func origin() {
        #expect(ask("/api/people/1/", .get, [("Origin", "http://a.test")]).fields["Access-Control-Allow-Origin"] == "*")
    }

    @Test(
        "Accept picks JSON, a page, or nothing",
        arguments: [
            ("*/*", 200, json), ("", 200, json), ("application/json", 200, json), ("application/*", 200, json),
            ("text/html", 200, html),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 200, html), ("TEXT/HTML", 200, html),
            ("application/json;q=0.1, text/html", 200, json), ("text/*, application/json", 200, json),
            ("text/html;q=0, */*", 200, json),
            ("application/xml, */*;q=0.1", 200, json), ("image/png", 406, json), ("*/*;q=0", 406, json),
            ("text/html;q=x", 406, json),
            ("application/problem+json", 406, json),
        ])
    func accept(value: String, status: UInt16, type: String) {
        let response = ask("/api/films/1/", .get, [(.accept, value)])
        #expect(response.status.code == status)
        #expect(response.fields[.contentType] == type)
        if status == 406 { #expect(response.text == #"{"detail":"Could not satisfy the request Accept header"}"#) }
        if type == Self.html { #expect(response.text.contains("<pre>{\n    \"title\": \"A New Hope\",")) }
    }

    @Test("a page shows what was asked for as text, not as markup")
    func markup() {
        let response = ask("/api/people/?search=a&x=1", .get, [(.accept, "text/html"), ("X-Forwarded-Proto", "https")])
        #expect(response.text.contains("\"next\": \"https://api.test/api/people/?search=a&amp;x=1&amp;page=2\","))
        #expect(ask("/api/people/999/", .get, [(.accept, "text/html")]).status == .notFound)
    }

    @Test("other methods are refused", arguments: [Method.post, .put, .patch, .delete])
    func refused(method: Method) {
        for target in ["/api/people/1/", "/api/people/", "/api/", "/api/people/999/", "/api/people/schema"] {
            let response = ask(target, method)
            #expect(response.status == .methodNotAllowed)
            #expect(response.fields[.allow] == "GET, HEAD, OPTIONS")
            #expect(response.text == "{\"detail\":\"Method '\(method.rawValue)' not allowed.\"}")
        }
    }

    @Test("HEAD brings GET's content for whoever counts it, without an entity tag; OPTIONS describes the API")
    func otherMethods() throws {
        #expect(ask("/api/people/1/", .head).bytes == ask("/api/people/1/").bytes)
        #expect(!ask("/api/people/1/", .head).fields.contains(.etag))
        #expect(try ask("/api/people/1/", .options).json().text(at: "/renders/0") == "\"application/json\"")
    }

    @Test("the entity tag is the content's MD5")
    func etag() {
        // printf '{"detail":"Not found"}' | md5sum
        #expect(ask("/api/people/999/").fields[.etag] == "\"8bee5c3ad44d6c57f19e49e8e76ee09e\"")
    }

    @Test(
        "a client that has the content already gets 304",
        arguments: [
            ("TAG", true), ("W/TAG", true), ("*", true), ("\"x\", TAG", true), ("W/\"x\",W/TAG", true),
            ("\"x\"", false), ("", false),
            ("\"*\"", false),
        ])
    func conditional(value: String, isKnown: Bool) throws {
        let tag = try #require(ask("/api/people/1/").fields[.etag])
        let known = value.split(separator: "TAG", omittingEmptySubsequences: false).joined(separator: tag)
        let response = ask("/api/people/1/", .get, [(.ifNoneMatch, known)])
        #expect(response.status == (isKnown ? .notModified : .ok))
        #expect(response.bytes.isEmpty == isKnown)
        #expect(response.fields[.etag] == tag)
    }

    @Test("a missing resource is never 304")
    func missingConditional() {
        #expect(ask("/api/people/999/", .get, [(.ifNoneMatch, "*")]).status == .notFound)
    }

    @Test("Host decides the links' host, X-Forwarded-Proto their scheme, X-Forwarded-Host nothing")
    func hosts() throws {
        func url(_ authority: String?, _ fields: [(FieldName, String)]) throws -> String {
            var all = Fields()
            for (name, value) in fields { all.append(name, value) }
            let request = Request(target: Target("/api/people/1/"), fields: all, authority: authority)
            return try swapi.answer(to: request).json().text(at: "/url")
        }
        #expect(try url("a.test:99", []) == "\"http://a.test:99/api/people/1/\"")
        #expect(try url(nil, [(.host, "b.test")]) == "\"http://b.test/api/people/1/\"")
        #expect(try url(nil, []) == "\"http://localhost/api/people/1/\"")
        #expect(try url("a.test", [("X-Forwarded-Proto", "https")]) == "\"https://a.test/api/people/1/\"")
        #expect(
            try url("a.test", [("X-Forwarded-Proto", "ftp"), ("X-Forwarded-Host", "evil")])
                == "\"http://a.test/api/people/1/\"")
        #expect(try url("a\"\\\u{1}", []) == #""http://a\"\\\u0001/api/people/1/""#)
    }

    @Test("in Wookiee the whole text is translated, and JSON no more")
    func wookiee() throws {
        let response = ask("/api/species/2/?format=wookiee")
        #expect(response.fields[.contentType] == "application/json")
        #expect(response.text.hasPrefix(#"{"whrascwo":"Drcooahwa","#))
        #expect(response.text.contains(#""acooscwoohoorcanwa":whhuanan,"#))
        #expect(throws: JSONError.self) { try response.json() }
        #expect(ask("/api/films/1/?format=wookiee").text.contains(#"\rc\wh"#))
        #expect(ask("/api/people/999/?format=wookiee").text == #"{"wawoaoraahan":"Nooao wwoohuwhwa"}"#)
        #expect(ask("/api/people/1/?format=wookiee", .get, [(.accept, "text/html")]).status == .notAcceptable)
    }
}
