import HTTP
import Plan
import Testing

@Suite("Routes")
struct RouterTests {
    private func router(_ routes: [(Method, String)]) throws -> Router {
        var router = Router()
        for (index, (method, path)) in routes.enumerated() {
            #expect(router.add(try #require(PathTemplate(path)), method: method, operation: index) == nil)
        }
        return router
    }

    private func found(_ router: Router, _ path: String, _ method: Method = .get) -> (Int, [String: String])? {
        guard let segments = Target(path: path).segments,
            case .found(let operation, let parameters) = router.match(method, segments)
        else { return nil }
        return (operation, parameters)
    }

    @Test("a path is found with and without a slash at its end", arguments: ["/films", "/films/"])
    func slash(path: String) throws {
        let router = try router([(.get, "/films"), (.get, "/ships/")])
        #expect(found(router, path)?.0 == 0)
        #expect(found(router, "/ships")?.0 == 1)
    }

    @Test("parameters are decoded, and keep their names for each method")
    func parameters() throws {
        let router = try router([(.get, "/films/{id}"), (.delete, "/films/{name}")])
        #expect(found(router, "/films/a%20b")?.1 == ["id": "a b"])
        #expect(found(router, "/films/1", .delete)?.1 == ["name": "1"])
    }

    @Test("a literal wins over a parameter, and a parameter is tried where the literal leads nowhere")
    func literals() throws {
        let router = try router([
            (.get, "/films/{id}"), (.get, "/films/latest"), (.get, "/films/{id}/cast"), (.get, "/films/latest/day"),
        ])
        #expect(found(router, "/films/latest")?.0 == 1)
        #expect(found(router, "/films/latest/cast").map { "\($0)" } == #"(2, ["id": "latest"])"#)
        #expect(found(router, "/films/1")?.0 == 0)
    }

    @Test(
        "nothing is found for another path, an empty parameter or a doubled slash",
        arguments: ["/", "/film", "/films//", "/films/1/2", "//films", "/films/1//", "/FILMS"])
    func nothing(path: String) throws {
        let router = try router([(.get, "/films"), (.get, "/films/{id}")])
        #expect(found(router, path) == nil)
    }

    @Test("a known path with another method tells its methods")
    func methods() throws {
        let router = try router([(.get, "/films"), (.post, "/films")])
        guard case .otherMethods(let methods) = router.match(.delete, ["films", ""]) else {
            Issue.record("no other methods")
            return
        }
        #expect(methods == [.get, .post])
    }

    @Test("a route that is taken tells by which operation, whatever its parameters are called")
    func taken() throws {
        var router = Router()
        #expect(router.add(try #require(PathTemplate("/a/{x}")), method: .get, operation: 7) == nil)
        #expect(router.add(try #require(PathTemplate("/a/{y}/")), method: .get, operation: 8) == 7)
        #expect(router.add(try #require(PathTemplate("/a/{y}/")), method: .put, operation: 9) == nil)
    }

    @Test("a long path costs no more than the longest route")
    func long() throws {
        let router = try router([(.get, "/{a}/{b}/{c}")])
        #expect(found(router, String(repeating: "/a", count: 4000)) == nil)
    }
}

@Suite("Path templates")
struct PathTemplateTests {
    @Test(
        "what is written comes back as text",
        arguments: ["/", "/films", "/films/", "/films/{id}", "/films/{id}/", "/v1:x/{a}/{b}", "/caf%C3%A9", "/a%25b"])
    func text(path: String) {
        #expect(PathTemplate(path)?.text == path)
    }

    @Test(
        "a path with bad braces, empty or dotted segments, a query or a fragment is none",
        arguments: [
            "", "films", "/films/{id", "/films/id}", "/films/{id}.json", "/films/{}", "/films/{{id}}", "//films",
            "/a//b", "/a/../b",
            "/a/./b", "/%2e%2e/b", "/a%2Fb", "/a\\b", "/a?b", "/a#b", "/a%zz", "/a%00", "/..;x/b",
        ])
    func bad(path: String) {
        #expect(PathTemplate(path) == nil)
    }

    @Test("each parameter is filled in as one segment")
    func filled() throws {
        let template = try #require(PathTemplate("/films/{id}/cast/"))
        #expect(template.filled(["id": "1"]) == "/films/1/cast/")
        #expect(template.filled(["id": "a b?#%é"]) == "/films/a%20b%3F%23%25%C3%A9/cast/")
        #expect(template.filled(["id": "1"], endsInSlash: false) == "/films/1/cast")
        #expect(PathTemplate("/")?.filled([:]) == "/")
    }

    @Test(
        "a value that isn't one segment for everybody is refused",
        arguments: ["", ".", "..", "..;a", ".;", "a/b", "/", "a\\b", "a\u{0}", "a\r\nb", "\u{7F}"])
    func refused(value: String) throws {
        let template = try #require(PathTemplate("/films/{id}"))
        #expect(template.filled(["id": value]) == nil)
        #expect(template.filled([:]) == nil)
    }

    @Test("a match gives the parameters, and none where a literal or the length differs")
    func match() throws {
        let template = try #require(PathTemplate("/films/{id}/"))
        #expect(template.match(["films", "1"]) == ["id": "1"])
        #expect(template.match(["films", ""]) == nil)
        #expect(template.match(["films"]) == nil)
        #expect(template.match(["ships", "1"]) == nil)
        #expect(template.match(["films", "1", "2"]) == nil)
    }

    @Test(
        "a mirror has all that is below it, as it was sent, and the deepest wins",
        arguments: [
            ("/mirror/a", 0, ""), ("/mirror/a/", 0, ""), ("/mirror/a/x/y%2F/", 0, "x/y%2F/"), ("/mirror/a//x", 0, "/x"),
            ("/mirror/%61/x", 0, "x"), ("/mirror/a/b/c/..", 1, "c/.."), ("/mirror/a/b", 1, ""),
            ("/mirror/a/bc", 0, "bc"),
        ])
    func mirrors(path: String, operation: Int, rest: String) throws {
        let found = try mirrors().mirror(path)
        #expect(found?.operation == operation)
        #expect(found?.rest == rest[...])
    }

    @Test(
        "a mirror has nothing beside it",
        arguments: ["/", "/mirror", "/mirror/", "/mirror/ab/x", "/other/a/x", "/mirror/%zz/a"])
    func besides(path: String) throws { #expect(try mirrors().mirror(path) == nil) }

    @Test("a mirror is no route of its own, and there is one at a path")
    func mirrorIsNoRoute() throws {
        var router = try mirrors()
        guard case .none = router.match(.get, ["mirror", "a", "x"]) else {
            Issue.record("the mirror is a route")
            return
        }
        #expect(router.addMirror(try #require(PathTemplate("/mirror/a/{other}")), operation: 2) == 0)
    }

    @Test("a mirror of everything has the whole path")
    func everything() throws {
        var router = Router()
        #expect(router.addMirror(try #require(PathTemplate("/{rest}")), operation: 0) == nil)
        #expect(router.mirror("/a//b")?.rest == "a//b")
        #expect(router.mirror("/")?.rest == "")
    }

    private func mirrors() throws -> Router {
        var router = Router()
        for (index, path) in ["/mirror/a/{rest}", "/mirror/a/b/{rest}"].enumerated() {
            #expect(router.addMirror(try #require(PathTemplate(path)), operation: index) == nil)
        }
        return router
    }
}
