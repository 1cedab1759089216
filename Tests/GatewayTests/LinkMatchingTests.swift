import HTTP
import Testing

@testable import Plan

/// Addresses are matched in a short way where they are as usual and in a long way where not: both must say the same.
@Suite("Matching of links")
struct LinkMatchingTests {
    private static let matcher: LinkMatcher = {
        var one = UpstreamPlan(name: "one", base: BaseURL("https://one.example/api")!)
        one.aliases = [BaseURL("http://old.example")!, BaseURL("https://one.example/api/v2")!]
        let two = UpstreamPlan(name: "two", base: BaseURL("http://127.0.0.1:8000/api")!)
        let paths = [
            ("/films/{id}/", 0), ("/films/", 0), ("/{kind}/{id}", 0), ("/films/latest", 0), ("/a b/{id}", 0),
            ("/films/{id}", 1), ("/", 1), ("/{x}", 1),
        ]
        let operations = paths.enumerated().map { index, path in
            let template = PathTemplate(path.0)!
            return Operation(id: "o\(index)", path: template, upstream: path.1, upstreamPath: template)
        }
        return LinkMatcher(upstreams: [one, two], operations: operations)
    }()

    private static let addresses = [
        "https://one.example/api/films/1/", "http://one.example/api/films/1", "https://one.example/api/films/",
        "https://one.example/api/films", "https://one.example/api/films/latest", "https://one.example/api/v2/films/1/",
        "http://old.example/films/1/", "https://old.example/films/1/?a=b&c", "https://one.example/api/people/1?",
        "https://one.example/api/a%20b/1", "https://one.example/apis/films/1/", "https://one.example/films/1/",
        "http://127.0.0.1:8000/api/films/7", "https://127.0.0.1:8000/api/films/7", "http://127.0.0.1:8000/api",
        "http://127.0.0.1:8000/api/", "http://127.0.0.1:8000/api/x?q=%2F", "http://127.0.0.1:8000/api?x",
        "http://127.0.0.1:80/api/films/7", "https://one.example:443/api/films/1/",
        "https://one.example:80/api/films/1/",
        "HTTPS://ONE.EXAMPLE/api/films/1/", "/api/films/1/", "//one.example/api/films/1/", "", "/", "unknown",
        "https://one.example/api/films/1/#x", "https://one.example/api/films/1/?x#y",
        "https://one.example/api//films/1/",
        "https://one.example/api/films/../1/", "https://one.example/api/films/./", "https://one.example/api/films/.x",
        "https://one.example/api/films/1;v=2/", "https://one.example/api/films/é/", "https://one.example/api/films/1//",
        "https://one.example/api/films/%2e%2e/", "https://one.example/api/films/a%2fb/",
        "https://one.example/api/x/%zz",
        "https://one.example/api/films/1\\2/", "https://one.example/api/films/1 2/",
        "https://one.example@evil.example/",
    ]

    @Test("the short way says what the long way says, or leaves it to that", arguments: addresses)
    func agreement(address: String) {
        for upstream in 0...1 {
            for preferred in [nil] + Array(0..<8) {
                let long = Self.matcher.matchText(address, from: upstream, preferring: preferred)
                let short = Self.matcher.matchBytes(Array(address.utf8)[...], from: upstream, preferring: preferred)
                if let short { #expect(short == long) }
                #expect(Self.matcher.match(address, from: upstream, preferring: preferred) == long)
            }
        }
    }

    @Test("changed by a byte they agree too")
    func changes() {
        for address in Self.addresses {
            let bytes = Array(address.utf8)
            for position in bytes.indices {
                for byte in "/%.?#:@ \\;x0A&~\u{7}".utf8 {
                    var changed = bytes
                    changed[position] = byte
                    guard let short = Self.matcher.matchBytes(changed[...], from: 0, preferring: 0) else { continue }
                    let text = String(decoding: changed, as: UTF8.self)
                    #expect(short == Self.matcher.matchText(text, from: 0, preferring: 0), "\(text)")
                }
            }
        }
    }

    @Test("the usual links take the short way")
    func short() throws {
        let address = Array("http://one.example/api/films/1/?page=2".utf8)
        let match = try #require(Self.matcher.matchBytes(address[...], from: 0, preferring: 0))
        #expect(match.operation == 0)
        #expect(match.parameters == ["id": "1"])
        #expect(match.query == "page=2")
        #expect(match.endsInSlash)
    }
}
