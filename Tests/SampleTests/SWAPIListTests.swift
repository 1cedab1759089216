import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample SWAPI's lists")
struct SWAPIListTests {
    @Test(
        "a page has its part of the list",
        arguments: [
            ("", 1, 10), ("?page=", 1, 10), ("?page=1", 1, 10), ("?page=02", 11, 10), ("?page=%2B2", 11, 10),
            ("?page=9", 82, 2),
            ("?page=last", 82, 2), ("?page=1&page=2", 11, 10),
        ])
    func pages(query: String, first: Int, count: Int) throws {
        let document = try ask("/api/people/\(query)").json()
        let results = try #require(document.member("results", of: document.root))
        #expect(document.count(of: results) == count)
        #expect(try document.text(at: "/results/0/url") == "\"http://api.test/api/people/\(first)/\"")
    }

    @Test(
        "there is no other page",
        arguments: ["0", "-1", "10", "x", "1.0", "Last", "1%202", "99999999999999999999", "%00", "%2B%2B2"])
    func noPage(page: String) {
        let response = ask("/api/people/?page=\(page)")
        #expect(response.status == .notFound)
        #expect(response.text == #"{"detail":"Not found"}"#)
    }

    @Test(
        "the links to other pages are the request's own URL with another page",
        arguments: [
            ("", "?page=2", nil), ("?page=2", "?page=3", "?page=1"), ("?page=last", nil, "?page=8"),
            ("?foo=bar", "?foo=bar&page=2", nil), ("?page=2&foo=bar", "?page=3&foo=bar", "?page=1&foo=bar"),
            ("?a=1&page=2&a=2&page=2", "?a=1&page=3&a=2", "?a=1&page=1&a=2"), ("?x=a%20b", "?x=a+b&page=2", nil),
            ("?x=%2f%C3%A9&y&&", "?x=%2F%C3%A9&y=&page=2", nil), ("?x=%zz%FF", "?x=%25zz%EF%BF%BD&page=2", nil),
            ("?search=a&page=2", "?search=a&page=3", "?search=a&page=1"),
        ] as [(String, String?, String?)])
    func neighbours(query: String, next: String?, previous: String?) throws {
        let document = try ask("/api/people/\(query)").json()
        func link(_ query: String?) -> String { query.map { "\"http://api.test/api/people/\($0)\"" } ?? "null" }
        #expect(try document.text(at: "/next") == link(next))
        #expect(try document.text(at: "/previous") == link(previous))
    }

    @Test(
        "a search finds what holds all its words",
        arguments: [
            ("people", "sky", 3), ("people", "SKY+luke", 1), ("people", "luke,sky", 1), ("people", "%2C+,", 82),
            ("people", "", 82),
            ("people", "OLI%C3%89", 1), ("people", "zzzz", 0), ("films", "hope", 1), ("films", "lucas", 0),
            ("starships", "ds-1", 1),
            ("starships", "death+orbital", 1), ("vehicles", "skyhopper", 1), ("planets", "%E2%80%83hoth", 1),
            ("species", "%25", 0),
        ])
    func search(kind: String, words: String, count: Int) throws {
        let response = ask("/api/\(kind)/?search=\(words)")
        #expect(response.status == .ok)
        #expect(try response.json().text(at: "/count") == String(count))
    }

    @Test("a list without results is one empty page")
    func empty() {
        #expect(ask("/api/films/?search=zzzz").text == #"{"count":0,"next":null,"previous":null,"results":[]}"#)
        #expect(ask("/api/films/?search=zzzz&page=2").status == .notFound)
    }

    @Test("a search narrows a single resource too")
    func narrowed() {
        #expect(ask("/api/people/3/?search=r2").status == .ok)
        #expect(ask("/api/people/3/?search=zzzz").status == .notFound)
    }
}
