import Admin
import HTTP
import Testing

/// An admin port without a socket.
private struct Port {
    var key: String?
    var host = "127.0.0.1"
    var others: Bool?

    func ask(
        _ method: Method = .get, _ target: String, _ fields: [(FieldName, String)] = [],
        authority: String? = "127.0.0.1:9"
    ) async -> Response {
        let pages = AdminPages(
            access: AdminAccess(key: key.flatMap(AdminKey.init), host: host),
            work: AdminPages.Work(
                metrics: { $0.single("things", .gauge, "Things.", 1) },
                readiness: { Response(status: .serviceUnavailable) },
                drop: { purge throws(GatewayError) in
                    switch purge {
                    case .everything: 4
                    case .url: 3
                    case .route: 2
                    case .tag: 1
                    }
                },
                reachesOthers: { [others] in others }))
        let request = Request(method: method, target: Target(target), fields: Fields(fields), authority: authority)
        do throws(GatewayError) {
            return try await pages.respond(to: request)
        } catch {
            return Response(problem: error)
        }
    }
}

private func text(_ response: Response) -> String {
    guard case .bytes(let bytes) = response.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
}

@Suite("The admin port's pages")
struct AdminPagesTests {
    @Test("each way to name what is dropped reaches the cache, and its count the operator")
    func dropping() async {
        for (target, count) in [
            ("/cache", 4), ("/cache?url=/films/1", 3), ("/cache?route=/films/%7Bid%7D", 2), ("/cache?tag=swapi", 1),
        ] {
            let answer = await Port().ask(.delete, target)
            #expect(answer.status == .ok)
            #expect(text(answer) == "{\"dropped\":\(count)}\n")
        }
    }

    @Test("the operator learns whether other gateways are told now or later")
    func others() async {
        for (others, word) in [(true, "told"), (false, "later")] {
            #expect(
                text(await Port(others: others).ask(.delete, "/cache")) == "{\"dropped\":4,\"others\":\"\(word)\"}\n")
        }
    }

    @Test(
        "a parameter that says nothing clear is refused and drops nothing",
        arguments: ["?urls=/a", "?url=", "?url=/a&url=/b", "?url=/a&tag=b", "?tag=%FF", "?url"])
    func wrongParameter(query: String) async {
        let answer = await Port().ask(.delete, "/cache" + query)
        #expect(answer.status == .badRequest)
        #expect(answer.fields[.contentType] == "application/problem+json")
    }

    @Test("another method is told what is allowed, another path that there is nothing")
    func methods() async {
        #expect(await Port().ask(.get, "/cache").fields[.allow] == "DELETE, OPTIONS")
        #expect(await Port().ask(.post, "/metrics").status == .methodNotAllowed)
        #expect(await Port().ask(.options, "/metrics").fields[.allow] == "GET, HEAD, OPTIONS")
        #expect(await Port().ask(.get, "/films/1").status == .notFound)
        #expect(await Port().ask(.get, "/readyz").status == .serviceUnavailable)
    }

    @Test("the request of a page in a browser is refused, with a key too")
    func otherSites() async {
        for field: (FieldName, String) in [
            ("Origin", "http://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
        ] {
            #expect(await Port().ask(.delete, "/cache", [field]).status == .forbidden)
            let keyed = Port(key: "0123456789abcdef")
            #expect(await keyed.ask(.get, "/healthz", [field]).status == .forbidden)
        }
        #expect(await Port().ask(.get, "/metrics", [("Sec-Fetch-Site", "none")]).status == .ok)
    }

    @Test("a name that somebody has made mean this machine is refused")
    func rebinding() async {
        for name in [
            "evil.example", "evil.example:9090", "127.0.0.1.evil.example", "localhost.evil.example", "1.2.3",
            "999.0.0.1",
        ] {
            #expect(await Port().ask(.get, "/metrics", authority: name).status == .misdirectedRequest)
        }
        for name in ["127.0.0.1:9090", "localhost", "LOCALHOST:1", "[::1]:9090", nil] {
            #expect(await Port().ask(.get, "/metrics", authority: name).status == .ok)
        }
        #expect(await Port(host: "admin.test").ask(.get, "/metrics", authority: "admin.test:1").status == .ok)
        #expect(await Port(key: "0123456789abcdef").ask(.get, "/healthz", authority: "sluice:9090").status == .ok)
    }

    @Test("with a key everything but health needs it")
    func keys() async {
        let port = Port(key: "0123456789abcdef")
        for value in [
            "", "0123456789abcdef", "Bearer", "Bearer 0123456789abcde", "Bearer 0123456789abcdefg",
            "Basic 0123456789abcdef",
        ] {
            let answer = await port.ask(.get, "/metrics", [(.authorization, value)])
            #expect(answer.status == .unauthorized)
            #expect(answer.fields["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            #expect(!text(answer).contains("0123456789abcdef"))
        }
        #expect(await port.ask(.delete, "/cache").status == .unauthorized)
        #expect(await port.ask(.get, "/nowhere").status == .unauthorized)
        #expect(await port.ask(.get, "/metrics", [(.authorization, "bearer 0123456789abcdef")]).status == .ok)
        #expect(await port.ask(.get, "/healthz").status == .ok)
        #expect(await port.ask(.get, "/readyz").status == .serviceUnavailable)
    }

    @Test(
        "a key that is short, has blanks or isn't ASCII is none",
        arguments: ["", "0123456789abcde", "0123456789 abcdef", "0123456789abcdé€"])
    func badKeys(text: String) {
        #expect(AdminKey(text) == nil)
    }

    @Test("a key shows nothing of itself")
    func printedKey() throws {
        let key = try #require(AdminKey("0123456789abcdef"))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "…" && !dumped.contains("0123"))
    }
}

@Suite("Metrics as text")
struct ExpositionTests {
    private func metrics(_ accept: String?) async -> Response {
        await Port().ask(.get, "/metrics", accept.map { [(.accept, $0)] } ?? [])
    }

    @Test("the form is the one that the scraper likes best")
    func form() async {
        let prometheus =
            "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
        #expect(await metrics(prometheus).fields[.contentType]?.hasPrefix("application/openmetrics-text") == true)
        #expect(text(await metrics(prometheus)).hasSuffix("# EOF\n"))
        for accept in [
            nil, "*/*", "text/plain", "text/plain;q=0.9, application/openmetrics-text;q=0.1",
            "application/openmetrics-text;q=x",
        ] {
            #expect(await metrics(accept).fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    @Test("values and labels are written so that they can be read back")
    func escaping() async {
        var exposition = Exposition()
        exposition.begin("a_total", .counter, "A.")
        exposition.sample(["path": "a\"b\\c\nd"], 3)
        exposition.sample(["path": "x", "code": "1"], 0.25)
        let pages = AdminPages(
            access: AdminAccess(key: nil, host: ""),
            work: AdminPages.Work(
                metrics: { [exposition] in $0 = exposition }, readiness: { Response() }, drop: { _ in 0 }))
        let answer = try? await pages.respond(to: Request(target: Target("/metrics")))
        #expect(
            answer.map(text)
                == "# HELP a_total A.\n# TYPE a_total counter\na_total{path=\"a\\\"b\\\\c\\nd\"} 3\na_total{path=\"x\",code=\"1\"} 0.25\n"
        )
    }

    @Test("a histogram counts each duration in its bucket and all above it")
    func histogram() {
        var histogram = Histogram()
        for duration: Duration in [
            .zero, .nanoseconds(-5), .microseconds(100), .microseconds(101), .seconds(10), .seconds(11),
        ] {
            histogram.note(duration)
        }
        #expect(histogram.count == 6)
        #expect(histogram.counts.first == 3)
        #expect(histogram.counts[1] == 1)
        #expect(histogram.counts.last == 1)
        #expect(histogram.counts.reduce(0, +) == 5)
        histogram.note(.seconds(Int64.max / 4))
        #expect(histogram.count == 7)
        var both = Histogram()
        both.add(histogram)
        both.add(histogram)
        #expect(both.count == 14)
    }
}

@Suite("What workers count")
struct ExchangeFigureTests {
    @Test("workers' figures add up, by route, method and status")
    func sums() throws {
        var one = ExchangeFigures()
        one.answered(.get, route: "/films/{id}", .ok, failure: nil, missingParts: 2, in: .milliseconds(3))
        one.answered(.head, route: "/films/{id}", .ok, failure: nil, missingParts: 0, in: .milliseconds(3))
        one.attempted("swapi", .ok, bytes: 100, in: .milliseconds(2))
        var two = ExchangeFigures()
        two.answered(.get, route: "/films/{id}", .ok, failure: nil, missingParts: 0, in: .milliseconds(3))
        two.answered(.get, route: nil, .notFound, failure: "no-route", missingParts: 0, in: .zero)
        two.attempted("swapi", nil, bytes: 0, in: .seconds(5))
        one.add(two)
        let films = try #require(one.routes["/films/{id}"])
        #expect(films.counts.map { "\($0.method) \($0.code) \($0.count)" } == ["GET 200 2", "HEAD 200 1"])
        #expect(films.durations.count == 3)
        #expect(one.routes["-"]?.counts.first?.code == "404")
        #expect(one.errors == ["no-route": 1])
        #expect(one.missingParts == 2)
        let swapi = try #require(one.upstreams["swapi"])
        #expect(swapi.counts.map { "\($0.code) \($0.count)" } == ["200 1", "none 1"])
        #expect(swapi.bytes == 100)
    }

    @Test("an upstream's made-up statuses make no labels of their own")
    func oddStatuses() {
        var figures = ExchangeFigures()
        for code in 530...590 {
            guard let status = Status(code: code) else { continue }
            figures.attempted("swapi", status, bytes: 0, in: .zero)
        }
        #expect(figures.upstreams["swapi"]?.counts.map(\.code) == ["5xx"])
    }

    @Test("the kernel tells about this process")
    func process() {
        let figures = ProcessFigures()
        #expect((figures.residentMemory ?? 0) > 1 << 20)
        #expect((figures.openDescriptors ?? 0) > 2)
        #expect((figures.threads ?? 0) >= 1)
        #expect((figures.startTime ?? 0) > 1_500_000_000)
        #expect(figures.processorTime > 0)
    }
}
