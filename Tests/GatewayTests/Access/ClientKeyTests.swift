import Gateway
import Parameters
import Testing

@Suite("Client keys")
struct ClientKeyTests {
    static let good = "9f86d081884c7d659a2feaa0"
    static let other = "Qm9va3M-and.films_2~/+=="

    @Test("what can't be a key is told by its place, and never shown", arguments: mistakes)
    func mistake(_ list: String, _ found: String) throws {
        let error = #expect(throws: ParameterMistake.self) { try ClientKeys(list: list, source: "KEYS") }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("KEYS: found \(found)"), "\(text)")
        for key in list.split(separator: ",") where key.count > 4 { #expect(!text.contains(key)) }
    }

    static let mistakes: [(String, String)] = [
        ("\(good),", "key 2 without a character"),
        (",\(good)", "key 1 without a character"),
        ("\(good), \(other)", "key 2 with a blank in or around it"),
        ("\(good)\t", "key 1 with a blank in or around it"),
        ("secret", "key 1 of 6 characters, expected 16 to 512 characters; `openssl rand -hex 24` makes a good one"),
        (String(repeating: "aB3", count: 171), "key 1 of 513 characters"),
        ("abababababababababab", "key 1 that is easily guessed"),
        ("\(good),\(other),\(good)", "key 3, which is key 1 again"),
        ("schlüssel-schlüssel", "key 1 with a character that can't be in one"),
        ("a=b4567890123456789", "key 1 with a character that can't be in one"),
        ("================", "key 1 with a character that can't be in one"),
    ]

    @Test("a list of good keys is taken, and so is a file with remarks")
    func good() throws {
        _ = try ClientKeys(list: "\(Self.good),\(Self.other)", source: "KEYS")
        _ = try ClientKeys(file: "# phone\r\n\(Self.good)\r\n\n# web\n\(Self.other)\n", source: "keys.txt")
    }

    @Test("a file with nothing but remarks is a mistake, and so is a blank before a key")
    func file() {
        #expect(throws: ParameterMistake.self) { try ClientKeys(file: "# none\n\n", source: "keys.txt") }
        #expect(throws: ParameterMistake.self) { try ClientKeys(file: " \(Self.good)\n", source: "keys.txt") }
    }

    @Test("no dump of the keys shows one")
    func dumped() throws {
        let keys = try ClientKeys(list: Self.good, source: "KEYS")
        var text = ""
        dump(keys, to: &text)
        #expect(!text.contains(Self.good))
    }

    @Test("keys are needed for what they are asked for")
    func contradictions() throws {
        let keys = try ClientKeys(list: Self.good, source: "KEYS")
        #expect(throws: ParameterMistake.self) {
            try AccessRules(keys: nil, isLoopback: true, opensWrites: false, requiresKey: true)
        }
        #expect(throws: ParameterMistake.self) {
            try AccessRules(keys: keys, isLoopback: false, opensWrites: true, requiresKey: false)
        }
        let cases: [(keys: ClientKeys?, isLoopback: Bool, opens: Bool, AccessRules.Writes)] = [
            (nil, true, false, .open), (nil, false, false, .closed), (nil, false, true, .open),
            (keys, true, false, .keyed), (keys, false, false, .keyed),
        ]
        for (keys, isLoopback, opens, writes) in cases {
            let rules = try AccessRules(keys: keys, isLoopback: isLoopback, opensWrites: opens, requiresKey: false)
            #expect(rules.writes == writes)
        }
    }

    @Test("only the names and addresses of this machine are loopback")
    func loopback() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.9.9:8080", "::1", "[::1]", "[::1]:8080"] {
            #expect(AccessRules.isLoopback(host: host), "\(host)")
        }
        for host in [
            "0.0.0.0", "::", "", "10.0.0.1", "127.0.0.1.evil.example", "127.evil.example", "localhost.evil.example",
            "127.1", "127.0.0.256", "evil.example", "[::2]",
        ] {
            #expect(!AccessRules.isLoopback(host: host), "\(host)")
        }
    }

    @Test("an origin is taken only as a browser writes it", arguments: badOrigins)
    func origin(_ list: String, _ found: String) {
        let error = #expect(throws: ParameterMistake.self) { try Origins(list: list) }
        #expect(error?.description.hasPrefix("--cors-origin: found \(found)") == true, "\(String(describing: error))")
    }

    static let badOrigins: [(String, String)] = [
        ("*", "\"*\""), ("null", "\"null\""), ("films.example", "\"films.example\""),
        ("https://films.example/", "\"https://films.example/\", expected the origin alone: https://films.example"),
        ("https://films.example/app", "\"https://films.example/app\""), ("https://*.example", "\"https://*.example\""),
        ("https://a.example,", "an empty origin"),
        ("https://a.example,https://A.example", "\"https://a.example\" twice"),
        ("https://u@films.example", "\"https://u@films.example\""), ("https://films.example:99999", "\"https://films"),
        ("https:films.example", "\"https:films.example\""), ("app:///", "\"app:///\""),
    ]

    @Test("origins of pages and of apps are taken")
    func origins() throws {
        _ = try Origins(list: "https://films.example, http://localhost:3000,http://[::1]:3000,capacitor://localhost")
        _ = try Origins(list: "")
    }
}
