import HTTP
import Testing

@testable import Cache

struct ValidationTests {
    private func validation(_ variants: [StoredAnswer], _ asking: Request = request()) -> Validation {
        Validation(Lookup(asking, among: variants, at: later(100), rules: .exact), among: variants)
    }

    private func renewal(
        _ variants: [StoredAnswer], _ text: String, _ asking: Request = request(), rules: CacheRules = .exact
    ) -> Validation.Renewal? {
        let lookup = Lookup(asking, among: variants, at: later(100), rules: rules)
        return Validation(lookup, among: variants).renewal(
            by: response(text, 304, body: ""), for: asking, requested: later(100), received: later(100), rules: rules)
    }

    @Test("the upstream is asked with the tags of all variants and the last change of the selected one")
    func conditions() {
        let first = stored("ETag: \"a\"\nVary: Foo\nLast-Modified: \(date(-50))", to: "Foo: 1")
        let second = stored("ETag: W/\"b\"\nVary: Foo", to: "Foo: 2")
        let third = stored("Last-Modified: \(date(-20))\nVary: Foo", to: "Foo: 3")
        let all = [first, second, third]
        let one = validation(all, request("Foo: 1")).fields(
            for: fields("Foo: 1\nIf-None-Match: \"z\"\nIf-Modified-Since: x\nRange: bytes=0-1\nIf-Range: \"z\"\nX: y"))
        #expect(one == fields("Foo: 1\nX: y\nIf-None-Match: \"a\", W/\"b\"\nIf-Modified-Since: \(date(-50))"))
        let untagged = validation(all, request("Foo: 3")).fields(for: fields("Foo: 3"))
        #expect(untagged == fields("Foo: 3\nIf-Modified-Since: \(date(-20))"))
        let unknown = validation(all, request("Foo: 4")).fields(for: fields("Foo: 4"))
        #expect(unknown == fields("Foo: 4\nIf-None-Match: \"a\", W/\"b\""))
    }

    @Test("a 304 renews the life and replaces fields, but not those of the content")
    func renews() throws {
        let old = stored(
            "Cache-Control: max-age=60\nETag: \"a\"\nX-A: 1\nX-A: 2\nX-B: 1\nContent-Encoding: gzip\nAge: 9")
        let found = try #require(
            renewal(
                [old],
                "ETag: \"a\"\nCache-Control: max-age=30\nX-A: 3\nX-C: 4\nContent-Length: 0\nContent-Encoding: br\nContent-Range: x\nConnection: X-D\nX-D: 1"
            ))
        let new = found.answer
        #expect(found.updates.count == 1 && found.updates[0].old === old && found.updates[0].new === new)
        #expect(new.content == old.content && new.status == .ok)
        #expect(new.freshness(at: later(100)) == 30_000)
        #expect(new.age(at: later(100)) == 0)
        #expect(new.fields.values("X-A") == ["3"])
        #expect(new.fields["X-B"] == "1" && new.fields["X-C"] == "4" && new.fields["X-D"] == nil)
        #expect(new.fields[.contentEncoding] == "gzip" && new.fields["Content-Range"] == nil)
        #expect(new.fields.values(.date) == [date(100)])
        #expect(found.addition == nil)
    }

    /// Tags of what is kept, fields of the 304, and which of them are renewed.
    static let identities: [([String], String, [Int])] = [
        (["ETag: \"a\""], "ETag: \"a\"", [0]), (["ETag: \"a\""], "ETag: \"b\"", []),
        (["ETag: \"a\""], "ETag: W/\"a\"", [0]),
        (["ETag: W/\"a\""], "ETag: W/\"a\"", [0]), (["ETag: W/\"a\""], "ETag: \"a\"", []),
        (["ETag: \"a\"", "ETag: \"a\"", "ETag: \"b\""], "ETag: \"a\"", [0, 1]),
        (["ETag: W/\"a\"", "ETag: W/\"a\""], "ETag: W/\"a\"", [1]),
        (["Last-Modified: \(date(-50))"], "Last-Modified: \(date(-50))", [0]),
        (["Last-Modified: \(date(-50))"], "Last-Modified: \(date(-40))", []),
        (["ETag: \"a\"\nLast-Modified: \(date(-50))"], "Last-Modified: \(date(-50))", [0]),
        (["Last-Modified: \(date(-50))"], "ETag: \"a\"\nLast-Modified: \(date(-50))", [0]),
        (["Last-Modified: \(date(0))"], "ETag: \"a\"\nLast-Modified: \(date(0))", []),
        (["ETag: \"b\"\nLast-Modified: \(date(-50))"], "ETag: \"a\"\nLast-Modified: \(date(-50))", []),
        (["ETag: a"], "ETag: a", [0]), (["ETag: a"], "ETag: \"a\"", []),
        (["ETag: \"a\""], "X: y", [0]), (["ETag: \"a\"", "ETag: \"b\""], "X: y", []),
        (["Last-Modified: \(date(-50))"], "X: y", [0]),
    ]

    @Test("which answers a 304 is about", arguments: identities)
    func identifies(kept: [String], text: String, expected: [Int]) {
        // Each fits another request, and none this one.
        let variants = kept.enumerated().map { stored("\($1)\nVary: Foo\nDate: \(date($0))", to: "Foo: \($0)") }
        let found = renewal(variants, text)
        #expect((found?.updates ?? []).map { update in variants.firstIndex { $0 === update.old } } == expected)
        #expect((found == nil) == expected.isEmpty)
    }

    @Test("an answer that the upstream chose for another request is kept for that one too")
    func addition() throws {
        let old = stored("ETag: \"a\"\nVary: Foo\nCache-Control: max-age=60", to: "Foo: 1")
        let found = try #require(renewal([old], "ETag: \"a\"", request("Foo: 2")))
        let addition = try #require(found.addition)
        #expect(addition === found.answer)
        #expect(addition.selection.matches(fields("Foo: 2")) && !addition.selection.matches(fields("Foo: 1")))
        #expect(addition.content == old.content)
    }

    @Test("a new Vary of a 304 counts for the request that was asked about")
    func newVary() throws {
        let old = stored("ETag: \"a\"\nVary: Foo\nCache-Control: max-age=60", to: "Foo: 1\nBar: 1")
        let found = try #require(renewal([old], "ETag: \"a\"\nVary: Foo, Bar", request("Foo: 1\nBar: 1")))
        #expect(found.answer.selection.matches(fields("Foo: 1\nBar: 1")))
        #expect(!found.answer.selection.matches(fields("Foo: 1\nBar: 2")))
        let all = try #require(renewal([old], "ETag: \"a\"\nVary: *", request("Foo: 1\nBar: 1")))
        #expect(all.updates.count == 1 && all.updates[0].new == nil)
    }

    @Test("fields that forbid to keep it drop it, and it is given once more")
    func drops() throws {
        let old = stored("ETag: \"a\"\nCache-Control: max-age=60")
        let found = try #require(renewal([old], "ETag: \"a\"\nCache-Control: no-store"))
        #expect(found.updates.count == 1 && found.updates[0].new == nil)
        #expect(found.answer.content == old.content)
    }

    @Test("for a client that wants nothing kept the store stays as it is")
    func noStore() throws {
        let old = stored("ETag: \"a\"\nCache-Control: max-age=60")
        let found = try #require(renewal([old], "ETag: \"a\"", request("Cache-Control: no-store")))
        #expect(found.updates.isEmpty && found.addition == nil)
    }

    /// What is kept, what HEAD says, the length, and what becomes of it: kept, outdated, nothing.
    static let heads: [(String, String, Int?, String)] = [
        ("ETag: \"a\"", "ETag: \"a\"\nX: new", 7, "renewed"), ("ETag: \"a\"", "ETag: \"b\"", 7, "outdated"),
        ("ETag: \"a\"", "ETag: \"a\"", 8, "outdated"), ("ETag: \"a\"", "X: new", nil, "renewed"),
        ("ETag: \"a\"", "X: new", 7, "renewed"),
        ("Last-Modified: \(date(-9))", "Last-Modified: \(date(-9))\nX: new", 7, "renewed"),
        ("Last-Modified: \(date(-9))", "Last-Modified: \(date(-8))", 7, "outdated"),
        ("ETag: \"a\"", "ETag: \"a\"\nCache-Control: no-store", 7, "dropped"),
    ]

    @Test("what HEAD says about what is kept for GET", arguments: heads)
    func head(kept: String, said: String, length: Int?, expected: String) throws {
        let old = stored("\(kept)\nCache-Control: max-age=60")
        let updates = HeadUpdate.updates(
            by: response(said), length: length, to: request("", .head), among: [old], requested: later(10),
            received: later(10), rules: .exact)
        let update = try #require(updates.first)
        #expect(updates.count == 1 && update.old === old)
        switch expected {
        case "renewed":
            #expect(update.new?.fields["X"] == fields(said)["X"])
            #expect(update.new?.freshness(at: later(10)) == 60_000)
        case "outdated":
            let lookup = Lookup(request(), among: [try #require(update.new)], at: later(10), rules: .exact)
            #expect(lookup.action == .validate)
        default: #expect(update.new == nil)
        }
    }

    @Test("HEAD changes nothing where it fails, or for another variant")
    func headOfOthers() {
        let old = stored("ETag: \"a\"\nVary: Foo\nCache-Control: max-age=60", to: "Foo: 1")
        func updates(_ said: Response, _ asking: Request) -> Int {
            HeadUpdate.updates(
                by: said, length: nil, to: asking, among: [old], requested: now, received: now, rules: .exact
            ).count
        }
        #expect(updates(response("ETag: \"b\""), request("Foo: 2", .head)) == 0)
        #expect(updates(response("ETag: \"b\"", 404), request("Foo: 1", .head)) == 0)
        #expect(updates(response("ETag: \"b\""), request("Foo: 1", .get)) == 0)
        #expect(updates(response("ETag: \"b\""), request("Foo: 1\nCache-Control: no-store", .head)) == 0)
        #expect(updates(response("ETag: \"b\""), request("Foo: 1", .head)) == 1)
    }
}
