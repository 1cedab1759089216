import Compression
import Testing

@Suite("Which coding a client gets")
struct NegotiationTests {
    @Test(
        "Accept-Encoding picks the coding",
        arguments: [
            (nil, nil, true), ("", nil, true), (" , ,", nil, true), ("gzip", .gzip, true), ("br", .br, true),
            ("GZip", .gzip, true), ("x-gzip", .gzip, true), ("deflate, zstd", nil, true),
            // Equal weights: br first, whatever the order.
            ("gzip, br", .br, true), ("br, gzip", .br, true), ("gzip, deflate, br, zstd", .br, true),
            ("gzip;q=0.5, br;q=0.5", .br, true),
            // Unequal ones.
            ("gzip;q=1.0, br;q=0.9", .gzip, true), ("br;q=0.001, gzip;q=0.002", .gzip, true),
            ("gzip ; Q=0.8", .gzip, true),
            ("gzip;q=0", nil, true), ("br;q=0, gzip;q=0.000", nil, true), ("br;q=0, gzip", .gzip, true),
            // `*` stands for what isn't named.
            ("*", .br, true), ("*;q=0.5, br;q=0", .gzip, true), ("gzip, *;q=0", .gzip, false), ("*;q=0", nil, false),
            ("*;q=0, identity;q=0.1", nil, true), ("br;q=0.1, *;q=0.2", .gzip, true),
            // Content as it is.
            ("identity", nil, true), ("identity, gzip", .gzip, true), ("identity;q=0.8, gzip;q=0.5", nil, true),
            ("identity;q=0.5, gzip;q=0.8", .gzip, true), ("identity;q=0", nil, false),
            ("identity;q=0, gzip;q=0.1", .gzip, false),
            ("identity;q=0, br;q=0, gzip;q=0", nil, false),
            // The first of several counts.
            ("gzip;q=0, gzip, br;q=0", nil, true),
        ] as [(String?, ContentCoding?, Bool)])
    func picks(value: String?, best: ContentCoding?, allowsIdentity: Bool) {
        let accepted = AcceptEncoding(value)
        #expect(accepted.best == best)
        #expect(accepted.allowsIdentity == allowsIdentity)
    }

    @Test(
        "a value that breaks the grammar means no coding",
        arguments: [
            "gzip;q=1.1", "gzip;q=2", "gzip;q=-1", "gzip;q=.5", "gzip;q=0.1234", "gzip;q=1.001", "gzip;q=", "gzip;q",
            "gzip;",
            "gzip;q=0,5", "gzip;level=9", "gzip;q=1;q=1", "gz ip", "\"gzip\"", "gzip;q=abc, br", ";q=1",
            "br, gzip;q=0x1",
            "identity;q=0, gzip;q=nan", "gzip\u{e9}",
        ])
    func malformed(value: String) {
        #expect(AcceptEncoding(value).best == nil)
        #expect(AcceptEncoding(value).allowsIdentity)
    }

    @Test(
        "types that are text are worth coding",
        arguments: [
            ("application/json", true), ("application/problem+json", true), ("Application/JSON ; charset=utf-8", true),
            ("text/html; charset=utf-8", true), ("text/plain", true), ("image/svg+xml", true),
            ("application/yaml", true),
            ("application/xml", true), ("text/event-stream", false), ("image/png", false), ("image/webp", false),
            ("application/gzip", false), ("application/octet-stream", false), ("video/mp4", false), ("", false),
            (nil, false),
        ] as [(String?, Bool)])
    func worth(type: String?, expected: Bool) {
        #expect(CodingRules().isWorthCoding(contentType: type, length: 10_000) == expected)
    }

    @Test("short content is left alone", arguments: [(0, nil), (859, nil), (860, .br)] as [(Int, ContentCoding?)])
    func short(length: Int, expected: ContentCoding?) {
        let coding = CodingRules().coding(acceptEncoding: "gzip, br", contentType: "application/json", length: length)
        #expect(coding == expected)
    }

    @Test("a client without Accept-Encoding gets the content as it is")
    func absent() {
        #expect(CodingRules().coding(acceptEncoding: nil, contentType: "application/json", length: 10_000) == nil)
    }

    @Test("a client that refuses uncoded content gets a coding whatever the length and type")
    func refusesIdentity() {
        let rules = CodingRules()
        #expect(rules.coding(acceptEncoding: "gzip, identity;q=0", contentType: "image/png", length: 1) == .gzip)
        #expect(rules.coding(acceptEncoding: "zstd, identity;q=0", contentType: "text/plain", length: 9999) == nil)
    }
}
