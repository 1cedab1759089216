import HTTP
import Testing

@testable import Images

@Suite("Uploads on their way")
struct UploadContentTests {
    /// Content in pieces.
    private final class Pieces: BodyStream, @unchecked Sendable {
        let length: Int?
        private var pieces: [[UInt8]]
        init(_ pieces: [[UInt8]], length: Int?) { (self.pieces, self.length) = (pieces, length) }
        func next() async throws(GatewayError) -> [UInt8]? { pieces.isEmpty ? nil : pieces.removeFirst() }
    }

    private func content(
        _ type: String, _ pieces: [[UInt8]], texts: [UploadText: String] = [:], limit: Int = 1000, length: Int? = nil
    ) throws -> UploadContent {
        UploadContent(Pieces(pieces, length: length), try UploadForm.reader(for: type), texts: texts, imageLimit: limit)
    }

    private func failure(_ content: UploadContent) async -> String? {
        do throws(GatewayError) {
            _ = try await content.begin()
            _ = try await content.whole()
            return nil
        } catch {
            #expect(content.failure?.code == error.code)
            return error.code
        }
    }

    @Test("an image goes on in a form of our own, as long as it says")
    func form() async throws {
        let image = pngStart + Array("rest\r\n--sluice".utf8)
        let content = try content(
            "image/png", [Array(image.prefix(3)), Array(image.dropFirst(3))], texts: [.title: "T"], length: image.count)
        #expect(try await content.begin() == .image(.png))
        let form = try await content.whole()
        #expect(content.length == form.count)
        let boundary = try #require(content.contentType.split(separator: "=").last)
        let text = String(decoding: form, as: UTF8.self)
        #expect(
            text.hasPrefix(
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nT\r\n--\(boundary)\r\n"))
        #expect(text.contains("name=\"type\"\r\n\r\nfile\r\n"))
        #expect(text.contains("name=\"image\"; filename=\"image.png\"\r\nContent-Type: image/png\r\n\r\n"))
        #expect(form.suffix(image.count + boundary.utf8.count + 8) == image + Array("\r\n--\(boundary)--\r\n".utf8))
        #expect(content.isWhole && content.imageSize == image.count && content.received == image.count)
    }

    @Test(
        "an image of any length is announced as long as it is, however it is cut", arguments: 4...40,
        [1, 2, 3, 7, 16, 40])
    func announced(count: Int, step: Int) async throws {
        let image = Array("GIF89a".utf8.prefix(min(count, 6))) + [UInt8](repeating: 7, count: max(0, count - 6))
        let bytes = count < 6 ? [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: count - 4) : image
        let pieces = stride(from: 0, to: count, by: step).map { Array(bytes[$0..<min($0 + step, count)]) }
        let content = try content("image/gif", pieces, length: count)
        _ = try await content.begin()
        let announced = content.length
        #expect(try await content.whole().count == announced)
    }

    @Test("of a form the length is not known, and a title behind the image is passed on")
    func multipart() async throws {
        let head = "--b\r\nContent-Disposition: form-data; name=image\r\n\r\n"
        let tail = "\r\n--b\r\nContent-Disposition: form-data; name=title\r\n\r\nLate\r\n--b--\r\n"
        let content = try content(
            "multipart/form-data; boundary=b",
            [Array(head.utf8) + pngStart.prefix(2), pngStart.dropFirst(2) + Array(tail.utf8)])
        #expect(try await content.begin() == .image(.png))
        #expect(content.length == nil)
        let text = String(decoding: try await content.whole(), as: UTF8.self)
        #expect(text.contains("IHDR\r\n--sluice-") && text.contains("name=\"title\"\r\n\r\nLate\r\n"))
        #expect(content.texts[.title] == "Late" && content.imageSize == 16)
    }

    @Test("an address goes on as one")
    func address() async throws {
        let content = try content(
            "application/json; charset=utf-8", [Array(#"{"url":"https://a.example/b.png","title":"T"}"#.utf8)])
        #expect(try await content.begin() == .url("https://a.example/b.png"))
        let text = String(decoding: try await content.whole(), as: UTF8.self)
        #expect(text.contains("name=\"image\"\r\n\r\nhttps://a.example/b.png\r\n") && text.contains("\r\n\r\nURL\r\n"))
    }

    @Test(
        "addresses that are none are refused",
        arguments: [
            "a.png", "ftp://a/b", "https://", "https:///x", "http://u@a/b", "http://a b", "http://:80/",
            "https://a/\u{E9}", "file:///etc/passwd",
        ])
    func badAddress(_ url: String) async throws {
        let content = try content("application/json", [Array("{\"url\":\"\(url)\"}".utf8)])
        #expect(await failure(content) == "bad-url")
    }

    @Test("what is no image or too large is refused before or while it is sent on")
    func refusals() async throws {
        #expect(await failure(try content("image/png", [Array("<html>............".utf8)])) == "not-an-image")
        #expect(await failure(try content("image/png", [[1, 2, 3]])) == "not-an-image")
        #expect(await failure(try content("image/png", [])) == "missing-image")
        #expect(await failure(try content("image/png", [pngStart, pngStart], limit: 31)) == "content-too-large")
        #expect(await failure(try content("image/png", [pngStart, pngStart], limit: 32)) == nil)
        let repeated = #"{"title":"a","base64":"iVBORw0KGgoAAAANSUhEUg=="}"#
        #expect(
            await failure(try content("application/json", [Array(repeated.utf8)], texts: [.title: "b"]))
                == "repeated-text")
    }

    @Test(
        "only forms, images and JSON are taken",
        arguments: [
            "", "text/plain", "application/x-www-form-urlencoded", "video/mp4", "application/json; a", "image",
        ])
    func forms(_ type: String) {
        #expect(code { () throws(GatewayError) in _ = try UploadForm.reader(for: type) } == "unsupported-media-type")
    }
}
