import HTTP
import Testing

@testable import Cache

/// Parts of the whole: RFC 9111, sections 3.3 and 3.4; RFC 9110, sections 14 and 15.3.7.
struct PartTests {
    static let whole = "0123456789"

    /// - Parameter bytes: `2-5`, of ten.
    static func part(_ bytes: String, _ text: String = "ETag: \"a\"", total: Int = 10) -> StoredAnswer {
        let ends = bytes.split(separator: "-").compactMap { Int($0) }
        let body = String(whole.dropFirst(ends[0]).prefix(ends[1] - ends[0] + 1))
        return stored(
            "Cache-Control: max-age=60\n\(text)\nContent-Range: bytes \(bytes)/\(total)", 206, to: "Range: x",
            body: body)
    }

    @Test(
        "what a Content-Range says",
        arguments: [
            ("bytes 2-5/10", 2..<6), ("BYTES 0-0/1", 0..<1), ("bytes 2-5/*", nil), ("bytes */10", nil),
            ("bytes 5-2/10", nil),
            ("bytes 2-10/10", nil), ("bytes 2-5/5", nil), ("lines 2-5/10", nil), ("bytes -5/10", nil),
            ("bytes 2-/10", nil),
            ("bytes 2-99999999999999999999/10", nil), ("bytes 0-9223372036854775807/9223372036854775807", nil),
            ("bytes 2-5", nil), ("bytes=2-5/10", nil), ("2-5/10", nil), ("", nil), ("bytes +2-5/10", nil),
            ("bytes /-", nil),
        ] as [(String, Range<Int>?)])
    func extent(value: String, bytes: Range<Int>?) {
        #expect(Extent(fields("Content-Range: \(value)"))?.bytes == bytes)
    }

    @Test(
        "a part answers what asks for bytes of it, and nothing else",
        arguments: [
            ("Range: bytes=2-5", "2345"), ("Range: bytes=3-4", "34"), ("Range: bytes=-5", nil),
            ("Range: bytes=2-6", nil),
            ("Range: bytes=1-2", nil), ("Range: bytes=4-", nil), ("Range: bytes=20-", nil), ("Range: bytes=a", nil),
            ("", nil),
            ("Range: bytes=3-4\nIf-Range: \"a\"", "34"), ("Range: bytes=3-4\nIf-Range: \"b\"", nil),
        ] as [(String, String?)])
    func covers(text: String, body: String?) async throws {
        let part = PartTests.part("2-5")
        let lookup = Lookup(request(text), among: [part], at: now, rules: .exact)
        #expect(lookup.action == (body == nil ? .forward : .serve))
        #expect(lookup.reason == (body == nil ? .partial : nil))
        #expect(Lookup(request(text, .head), among: [part], at: now, rules: .exact).action == .forward)
        guard let body, let selected = lookup.selected else { return }
        let response = selected.response(to: request(text), at: now, status: nil)
        #expect(response.status == .partialContent)
        #expect(String(decoding: try await response.body.collected(limit: 100), as: UTF8.self) == body)
    }

    @Test("an old part is asked for again, not about")
    func stale() {
        let lookup = Lookup(request("Range: bytes=2-3"), among: [PartTests.part("2-5")], at: later(61), rules: .exact)
        #expect(lookup.action == .forward && lookup.reason == .stale)
    }

    @Test("parts with the same strong tag grow together, in any order, to the whole")
    func grows() {
        for order in [["0-3", "4-6", "7-9"], ["7-9", "0-3", "4-6"], ["3-9", "2-4", "0-5"], ["4-6", "7-9", "0-3"]] {
            var all: StoredAnswer?
            var kept: [StoredAnswer] = []
            for bytes in order {
                let answer = PartTests.part(bytes).completed(by: kept)
                kept = kept.filter { !$0.isReplaced(by: answer) } + [answer]
                all = answer
            }
            #expect(all?.status == .ok && all?.extent == nil && kept.count == 1)
            #expect(all.map { String(decoding: $0.content, as: UTF8.self) } == PartTests.whole)
            #expect(all?.fields["Content-Range"] == nil)
        }
    }

    @Test(
        "parts of what may be something else stay apart",
        arguments: [
            ("ETag: \"a\"", "ETag: \"b\""), ("ETag: W/\"a\"", "ETag: W/\"a\""), ("X: y", "X: y"),
            ("ETag: a", "ETag: a"),
            ("Last-Modified: \(date(-50))", "Last-Modified: \(date(-50))"),
        ])
    func apart(one: String, other: String) {
        let old = PartTests.part("0-4", one)
        let new = PartTests.part("5-9", other)
        #expect(new.completed(by: [old]) === new && old.isReplaced(by: new))
    }

    @Test("parts with something between them are kept side by side; of wholes of different length they aren't joined")
    func gaps() {
        let (first, last) = (PartTests.part("0-2"), PartTests.part("7-9"))
        #expect(last.completed(by: [first]) === last && !first.isReplaced(by: last))
        let longer = PartTests.part("3-9", total: 20)
        #expect(longer.completed(by: [first]) === longer)
    }

    @Test("a part isn't kept beside the whole, nor a crumb beside a loaf")
    func needless() {
        let part = PartTests.part("0-2")
        let whole = stored("Cache-Control: max-age=60\nETag: \"a\"", body: PartTests.whole)
        #expect(part.isNeedless(beside: [whole], at: now) && !part.isNeedless(beside: [whole], at: later(61)))
        #expect(
            !part.isNeedless(beside: [PartTests.part("3-9")], at: now) && !whole.isNeedless(beside: [part], at: now))
        let size = 2 << 20
        let loaf = stored(
            "Cache-Control: max-age=60\nETag: \"a\"\nContent-Range: bytes 3-\(size + 2)/\(size * 2)", 206,
            to: "Range: x",
            body: String(repeating: "x", count: size))
        let crumb = stored(
            "Cache-Control: max-age=60\nETag: \"a\"\nContent-Range: bytes 0-2/\(size * 2)", 206, to: "Range: x",
            body: "012")
        #expect(crumb.isNeedless(beside: [loaf], at: now) && !loaf.isNeedless(beside: [crumb], at: now))
    }

    @Test("a part whose content has another length than it says is none")
    func lies() {
        let answer = stored(
            "Cache-Control: max-age=60\nContent-Range: bytes 0-3/10", 206, to: "Range: x", body: "01234")
        #expect(answer.extent == nil)
    }

    @Test("several ranges come in parts, unless they are many or overlap")
    func several() async throws {
        let answer = stored("Cache-Control: max-age=60\nContent-Type: a/b", body: PartTests.whole)
        let got = answer.response(to: request("Range: bytes=7-,0-1"), at: now, status: nil)
        let type = try #require(got.fields[.contentType])
        let boundary = try #require(type.split(separator: "=").last)
        let text = String(decoding: try await got.body.collected(limit: 1000), as: UTF8.self)
        let head = "--\(boundary)\r\nContent-Type: a/b\r\nContent-Range: bytes "
        #expect(type == "multipart/byteranges; boundary=\(boundary)" && got.status == .partialContent)
        #expect(text == "\(head)7-9/10\r\n\r\n789\r\n\(head)0-1/10\r\n\r\n01\r\n--\(boundary)--\r\n")
        let many = (0..<17).map { "\($0)-\($0)" }.joined(separator: ",")
        for ranges in ["0-1,1-2", "0-5,2-3", "-3,-5", many] {
            #expect(ByteRange("bytes=" + ranges, length: 100) == .whole)
        }
        #expect(ByteRange("bytes=0-1,200-", length: 100) == .part(0..<2))
        #expect(ByteRange("bytes=100-,200-", length: 100) == .unsatisfiable)
    }
}
