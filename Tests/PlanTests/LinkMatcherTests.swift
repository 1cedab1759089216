import HTTP
import Plan
import Testing

@Suite("Links in answers")
struct LinkMatcherTests {
    /// Films at `https://films.test/api` (alias `http://old.test:8080/v1`), ships below `/api/ships` of the same host, and a third
    /// upstream on loopback.
    private static let matcher: LinkMatcher = {
        func upstream(_ name: String, _ base: String, _ aliases: String...) -> UpstreamPlan? {
            guard let base = BaseURL(base) else { return nil }
            var plan = UpstreamPlan(name: name, base: base)
            plan.aliases = aliases.compactMap { BaseURL($0) }
            return plan
        }
        func operation(_ id: String, _ upstream: Int, _ path: String, _ method: Method = .get) -> Operation? {
            PathTemplate(path).map { Operation(id: id, method: method, path: $0, upstream: upstream, upstreamPath: $0) }
        }
        let upstreams = [
            upstream("films", "https://films.test/api", "http://old.test:8080/v1"),
            upstream("ships", "https://films.test/api/ships"), upstream("local", "http://127.0.0.1:9999/api"),
        ].compactMap(\.self)
        let operations = [
            operation("listFilms", 0, "/films/"), operation("getFilm", 0, "/films/{id}/"),
            operation("getAny", 0, "/{kind}/{id}/"), operation("getShip", 1, "/{id}"),
            operation("getLocal", 2, "/{id}/"),
            operation("addFilm", 0, "/posts/", .post),
        ].compactMap(\.self)
        return LinkMatcher(upstreams: upstreams, operations: operations)
    }()

    private func match(_ address: String, from upstream: Int = 0, preferring: Int? = nil) -> LinkMatcher.Match? {
        LinkMatcherTests.matcher.match(address, from: upstream, preferring: preferring)
    }

    @Test(
        "http and https of one host are one, in any case of letters, with the port written or not",
        arguments: [
            "https://films.test/api/films/1/", "http://films.test/api/films/1/", "HTTPS://Films.TEST/api/films/1/",
            "https://films.test:443/api/films/1/", "http://films.test:80/api/films/1/",
            "http://old.test:8080/v1/films/1/",
            "https://old.test:8080/v1/films/1/", "/api/films/1/", "/v1/films/1/",
        ])
    func origins(address: String) {
        #expect(match(address)?.operation == 1)
        #expect(match(address)?.parameters == ["id": "1"])
        #expect(match(address)?.endsInSlash == true)
    }

    @Test("a link is matched with and without the slash at its end, and remembers it")
    func slash() {
        #expect(match("https://films.test/api/films/1")?.operation == 1)
        #expect(match("https://films.test/api/films/1")?.endsInSlash == false)
        #expect(match("https://films.test/api/films")?.operation == 0)
    }

    @Test("a query stays as it is")
    func query() {
        #expect(match("https://films.test/api/films/?page=2&q=a%20b")?.query == "page=2&q=a%20b")
        #expect(match("https://films.test/api/films/?page=2")?.operation == 0)
        #expect(match("https://films.test/api/films/")?.query == nil)
        #expect(match("/api/films/?a/../b")?.query == "a/../b")
    }

    @Test("ids are decoded once")
    func encoded() {
        #expect(match("https://films.test/api/films/%31/")?.parameters == ["id": "1"])
        #expect(match("https://films.test/api/f%69lms/a%20b/")?.parameters == ["id": "a b"])
        #expect(match("https://films.test/api/films/%2541/")?.parameters == ["id": "%41"])
        #expect(match("https://films.test/api/films/%C3%A9/")?.parameters == ["id": "é"])
    }

    @Test("the operation that the link names wins, else the one with the fewest parameters")
    func preference() {
        #expect(match("https://films.test/api/films/1/", preferring: 2)?.operation == 2)
        #expect(match("https://films.test/api/films/1/", preferring: 1)?.operation == 1)
        #expect(match("https://films.test/api/films/1/", preferring: 4)?.operation == 1)
        #expect(match("https://films.test/api/planets/1/")?.operation == 2)
    }

    @Test("the longest base wins, for a path that begins with a slash too")
    func longest() {
        #expect(match("https://films.test/api/ships/9")?.operation == 3)
        #expect(match("/api/ships/9", from: 1)?.operation == 3)
        #expect(match("/api/ships/9", from: 0)?.operation == 2)
    }

    @Test("what is only sent to is no target of a link")
    func posts() {
        #expect(match("https://films.test/api/posts/") == nil)
    }

    @Test(
        "no other host, port, path, and nothing that is read in two ways",
        arguments: [
            "", "/", "films/1", "https://films.test/api/", "https://films.test/", "https://films.test",
            "https://films.test/films/1/",
            "https://films.test:8443/api/films/1/", "https://old.test/v1/films/1/",
            "https://films.test.evil.test/api/films/1/",
            "https://evil.test/https://films.test/api/films/1/", "https://films.test./api/films/1/",
            "https://films.test/api/films/1/#x", "https://films.test/api/films/../films/1/",
            "https://films.test/api/../api/films/1/",
            "https://films.test/api/films/%2e%2e/", "https://films.test/api/films/..;a/",
            "https://films.test/api/films/a%2Fb/",
            "https://films.test/api/films/a%5Cb/", "https://films.test/api//films/1/",
            "https://films.test//api/films/1/",
            "https://films.test/api/films//", "https://films.test/api/films/%00/", "https://films.test/api/films/%zz/",
            "https://films.test/api/films/%ff/", "https://films.test/api/films/1 /", "https://films.test/api/films/é/",
            "https://films.test@evil.test/api/films/1/", "https://me@films.test/api/films/1/",
            "https://films.test:/api/films/1/",
            "https://films.test:0/api/films/1/", "https://films.test:65536/api/films/1/",
            "https://films.test:+443/api/films/1/",
            "https:/films.test/api/films/1/", "https:films.test/api/films/1/", "//films.test/api/films/1/",
            "/\\films.test/api/films/1/",
            "/api/films/1\r\nX: y/", "/api/films/1 /", "/api/../api/films/1/", "/films/1/", "/api/films/1/#x",
            "ftp://films.test/api/films/1/", "wss://films.test/api/films/1/", "https%3A//films.test/api/films/1/",
            " https://films.test/api/films/1/", "https://films.test/api/films/1/\n",
            "https://%66ilms.test/api/films/1/",
        ])
    func nothing(address: String) {
        #expect(match(address) == nil)
        #expect(match(address, from: 9) == nil)
    }

    /// The host forms of the case json-link-loopback-forms.
    private static let loopbackForms = [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0x7f.1", "0", "0.0.0.0", "[::1]", "[::]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "LOCALHOST", "localhost.", "\u{2460}\u{2461}\u{2466}.0.0.1",
        "a@127.0.0.1",
        "127.0.0.1\\@good.test", "good.test@127.0.0.1", "10.0.0.1", "192.168.0.1", "172.16.0.1", "100.64.0.1",
        "169.254.169.254", "[fe80::1]", "[fc00::1]", "[64:ff9b::7f00:1]", "224.0.0.1", "255.255.255.255",
    ]

    @Test("no form of a private address is an upstream", arguments: loopbackForms)
    func loopback(host: String) {
        #expect(match("http://\(host)/") == nil)
        #expect(match("http://\(host)/api/1/") == nil)
        #expect(match("http://\(host)/api/films/1/") == nil)
    }

    @Test("an upstream on loopback is matched by its very address and port only", arguments: loopbackForms)
    func own(host: String) {
        #expect((match("http://\(host):9999/api/1/", from: 2)?.operation == 4) == (host == "127.0.0.1"))
    }

    /// The case json-link-schemes.
    @Test(
        "no other scheme and no broken address is a link",
        arguments: [
            "file:///etc/passwd", "gopher://127.0.0.1/", "dict://127.0.0.1/", "ftp://127.0.0.1/", "ldap://127.0.0.1/",
            "javascript:1", "//evil.test/", "http:127.0.0.1", "http:///x", "http://a b/", "http://x\r\nHost: y/",
            "\thttp://127.0.0.1/",
        ])
    func schemes(address: String) {
        #expect(match(address) == nil)
    }
}

@Suite("Base addresses")
struct BaseURLTests {
    @Test("an address is taken apart")
    func parts() throws {
        let base = try #require(BaseURL("HTTPS://Films.Test:8443/API/v1//"))
        #expect(
            [base.scheme, base.host, base.path, base.authority] == [
                "https", "films.test", "/API/v1", "films.test:8443",
            ])
        #expect(base.port == 8443)
        #expect(base.text == "https://films.test:8443/API/v1")
        #expect(!base.hasDefaultPort)
    }

    @Test(
        "an address below a base is what it asks for there",
        arguments: [
            ("https://a.test/api/x?y=1", "/x?y=1"), ("http://A.test/api/x", "/x"), ("https://a.test:443/api", "/"),
            ("https://a.test:80/api?y", "/?y"), ("https://a.test/api/x/../y", "/x/../y"),
            ("https://a.test/apis/x", nil), ("https://a.test:8443/api/x", nil), ("https://b.test/api/x", nil),
            ("https://a.test/x", nil), ("https://a.test@b.test/api/x", nil), ("https://a.test/api/x#y", nil),
            ("/api/x", nil),
        ])
    func below(address: String, target: String?) throws {
        let base = try #require(BaseURL("https://a.test/api"))
        #expect(base.target(of: address)?.text == target)
    }

    @Test("the scheme's own port isn't shown")
    func ports() {
        #expect(BaseURL("http://a.test:80")?.text == "http://a.test")
        #expect(BaseURL("https://a.test:443/")?.text == "https://a.test")
        #expect(BaseURL("http://a.test:443")?.text == "http://a.test:443")
        #expect(BaseURL("http://[::1]:8080/x")?.authority == "[::1]:8080")
        #expect(BaseURL("http://[::1]")?.port == 80)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "films.test", "ftp://a.test", "http:/a.test", "http://", "http:///x", "http://a.test?x",
            "http://a.test/#x",
            "http://me@a.test", "http://a b", "http://a.test:", "http://a.test:0", "http://a.test:65536",
            "http://a.test:8o",
            "http://a.test:80:80", "http://[::1", "http://::1]", "http://[]", "http://[g::1]", "http://a%20b",
            "http://é.test",
            "http://a.test/../x", "http://a.test/%2e%2e/x", "http://a.test//x", "http://a.test/a\\b",
            "http://a.test/%zz",
            "http://a.test\n", "http://a,b",
        ])
    func none(text: String) {
        #expect(BaseURL(text) == nil)
    }
}
