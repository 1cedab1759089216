import CZlib
import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample Marvel's form")
struct MarvelFormTests {
    @Test("the envelope stands around lists and single resources alike")
    func envelope() throws {
        for path in ["/comics?limit=2", "/comics/118003", "/characters/1009100"] {
            let response = askMarvel(path)
            let document = try response.json()
            let names = document.members(of: document.root).compactMap { document.string(of: $0.key) }
            #expect(names == ["code", "status", "copyright", "attributionText", "attributionHTML", "etag", "data"])
            #expect(
                response.text.hasPrefix(
                    #"{"code":200,"status":"Ok","copyright":"© 2024 MARVEL","attributionText":"#
                        + #""Data provided by Marvel. © 2024 MARVEL","attributionHTML":"<a href=\"http://marvel.com\">"#
                        + #"Data provided by Marvel. © 2024 MARVEL</a>","etag":""#))
        }
        let single = try askMarvel("/comics/118003").json()
        #expect(try single.text(at: "/data/total") == "1")
        #expect(try single.texts("/id") == ["118003"])
    }

    @Test("the entity tag is forty digits without quotes, the same in the field and in the content")
    func tag() throws {
        let response = askMarvel("/comics?limit=2")
        let tag = try #require(response.fields[.etag])
        #expect(tag.utf8.count == 40 && tag.utf8.allSatisfy { ASCII.hexValue($0) != nil && $0 < 0x67 })
        #expect(try response.json().text(at: "/etag") == "\"\(tag)\"")
        #expect(response.fields.wire.starts(with: Array("Content-Type: application/json; charset=utf-8\r\n".utf8)))
        #expect(String(decoding: response.fields.wire, as: UTF8.self).contains("\r\nEtag: \(tag)\r\n"))
        #expect(response.fields["Access-Control-Allow-Origin"] == "*")
    }

    @Test("a known tag is answered with 304 and nothing else, one in quotes isn't known")
    func conditional() throws {
        let tag = try #require(askMarvel("/comics?limit=2").fields[.etag])
        let same = askMarvel("/comics?limit=2", [(.ifNoneMatch, tag), (.acceptEncoding, "gzip")])
        #expect(same.status == .notModified)
        #expect(same.bytes.isEmpty)
        #expect(same.fields[.etag] == tag)
        for value in ["\"\(tag)\"", "W/\"\(tag)\"", "*", "", tag.uppercased() + "x"] {
            #expect(askMarvel("/comics?limit=2", [(.ifNoneMatch, value)]).status == .ok)
        }
        #expect(askMarvel("/comics/1", [(.ifNoneMatch, tag)]).status == .notFound)
    }

    @Test("other contents have other tags, the signature has no part in them")
    func tags() {
        let paths = [
            "/comics?limit=2", "/comics?limit=3", "/comics?limit=2&offset=1", "/comics?limit=2&orderBy=title",
            "/characters?limit=2", "/comics/118003", "/comics/118011", "/comics?limit=2&title=zzz", "/series?title=zzz",
        ]
        #expect(Set(paths.map { askMarvel($0).fields[.etag] }).count == paths.count)
        let again = askMarvelPlainly(signed("/comics?limit=2", ts: "another"))
        #expect(again.fields[.etag] == askMarvel("/comics?limit=2").fields[.etag])
        let keys = SampleMarvel.Keys(publicKey: "other", privateKey: "x")
        let other = SampleMarvel(keys: keys, now: { thursday })
        #expect(
            askMarvel("/comics?limit=2", of: other, keys: keys).fields[.etag]
                != askMarvel("/comics?limit=2").fields[.etag])
        let later = SampleMarvel(now: { thursday + 7 * 86_400 })
        #expect(askMarvel("/comics?limit=2", of: later).fields[.etag] != askMarvel("/comics?limit=2").fields[.etag])
    }

    @Test(
        "gzip comes where it is asked for",
        arguments: [
            ("gzip", true), ("deflate, gzip;q=0.5", true), ("GZIP", true), ("x-gzip", true), ("*", true),
            ("br, gzip", true),
            ("gzip;q=0", false), ("gzip; q=0.0", false), ("br", false), ("identity", false), ("", false),
        ])
    func gzip(value: String, isCoded: Bool) throws {
        let plain = askMarvel("/comics?limit=50")
        #expect(!plain.fields.contains(.contentEncoding))
        // The second time it is a kept one.
        for _ in 0..<2 {
            let response = askMarvel("/comics?limit=50", [(.acceptEncoding, value)])
            #expect(response.fields[.contentEncoding] == (isCoded ? "gzip" : nil))
            #expect(response.fields[.etag] == plain.fields[.etag])
            if isCoded {
                #expect(response.bytes.starts(with: [0x1F, 0x8B]))
                #expect(response.bytes.count < plain.bytes.count / 4)
                #expect(try gunzipped(response.bytes, room: plain.bytes.count) == plain.bytes)
            } else {
                #expect(response.bytes == plain.bytes)
            }
        }
        #expect(!askMarvel("/comics/1", [(.acceptEncoding, value)]).fields.contains(.contentEncoding))
    }

    @Test("more answers than are kept coded stay right")
    func manyCoded() throws {
        for round in 0..<2 {
            for offset in 0..<70 {
                let path = "/characters?limit=1&offset=\(offset)"
                let coded = askMarvel(path, [(.acceptEncoding, "gzip")])
                if round == 1 || offset % 10 == 0 {
                    let plain = askMarvel(path)
                    #expect(try gunzipped(coded.bytes, room: plain.bytes.count) == plain.bytes)
                }
            }
        }
    }

    @Test("sizes are those of the original")
    func sizes() {
        #expect((150_000...220_000).contains(askMarvel("/comics?dateDescriptor=lastWeek&limit=50").bytes.count))
        #expect((250_000...1_500_000).contains(askMarvel("/comics?limit=100").bytes.count))
    }

    private func gunzipped(_ bytes: [UInt8], room: Int) throws -> [UInt8] {
        var input = bytes
        var stream = z_stream()
        try #require(czlib_inflate_gzip(&stream) == Z_OK)
        defer { inflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: room + 1)
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        #expect(status == Z_STREAM_END)
        return Array(output.prefix(output.count - Int(stream.avail_out)))
    }
}
