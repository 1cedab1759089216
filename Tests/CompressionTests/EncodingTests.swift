import CBrotliDecoder
import CZlib
import Compression
import Testing

@Suite("Content codings")
struct EncodingTests {
    enum Content: CaseIterable {
        case nothing, oneByte, oneLine, oneLetter, noise, json

        var bytes: [UInt8] {
            switch self {
            case .nothing: []
            case .oneByte: [0]
            case .oneLine: Array("one short line\n".utf8)
            case .oneLetter: Array(repeating: 0x61, count: 100_000)
            case .noise: (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
            case .json: Array(String(repeating: #"{"name":"Ric Olié","height":"183","films":[]},"#, count: 400).utf8)
            }
        }
    }

    @Test("what is coded comes back the same", arguments: ContentCoding.allCases, Content.allCases)
    func roundTrip(coding: ContentCoding, content: Content) throws {
        let bytes = content.bytes
        for level in coding.levels {
            let coded = try #require(coding.encode(bytes, level: level))
            #expect(decoded(coded, coding, room: bytes.count) == bytes)
        }
    }

    @Test("text gets much smaller", arguments: ContentCoding.allCases)
    func smaller(coding: ContentCoding) throws {
        let content = Content.json.bytes
        #expect(try #require(coding.encode(content)).count < content.count / 10)
    }

    @Test(
        "the same content is always coded to the same bytes, whatever was coded in between",
        arguments: ContentCoding.allCases)
    func stable(coding: ContentCoding) throws {
        let first = try #require(coding.encode(Content.json.bytes))
        _ = coding.encode(Content.noise.bytes, level: coding.levels.lowerBound)
        #expect(coding.encode(Content.json.bytes) == first)
    }

    @Test("a level outside the range is brought into it", arguments: ContentCoding.allCases)
    func levels(coding: ContentCoding) throws {
        let content = Content.json.bytes
        #expect(coding.encode(content, level: -5) == coding.encode(content, level: coding.levels.lowerBound))
        #expect(coding.encode(content, level: 99) == coding.encode(content, level: coding.levels.upperBound))
    }

    @Test("many threads code at once", arguments: ContentCoding.allCases)
    func threads(coding: ContentCoding) async throws {
        let expected = try Content.allCases.map { try #require(coding.encode($0.bytes)) }
        await withTaskGroup(of: [UInt8]?.self) { group in
            for round in 0..<64 {
                group.addTask { @concurrent in coding.encode(Content.allCases[round % Content.allCases.count].bytes) }
            }
            for await coded in group { #expect(coded.map(expected.contains) == true) }
        }
    }

    @Test("the frame of gzip holds neither a time nor a name")
    func frame() throws {
        let coded = try #require(ContentCoding.gzip.encode(Content.oneLine.bytes))
        #expect(Array(coded.prefix(8)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
    }
}

/// The content of `coded`, or nil where that isn't one whole stream of the coding, or is longer than `room`.
private func decoded(_ coded: [UInt8], _ coding: ContentCoding, room: Int) -> [UInt8]? {
    var content = [UInt8](repeating: 0, count: room + 1)
    let count = content.withUnsafeMutableBufferPointer { output in
        coding == .br ? brotliDecoded(coded, into: output) : gzipDecoded(coded, into: output)
    }
    return count.map { Array(content.prefix($0)) }
}

private func brotliDecoded(_ coded: [UInt8], into output: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    var size = output.count
    let result = BrotliDecoderDecompress(coded.count, coded, &size, output.baseAddress)
    return result == BROTLI_DECODER_RESULT_SUCCESS ? size : nil
}

private func gzipDecoded(_ coded: [UInt8], into output: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    var coded = coded
    return coded.withUnsafeMutableBufferPointer { input in
        var stream = z_stream()
        guard czlib_inflate_gzip(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        guard inflate(&stream, Z_FINISH) == Z_STREAM_END, stream.avail_in == 0 else { return nil }
        return output.count - Int(stream.avail_out)
    }
}
