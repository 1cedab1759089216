import HTTP
import Testing

@testable import Gateway

@Suite("Negotiation")
struct NegotiationTests {
    @Test(
        "a browser prefers HTML, a program JSON",
        arguments: [
            (nil, false), ("*/*", false), ("application/json", false), ("text/html", true),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
            ("application/json, text/html;q=0.9", false), ("text/html;q=0.9, application/json", false),
            ("application/json, text/html", false), ("text/html, application/json", true),
            ("text/*", false), ("text/html;q=0", false), ("TEXT/HTML; Q=0.5, */*;q=0.4", true),
            ("text/html;q=x", false), ("", false), (";;,,", false),
        ] as [(String?, Bool)])
    func html(accept: String?, expected: Bool) {
        #expect(MediaRanges(accept).prefers("text/html", to: "application/json") == expected)
    }

    @Test("the most exact range counts")
    func quality() {
        let ranges = MediaRanges("*/*;q=0.1, text/*;q=0.5, text/html;q=0.9")
        #expect(ranges.quality(of: "text/html") == 0.9)
        #expect(ranges.quality(of: "text/plain") == 0.5)
        #expect(ranges.quality(of: "image/png") == 0.1)
        #expect(MediaRanges("text/html").quality(of: "image/png") == 0)
    }

    @Test(
        "handling=strict is found among other preferences",
        arguments: [
            (["handling=strict"], true), (["Handling=Strict"], true), (["handling=\"strict\""], true),
            (["handling = strict"], true), (["respond-async, handling=strict; foo=1"], true),
            (["respond-async", "handling=strict"], true), (["handling=lenient"], false), ([], false),
            (["handling=lenient, handling=strict"], false), (["handling"], false), (["handling=strictly"], false),
            (["xhandling=strict"], false), (["foo=\"a, handling=strict\""], false), (["foo; handling=strict"], false),
        ] as [([String], Bool)])
    func preference(values: [String], isStrict: Bool) {
        #expect(Preferences(Fields(values.map { (.prefer, $0) })).isStrict == isStrict)
    }

    @Test(
        "If-None-Match is compared weakly",
        arguments: [
            ("\"abc\"", true), ("W/\"abc\"", true), ("\"x\", \"abc\"", true), ("W/\"x\",W/\"abc\"", true), ("*", true),
            (" * ", true), (nil, false), ("", false), ("\"ab\"", false), ("\"abcd\"", false), ("abc", false),
            ("\"abc", false), ("\"x,abc\"", false), ("\"x\"\"abc\"", true), ("**", false),
        ] as [(String?, Bool)])
    func tag(value: String?, matches: Bool) { #expect(EntityTag("abc").isNamed(by: value) == matches) }
}
