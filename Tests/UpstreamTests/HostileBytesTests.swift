import HTTP
import Testing

@testable import Upstream

@Suite("Any bytes of an upstream")
struct HostileBytesTests {
    /// `bytes` with a few of them changed, left out or doubled.
    private static func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4) {
            guard let index = bytes.indices.randomElement() else { return bytes }
            switch Int.random(in: 0..<4) {
            case 0: bytes[index] = UInt8.random(in: 0...255)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            default: bytes[index] = [0x0D, 0x0A, 0x20, 0x3A, 0x30, 0x3B, 0x00, 0x66].randomElement() ?? 0
            }
        }
        return bytes
    }

    @Test("are a head or a fault, and a head never holds a field with a line end")
    func heads() {
        let text =
            "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: X-A, close\r\n"
            + "X-A: b\r\n folded\r\nContent-Encoding: gzip\r\n\r\n"
        for _ in 0..<20_000 {
            var head = AnswerHead(mayBeNotModified: true)
            for line in Self.mutated(Array(text.utf8)).split(separator: 0x0A, omittingEmptySubsequences: false) {
                let isGood = (Array(line) + [0x0A]).withUnsafeBufferPointer { buffer in
                    (try? head.take(buffer)) != nil
                }
                if !isGood { break }
            }
            let lines = head.fields.wire.split(separator: 0x0A)
            #expect(lines.count == head.fields.count)
            #expect(lines.allSatisfy { $0.last == 0x0D && !$0.dropLast().contains { $0 < 0x20 && $0 != 0x09 } })
        }
    }

    @Test("are content within the limit or a fault")
    func contents() throws {
        let plain = (0..<300).map { _ in UInt8.random(in: 0...255) }
        let coded = gzip(plain)
        let size = String(coded.count, radix: 16)
        let chunked = Array("\(size);x=y\r\n".utf8) + coded + Array("\r\n0\r\nX-T: 1\r\n\r\n".utf8)
        var head = AnswerHead(mayBeNotModified: false)
        for line in ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n", "\r\n"] {
            try Array(line.utf8).withUnsafeBufferPointer { buffer throws(HeadFault) in try head.take(buffer) }
        }
        let inflater = Inflater()
        var whole = 0
        for round in 0..<20_000 {
            inflater?.reset()
            var content = AnswerContent(head: head, limit: 1000, budget: nil, inflater: inflater)
            let bytes = round == 0 ? chunked : Self.mutated(chunked)
            let isGood = bytes.withUnsafeBufferPointer { buffer in (try? content.take(buffer)) != nil }
            #expect(content.bytes.count <= 1000)
            guard isGood, (try? content.finish()) != nil else { continue }
            // Whatever passes is the content itself: gzip's checksum sees to that.
            #expect(content.bytes == plain)
            whole += 1
        }
        #expect(whole > 0)
    }
}
