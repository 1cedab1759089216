import HTTP
import JSON
import Plan
import Testing

@testable import Gateway

/// The search alone: spellings, pieces, and what is no credential. Answers as a whole are in `secrets-in-answers.md`.
@Suite("Credentials in texts")
struct SecretSearchTests {
    private static let key = "9xk4wq7ztb2g1fnp8hd3ry6659bbjm0e"
    private static let digest = "ffd275c5130566a2916217b101f26150"

    private func search(_ secrets: [String]) throws -> SecretSearch {
        var upstream = UpstreamPlan(name: "test", base: try #require(BaseURL("https://test.example")))
        upstream.credentials = secrets.map(Secret.init)
        upstream.auth = .md5Query(
            timestamp: "ts", key: "apikey", digest: "hash", publicKey: Secret(secrets.first ?? ""),
            privateKey: Secret(secrets.last ?? ""))
        return try #require(SecretSearch(upstream))
    }

    private static func entities(_ text: String) -> String { text.unicodeScalars.map { "&#\($0.value);" }.joined() }
    private static func percent(_ text: String) -> String {
        String(decoding: text.utf8.flatMap { Percent.encoded($0) }, as: UTF8.self)
    }
    private static func escapes(_ text: String) -> String {
        text.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    }

    private static let spellings: [@Sendable (String) -> String] = [
        { $0 }, { "the key \($0) is wrong" }, { $0.uppercased() }, percent, { percent(percent($0)) },
        { "100% \(percent($0))" },
        { "S%E3o \(percent($0))" }, { "a%0A\(percent($0))%" }, { "\(percent($0))%C" }, entities,
        { percent(entities($0)) },
        { entities(percent($0)) }, escapes, { percent(escapes($0)) }, { "\($0.prefix(20))\r\n   \($0.dropFirst(20))" },
        { "\($0.prefix(9))\u{AD}\($0.dropFirst(9))" }, { "\($0.prefix(9))\u{200B}\($0.dropFirst(9))" },
        { "\($0.prefix(9))\u{301}\($0.dropFirst(9))" }, { "\($0.prefix(9))&shy;\($0.dropFirst(9))" },
        { "\($0.prefix(9))\n\($0.dropFirst(9))" }, { "\($0.prefix(20))…" }, { "…\($0.suffix(12))" },
        { "…\($0.dropFirst(5).prefix(12))…" },
        { String(String.UnicodeScalarView($0.unicodeScalars.map { Unicode.Scalar($0.value + 0xFEE0) ?? $0 })) },
        { $0.utf8.map { "\\x" + String($0, radix: 16) }.joined() },
        { $0.utf8.map { "%u00" + String($0, radix: 16) }.joined() },
        { $0.utf8.map { "\\u{" + String($0, radix: 16) + "}" }.joined() },
    ]

    @Test("a key and a digest are found however they are spelled", arguments: spellings.indices)
    func spelling(_ index: Int) throws {
        let search = try search([Self.key]).with(digests: [Self.digest])
        for secret in [Self.key, Self.digest] {
            let text = Self.spellings[index](secret)
            #expect(search.holds(text), "\(text)")
            // The glance at the whole answer must not say that there is nothing.
            #expect(search.mayBeIn(JSONText.quoted(text)), "\(text)")
            #expect(search.withoutSecrets(text) == nil)
            #expect(search.withoutSecrets("https://h.test/a?b=1&x=\(Percent.encoded(text))") == "https://h.test/a?b=1")
        }
    }

    @Test("the beginning and the end of a key are found from 8 signs on, any part from 12 on")
    func pieces() throws {
        let search = try search([Self.key])
        for length in 8...32 {
            #expect(search.holds("a " + Self.key.prefix(length) + "…"), "\(length)")
            #expect(search.holds("a " + Self.key.suffix(length) + " b"), "\(length)")
        }
        for start in 0...20 { #expect(search.holds("…" + Self.key.dropFirst(start).prefix(12) + "…"), "\(start)") }
        for start in 1...23 { #expect(!search.holds("…" + Self.key.dropFirst(start).prefix(8) + "…"), "\(start)") }
        for length in 0...7 { #expect(!search.holds("a " + Self.key.prefix(length) + " " + Self.key.suffix(length))) }
    }

    @Test("any 12 digits of a digest are found, also before its name was read anywhere")
    func digests() throws {
        let search = try search([Self.key]).with(digests: [Self.digest])
        for start in 0...20 { #expect(search.holds("x" + Self.digest.dropFirst(start).prefix(12) + "y"), "\(start)") }
        for start in 0...21 { #expect(!search.holds("x" + Self.digest.dropFirst(start).prefix(11) + "y"), "\(start)") }
    }

    @Test(
        "a digest of another request is found behind its name",
        arguments: ["hash=", "hash%3D", "hash&#61;", "hash\\u003d"])
    func named(name: String) throws {
        let search = try search([Self.key])
        #expect(search.holds("a?ts=1&" + name + Self.digest))
        #expect(search.mayBeIn(JSONText.quoted("a?ts=1&" + name + Self.digest)))
        #expect(!search.holds(Self.digest))
    }

    @Test(
        "base64 of a key is found wherever it stands in the text that was encoded",
        arguments: [
            "OXhrNHdxN3p0YjJnMWZucDhoZDNyeTY2NTliYmptMGU=", "dTo5eGs0d3E3enRiMmcxZm5wOGhkM3J5NjY1OWJiam0wZQ==",
            "dXM6OXhrNHdxN3p0YjJnMWZucDhoZDNyeTY2NTliYmptMGU6eA==", "dToxOjl4azR3cTd6dGIyZzFmbnA4aGQzcnk2NjU5YmJqbTBl",
        ])
    func base64(text: String) throws {
        #expect(try search([Self.key]).holds("Authorization: Basic " + text))
    }

    @Test("a short key is found as a whole only, a very short one as the value of an address' parameter")
    func shortKeys() throws {
        let search = try search(["abcd1234", "1234", "пароль"])
        #expect(search.holds("key ABCD1234 is"))
        #expect(!search.holds("key abcd123 is"))
        #expect(!search.holds("1234 of 4321"))
        #expect(search.withoutSecrets("http://h.test/?a=1234&b=12345") == "http://h.test/?b=12345")
        #expect(search.withoutSecrets("http://h.test/?a=%31234&b=%E31234") == "http://h.test/?b=%E31234")
        #expect(search.holds("the пароль"))
        #expect(search.withoutSecrets("http://h.test/?a=１２３４&b=é1234&c=%FF1234") == "http://h.test/?b=é1234&c=%FF1234")
        #expect(search.withoutSecrets("x?a=1234&b=1") == "x?b=1")
        #expect(search.withoutSecrets("x?a=%2Fy%3Fb%3D1234&b=/y?b=12345") == "x?b=/y?b=12345")
        #expect(try self.search(["sHort7x"]).withoutSecrets("x?a=ShOrT7X#b") == "x#b")
        #expect(search.mayBeIn(Array(#"{"a":"x?a=1234"}"#.utf8)))
    }

    @Test(
        "each address in a text loses its own parameters, and the text between them stays",
        arguments: [
            (
                "<http://h.test/?a=K&b=1>; rel=\"next\", <c?d=K>; rel=last",
                "<http://h.test/?b=1>; rel=\"next\", <c>; rel=last"
            ),
            ("http://h.test/?a=K, http://h.test/?a=K&b=1", "http://h.test/, http://h.test/?b=1"),
            ("http://h.test/?a=K,http://h.test/?b=1,2;/c?a=K", "http://h.test/,http://h.test/?b=1,2;/c"),
            ("5; url=\"/x?a=K&b=1#c\"", "5; url=\"/x?b=1#c\""), ("5;url=x?a=K;", "5;url=x;"),
            ("http://h.test/?b=two words&a=K", "http://h.test/?b=two words"),
            ("what? <b?a=K> no?", "what? <b> no?"), ("?", "?"), ("<?>,;", "<?>,;"),
        ])
    func addresses(given: String, expected: String) throws {
        let search = try search([Self.key])
        let text = given.split(separator: "K", omittingEmptySubsequences: false).joined(separator: Self.key)
        #expect(search.withoutSecrets(text) == expected)
        #expect(search.cutOut(text) == expected)
    }

    @Test(
        "fields lose their credentials: a line by its name, a value by its addresses or its words, and all of one that can't be cut"
    )
    func fields() throws {
        let search = try search([Self.key])
        let wide = String(
            String.UnicodeScalarView(Self.key.unicodeScalars.map { Unicode.Scalar($0.value + 0xFEE0) ?? $0 }))
        var fields = Fields([
            ("X-Empty", ""), ("X-Words", "the \(Self.key) is"), ("X-Wide", wide), ("Location", "/a?b=\(wide)"),
        ])
        fields.append(nameBytes: "X-\(Self.key)".utf8, valueBytes: "1".utf8)
        fields.append(nameBytes: "X-Odd".utf8, valueBytes: Array("\(Self.key) ".utf8) + [0xE4])
        fields.append(nameBytes: "X-Odd-Wide".utf8, valueBytes: Array(wide.utf8) + [0xE4])
        fields.append(nameBytes: "X-Latin".utf8, valueBytes: [0xE4])
        let cleaned = search.cleaned(fields)
        var expected = Fields([("X-Empty", ""), ("X-Words", "the  is"), ("Location", "/a")])
        expected.append(nameBytes: "X-Odd".utf8, valueBytes: [0x20, 0xE4])
        expected.append(nameBytes: "X-Latin".utf8, valueBytes: [0xE4])
        #expect(cleaned == expected)
    }

    @Test(
        "ordinary texts hold no credential",
        arguments: [
            "", "a", "d41d8cd98f00b204e9800998ecf8427e", "http://i.test/u/prod/i/mg/a/bc/4ce5a473b81b3.jpg",
            "2024-05-22T00:00:00-0400",
            "75960600000000311", "550e8400-e29b-41d4-a716-446655440000", "9xk4wq7",
            "100% of R&D; \\o/ &amp; \u{FFFD}\u{0}",
            "%", "%4", "&#", "&#x;", "&#99999999999;", "\\", "\\u", "\\ud800", "\\u{}", "\\u{1234567}", "%u12",
            "\u{EF}", "ｗ",
        ])
    func ordinary(text: String) throws {
        let search = try search([Self.key, Self.key + "x", "weather-service-key-of-my-company"]).with(digests: [
            Self.digest
        ])
        #expect(!search.holds(text))
        #expect(search.withoutSecrets(text) == text)
    }

    @Test("counting up is no telling part of a key")
    func sequences() throws {
        let search = try search(["canarypublickey0123456789abcdef01"])
        #expect(!search.holds("http://i.test/u/prod/i/mg/a/bc/0123456789abc.jpg"))
        #expect(search.holds("publickey0123456789ab"))
        #expect(search.holds("canarypublickey0123456789abcdef01"))
    }

    @Test("letters alone are no telling beginning of a key")
    func words() throws {
        let search = try search(["weather-service-key-of-my-company"])
        #expect(!search.holds("weather-stations of my company"))
        #expect(search.holds("weather-service-key-o"))
    }

    @Test("an answer of many megabytes without a credential is read once")
    func large() throws {
        let search = try search([Self.key])
        let text = Array(String(repeating: "{\"a\":\"http://x.test/?a=1&b=2\",\"n\":[1,2,3]},", count: 20_000).utf8)
        #expect(!search.mayBeIn(text))
        #expect(search.mayBeIn(text + Array("\"\(Self.percent(Self.key))\"".utf8)))
    }
}
