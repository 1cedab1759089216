import Gateway
import GatewayTesting
import HTTP
import Loop
import Plan
import Testing

@Suite("Who may ask for what")
struct AccessTests {
    private static let contract = """
        openapi: 3.1.0
        info: {title: Notes, version: "1"}
        x-sluice-upstreams:
          notes: {url: "https://notes.example", pass: [Authorization, X-API-Key], cache: {ttl: 1m}}
        x-sluice: {upstream: notes}
        paths:
          /notes:
            get: {operationId: listNotes}
            post: {operationId: addNote}
        """
    private static let key = ClientKeyTests.good

    /// Which gateway is asked.
    struct Setting: Sendable {
        var keys: String? = key
        var isLoopback = false
        var opensWrites = false
        var requiresKey = false
        var origins = ""
    }

    private func ask(
        _ setting: Setting, _ method: Method, _ path: String = "/notes", _ fields: [(FieldName, String)] = [],
        authority: String = "gateway.example"
    ) async throws -> (response: Response, asked: [Request]) {
        let plan = try PlanLoader().load(
            sources: [("notes.yaml", Array(Self.contract.utf8))], environment: [:])
        var settings = GatewaySettings()
        settings.access = try AccessRules(
            keys: try setting.keys.map { try ClientKeys(list: $0, source: "KEYS") }, isLoopback: setting.isLoopback,
            opensWrites: setting.opensWrites, requiresKey: setting.requiresKey)
        settings.origins = try Origins(list: setting.origins)
        let request = Request(
            method: method, target: Target(path), fields: Fields(fields), authority: authority)
        return try await LoopThread.run { [settings] loop in
            let upstream = ScriptedUpstream(name: "notes", clock: ManualClock(loop: loop))
            upstream.answer("GET /notes", with: .json("[1]"))
            upstream.answer("POST /notes", with: .json("2"))
            let gateway = Gateway(plan: plan, upstreams: [upstream], settings: settings)
            return (try await gateway.respond(to: request), upstream.log)
        }
    }

    private func lines(_ fields: Fields) -> [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String) { lines.append((name, value)) }
        fields.forEach(add)
        return lines
    }

    private func code(_ response: Response) async throws -> String {
        let text = String(decoding: try await response.body.collected(limit: 1 << 16), as: UTF8.self)
        return text.split(separator: "\"code\":\"").dropFirst().first.map { String($0.prefix { $0 != "\"" }) } ?? text
    }

    typealias Line = (FieldName, String)
    private static let shown: [[Line]] = [
        [("Authorization", "Bearer " + key)], [("Authorization", "bEARER   " + key)], [("X-API-Key", key)],
        [("X-API-Key", key), ("Authorization", "Basic dTpw")],
    ]

    @Test("a change needs a key, and the key goes no further", arguments: shown)
    private func keyed(_ fields: [Line]) async throws {
        let (response, asked) = try await ask(Setting(), .post, "/notes", fields)
        #expect(response.status == .ok)
        #expect(asked.count == 1)
        for (name, value) in lines(asked[0].fields) { #expect(!value.contains(Self.key), "\(name)") }
        #expect(asked[0].fields[.authorization] == (fields.count == 2 ? "Basic dTpw" : nil))
    }

    private static let refusals: [([Line], String)] = [
        ([], "key-required"), ([("Authorization", "Basic dTpw")], "key-required"),
        ([("Authorization", "Bearer \(key)x")], "wrong-key"), ([("Authorization", "Bearer")], "wrong-key"),
        ([("X-API-Key", "")], "wrong-key"), ([("X-API-Key", String(key.dropLast()))], "wrong-key"),
        ([("X-API-Key", key), ("X-API-Key", key)], "wrong-key"),
        ([("X-API-Key", "x"), ("Authorization", "Bearer \(key)")], "wrong-key"),
        ([("X-API-Key", key.uppercased())], "wrong-key"),
    ]

    @Test("a wrong key is told apart from none, and neither reaches the upstream", arguments: refusals)
    private func refused(_ fields: [Line], _ expected: String) async throws {
        let (response, asked) = try await ask(Setting(), .post, "/notes", fields)
        #expect(response.status == .unauthorized)
        #expect(try await code(response) == expected)
        #expect(response.fields["WWW-Authenticate"]?.hasPrefix("Bearer realm=\"sluice\"") == true)
        #expect(response.fields[.contentType] == "application/problem+json")
        #expect(asked.isEmpty)
    }

    @Test("reading needs no key, but a wrong one is never taken for none")
    func reading() async throws {
        #expect(try await ask(Setting(), .get).response.status == .ok)
        let (response, asked) = try await ask(Setting(), .get, "/notes", [("X-API-Key", "wrong")])
        #expect(response.status == .unauthorized)
        #expect(asked.isEmpty)
    }

    @Test("where there are no keys, what a client sends for its upstream is passed on")
    func passed() async throws {
        let (response, asked) = try await ask(
            Setting(keys: nil, isLoopback: true), .get, "/notes",
            [("X-API-Key", "theirs"), (.authorization, "Bearer t")])
        #expect(response.status == .ok)
        #expect(asked[0].fields["X-API-Key"] == "theirs")
        #expect(asked[0].fields[.authorization] == "Bearer t")
    }

    @Test("a gateway for other machines without keys changes nothing and says what to set")
    func closed() async throws {
        let (response, asked) = try await ask(Setting(keys: nil), .post)
        #expect(response.status == .forbidden)
        let text = String(decoding: try await response.body.collected(limit: 1 << 16), as: UTF8.self)
        #expect(text.contains("SLUICE_CLIENT_KEYS") && text.contains("--open-writes"))
        #expect(asked.isEmpty)
        #expect(try await ask(Setting(keys: nil), .get).response.status == .ok)
        #expect(try await ask(Setting(keys: nil, opensWrites: true), .post).response.status == .ok)
        #expect(try await ask(Setting(keys: nil, isLoopback: true), .post).response.status == .ok)
    }

    @Test("where reading needs a key, only the pages for probes do without, and nobody else may keep an answer")
    func required() async throws {
        let setting = Setting(requiresKey: true)
        for path in ["/notes", "/", "/openapi.json", "/nowhere"] {
            #expect(try await ask(setting, .get, path).response.status == .unauthorized, "\(path)")
        }
        for path in ["/healthz", "/readyz"] {
            #expect(try await ask(setting, .get, path).response.status == .ok, "\(path)")
        }
        #expect(try await ask(setting, .options).response.status == .unauthorized)
        #expect(try await ask(setting, .post, "/healthz").response.status == .unauthorized)
        let (response, _) = try await ask(setting, .get, "/notes", [("X-API-Key", Self.key)])
        #expect(response.status == .ok)
        #expect(response.fields[.cacheControl] == "private, max-age=60")
        #expect(response.fields.values(.vary).contains("Authorization, X-API-Key"))
    }

    @Test(
        "without keys, no page of another origin changes anything",
        arguments: [
            ("https://evil.example", "127.0.0.1:8080", false), ("null", "127.0.0.1:8080", false),
            ("http://127.0.0.1:8080", "127.0.0.1:8080", true), ("http://localhost:8080", "localhost:8080", true),
            ("http://localhost:3000", "localhost:8080", false),
            // A name of theirs that leads to this machine.
            ("http://evil.example:8080", "evil.example:8080", false), ("https://films.example", "127.0.0.1:8080", true),
        ])
    func pages(_ origin: String, _ authority: String, _ isLetIn: Bool) async throws {
        let (response, asked) = try await ask(
            Setting(keys: nil, isLoopback: true, origins: "https://films.example"), .post, "/notes",
            [("Origin", origin)], authority: authority)
        #expect(response.status == (isLetIn ? .ok : .forbidden))
        #expect(asked.count == (isLetIn ? 1 : 0))
    }

    // MARK: CORS

    private static let films = Setting(origins: "https://films.example")

    @Test("an answer says nothing of pages where no origin is listed")
    func silent() async throws {
        let (response, _) = try await ask(Setting(), .get, "/notes", [("Origin", "https://films.example")])
        for (name, value) in lines(response.fields) {
            #expect(!name.lowercased().hasPrefix("access-control") && !value.contains("Origin"))
        }
    }

    @Test("a page of a listed origin may read every answer, errors too; others get nothing")
    func granted() async throws {
        for path in ["/notes", "/nowhere", "/notes?x=1", "/healthz"] {
            let (response, _) = try await ask(Self.films, .get, path, [("Origin", "https://films.example")])
            #expect(response.fields["Access-Control-Allow-Origin"] == "https://films.example", "\(path)")
            #expect(response.fields["Access-Control-Expose-Headers"]?.contains("ETag") == true)
            for origin in [
                "https://films.example.evil.example", "http://films.example", "null", "https://FILMS.example",
            ] {
                let (other, _) = try await ask(Self.films, .get, path, [("Origin", origin)])
                #expect(!other.fields.contains("Access-Control-Allow-Origin"), "\(origin)")
                #expect(other.fields.values(.vary).contains("Origin"))
            }
            #expect(try await ask(Self.films, .get, path).response.fields.values(.vary).contains("Origin"))
        }
    }

    @Test("a preflight names the path's methods and those of the asked fields that are taken")
    func preflight() async throws {
        var setting = Self.films
        for requiresKey in [false, true] {
            setting.requiresKey = requiresKey
            let (response, asked) = try await ask(
                setting, .options, "/notes",
                [
                    ("Origin", "https://films.example"), ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "content-type, x-api-key,x-else"),
                ])
            #expect(response.status == .noContent)
            #expect(response.fields["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS, POST")
            #expect(response.fields["Access-Control-Allow-Headers"] == "content-type, x-api-key")
            #expect(response.fields["Access-Control-Max-Age"] == "600")
            #expect(asked.isEmpty)
        }
        let (other, _) = try await ask(
            Self.films, .options, "/notes",
            [("Origin", "https://else.example"), ("Access-Control-Request-Method", "POST")])
        for (name, _) in lines(other.fields) { #expect(!name.lowercased().hasPrefix("access-control")) }
    }
}
