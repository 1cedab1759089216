import HTTP
import JSON
import Testing
import Threads

@testable import Sample

@Suite("The sample Imgur's calls and limits")
struct ImgurCallTests {
    static let authorizations: [(String?, UInt16, String)] = [
        (nil, 401, "Authentication required"), ("", 401, "Authentication required"),
        ("sample-client-id", 403, "Malformed auth header"), ("Client-IDsample-client-id", 403, "Malformed auth header"),
        ("client-id sample-client-id", 403, "Malformed auth header"), ("Basic abc", 403, "Malformed auth header"),
        ("Bearer abc", 403, "The access token provided is invalid."), ("Client-ID other", 403, "Unauthorized"),
        ("Client-ID  sample-client-id", 403, "Unauthorized"), ("Client-ID ", 403, "Unauthorized"),
    ]

    @Test("the client is told by a word, one blank and its id", arguments: authorizations)
    func authorization(value: String?, status: UInt16, message: String) async throws {
        for method in [Method.get, .delete] {
            let response = try await askImgur(imgurSample(), "/3/image/abc", method, authorization: value)
            #expect(response.status.code == status)
            #expect(try response.string(at: "/data/error") == message)
        }
    }

    @Test("what can't be let in isn't read")
    func unread() async throws {
        let stream = Pieces([[1]])
        _ = try await askImgur(imgurSample(), "/3/image", .post, .stream(stream), authorization: nil)
        #expect(stream.left == 1)
    }

    @Test("a sample with another client takes that one alone, and one without takes none")
    func otherClient() async throws {
        let other = SampleImgur(client: "CANARY")
        #expect(try await askImgur(other, "/3/image/abc").status == .forbidden)
        #expect(try await askImgur(other, "/3/image/abc", authorization: "Client-ID CANARY").status == .notFound)
        let none = SampleImgur(client: "")
        #expect(try await askImgur(none, "/3/image/abc", authorization: "Client-ID ").status == .forbidden)
    }

    @Test(
        "pages of the same machine are refused",
        arguments: [
            ("Origin", "http://localhost:3000"), ("Referer", "https://LOCALHOST/a"), ("Origin", "http://127.0.0.1"),
        ])
    func localPages(name: String, value: String) async throws {
        let field = try #require(FieldName(name))
        #expect(try await askImgur(imgurSample(), "/3/image/abc", fields: [(field, value)]).status == .badRequest)
        #expect(
            try await askImgur(imgurSample(), "/3/image/abc", fields: [(field, "https://example.com")]).status
                == .notFound)
    }

    @Test(
        "there is nothing else",
        arguments: ["/3", "/3/", "/3/image/a/b", "/3/images", "/2/image/a", "/", "*", "", "/3/upload/a", "/3/%2e%2e/a"])
    func paths(path: String) async throws {
        let response = try await askImgur(imgurSample(), path)
        #expect(response.status == .notFound)
        #expect(try response.text(at: "/success") == "false")
    }

    @Test("each route has its methods", arguments: Method.allCases)
    func methods(method: Method) async throws {
        let sample = imgurSample()
        let upload = try await askImgur(sample, "/3/image", method)
        #expect(upload.status == (method == .post ? .badRequest : .methodNotAllowed))
        let image = try await askImgur(sample, "/3/image/abc", method)
        #expect(image.status == (method == .get || method == .delete ? .notFound : .methodNotAllowed))
        let picture = try await askImgur(sample, "/abcdefg.png", method)
        #expect(picture.status == (method == .get || method == .head ? .notFound : .methodNotAllowed))
    }

    @Test("only seven letters and digits and a picture's ending are a picture's path")
    func picturePaths() {
        for path in ["/abcdefg.png", "/0123456.jpg", "/ABCDEFG.jpeg", "/aB3dE5f.gif", "/aB3dE5f.webp"] {
            #expect(SampleImgur.isPicture(path: path))
        }
        for path in [
            "", "/", "abcdefg.png", "/abcdef.png", "/abcdefgh.png", "/abcdefg", "/abcdefg.", "/abcdefg.PNG",
            "/abcdefg.png.png",
            "/abcdefé.png", "/abc/efg.png", "/abcdefg.png/", "/abcdefg.svg", "/%61bcdef.png",
        ] {
            #expect(!SampleImgur.isPicture(path: path), "\(path)")
        }
    }

    private static let counts: [FieldName] = [
        "X-RateLimit-UserRemaining", "X-RateLimit-ClientRemaining", "X-Post-Rate-Limit-Remaining",
    ]

    private static func left(_ response: Response) -> [String?] { counts.map { response.fields[$0] } }

    @Test("limits count down, and an upload costs ten calls")
    func countDown() async throws {
        let sample = imgurSample()
        let first = try await upload([.file(png())], to: sample)
        #expect(Self.left(first) == ["1999", "12490", "1249"])
        #expect(Self.left(try await askImgur(sample, "/3/image/abc")) == ["1998", "12489", nil])
        // Who isn't let in costs nothing.
        #expect(Self.left(try await askImgur(sample, "/3/image/abc", authorization: nil)) == ["1998", "12489", nil])
        #expect(Self.left(try await askImgur(sample, "/3/image", .post)) == ["1997", "12479", "1248"])
        #expect(first.fields["X-RateLimit-UserLimit"] == "2000")
        #expect(first.fields["X-RateLimit-ClientLimit"] == "12500")
        #expect(first.fields["X-Post-Rate-Limit-Limit"] == "1250")
    }

    @Test("resets are seconds to go, or by wish Unix times")
    func resets() async throws {
        let clock = Locked(thursday)
        let sample = SampleImgur(now: { clock.withLock { $0 } })
        let names: [FieldName] = ["X-RateLimit-UserReset", "X-RateLimit-ClientReset", "X-Post-Rate-Limit-Reset"]
        let first = try await upload([.file(png()), .text("title", "fault:no-hash")], to: sample)
        let day = 86_400 - thursday % 86_400
        #expect(names.map { first.fields[$0] } == ["3600", "\(day)", "3600"])
        clock.withLock { $0 += 60 }
        let second = try await upload([.file(png())], to: sample)
        #expect(names.map { second.fields[$0] } == ["3540", "\(day - 60)", "3540"])
        let third = try await upload([.file(png()), .text("title", "fault:reset-time")], to: sample)
        #expect(third.status == .ok)
        #expect(names.map { third.fields[$0] } == ["\(thursday + 3600)", "\(thursday + day)", "3540"])
    }

    @Test("past a limit it is 429 until the hour or the day is over")
    func limits() async throws {
        func limits(_ change: (inout SampleImgur.Limits) -> Void) -> SampleImgur.Limits {
            var limits = SampleImgur.Limits()
            change(&limits)
            return limits
        }
        let cases: [(SampleImgur.Limits, Int, String)] = [
            (limits { $0.client = 20 }, 86_400 - thursday % 86_400, "Daily client requests exceeded"),
            (limits { $0.user = 2 }, 3600, "errors"), (limits { $0.posts = 2 }, 3600, "Too Many Requests"),
            (limits { $0.uploads = 2 }, 3600, "wait 60 more minutes"),
        ]
        for (limits, wait, words) in cases {
            let clock = Locked(thursday)
            let sample = SampleImgur(limits: limits, now: { clock.withLock { $0 } })
            func upload() async throws -> Response { try await SampleTests.upload([.file(png())], to: sample) }
            for _ in 0..<2 { #expect(try await upload().status == .ok) }
            let refused = try await upload()
            #expect(refused.status == .tooManyRequests)
            #expect(refused.text.contains(words))
            #expect(!refused.fields.contains(.retryAfter))
            #expect(Self.left(refused).contains("0"))
            clock.withLock { $0 += wait - 1 }
            #expect(try await upload().status == .tooManyRequests)
            clock.withLock { $0 += 1 }
            #expect(try await upload().status == .ok)
        }
    }

    @Test("no clock stops it", arguments: [Int.min, -1, 0, Int.max])
    func clocks(seconds: Int) async throws {
        #expect(try await upload([.file(png())], to: imgurSample(now: seconds)).status == .ok)
    }

    @Test("what the delay throws is the answer")
    func delay() async throws {
        let failing = SampleImgur(delay: { _ throws(GatewayError) in throw .contentTooLarge(limit: 1) })
        await #expect(throws: GatewayError.self) { _ = try await askImgur(failing, "/3/image/abc") }
    }
}
