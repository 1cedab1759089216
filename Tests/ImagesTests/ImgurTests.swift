import HTTP
import Testing

@testable import Images

@Suite("Imgur's answers")
struct ImgurTests {
    private static func failure(_ status: Int, _ body: String) -> ImgurFailure? {
        guard case .failed(let failure, _) = ImgurAnswer(Status(code: status) ?? .ok, Array(body.utf8)) else {
            return nil
        }
        return failure
    }

    @Test("an image is read with its link on https")
    func good() throws {
        let body =
            #"{"data":{"id":"aB3dE5f","title":null,"type":"image\/png","width":512,"height":"34","size":473831,"deletehash":"zY9xW8vU7tS6rQ5","link":"http:\/\/i.imgur.com\/aB3dE5f.png"},"success":true,"status":200}"#
        guard case .uploaded(let image) = ImgurAnswer(.ok, Array(body.utf8)) else {
            return #expect(Bool(false), "no image")
        }
        #expect(image.id == "aB3dE5f" && image.deleteHash == "zY9xW8vU7tS6rQ5" && image.type == "image/png")
        #expect(
            image.link == "https://i.imgur.com/aB3dE5f.png" && image.width == 512 && image.height == 34
                && image.size == 473_831)
    }

    @Test(
        "an image without a usable delete hash is none",
        arguments: [
            #"{"id":"a"}"#, #"{"id":"a","deletehash":""}"#,
            #"{"id":"a","deletehash":"x y"}"#, "true", "[]", "null",
        ])
    func odd(_ data: String) {
        guard case .done = ImgurAnswer(.ok, Array("{\"data\":\(data),\"success\":true,\"status\":200}".utf8)) else {
            return #expect(Bool(false), "something else")
        }
    }

    @Test(
        "numbers that no image has count as not there",
        arguments: [
            ("-1", nil), ("0", 0), ("1099511627776", 1_099_511_627_776), ("1099511627777", nil),
            ("9223372036854775807", nil), ("9223372036854775808", nil), ("\"9223372036854775807\"", nil), ("1e3", nil),
        ])
    func numbers(_ number: String, _ expected: Int?) {
        let data = #"{"id":"a","deletehash":"x","width":\#(number),"height":\#(number),"size":\#(number)}"#
        guard case .uploaded(let image) = ImgurAnswer(.ok, Array("{\"data\":\(data),\"success\":true}".utf8)) else {
            return #expect(Bool(false), "no image")
        }
        #expect([image.width, image.height, image.size] == [expected, expected, expected])
    }

    @Test(
        "an image without a usable id can still be taken back",
        arguments: [#""a/b""#, #""..""#, "7", "null", "\"\(String(repeating: "x", count: 5000))\""])
    func nameless(_ id: String) {
        let body = #"{"data":{"id":\#(id),"deletehash":"x","link":"https://a.example/"},"success":true,"status":200}"#
        guard case .uploaded(let image) = ImgurAnswer(.ok, Array(body.utf8)) else {
            return #expect(Bool(false), "no image")
        }
        #expect(image.id.isEmpty && image.deleteHash == "x")
    }

    @Test(
        "only a clear refusal tells that nothing was done",
        arguments: [
            (400, #"{"data":{"error":"x"},"success":false,"status":400}"#, true), (405, "<html>", true),
            (200, #"{"data":{"error":"x"},"success":false,"status":400}"#, true),
            (200, #"{"data":{"error":"x"},"success":false,"status":200}"#, true), (200, "<html>", false),
            (200, "{", false), (302, "", false), (500, #"{"data":{"error":"x"},"success":false,"status":500}"#, false),
            (200, #"{"data":{"error":"x"},"success":false,"status":500}"#, false), (503, "overloaded", false),
        ])
    func refusals(_ status: Int, _ body: String, _ expected: Bool) {
        guard case .failed(_, let isRefusal) = ImgurAnswer(Status(code: status) ?? .ok, Array(body.utf8)) else {
            return #expect(Bool(false), "something else")
        }
        #expect(isRefusal == expected)
    }

    @Test(
        "links of other kinds are left out",
        arguments: ["javascript:x", "//i.imgur.com/x", "https://a b", "ftp://x", ""])
    func links(_ link: String) { #expect(ImgurImage.secureLink(link) == nil) }

    @Test("links are on https, but for those of this machine")
    func secureLinks() {
        #expect(ImgurImage.secureLink("http://i.imgur.com:8080/x") == "https://i.imgur.com:8080/x")
        #expect(ImgurImage.secureLink("HTTP://i.imgur.com") == "https://i.imgur.com")
        #expect(ImgurImage.secureLink("http://127.0.0.1:81/x.png") == "http://127.0.0.1:81/x.png")
        #expect(ImgurImage.secureLink("http://127.0.0.1.example/x") == "https://127.0.0.1.example/x")
    }

    @Test(
        "each shape of error says what it is",
        arguments: [
            (
                400,
                #"{"data":{"error":"No image data was sent to the upload api","request":"\/3\/image","method":"POST"},"success":false,"status":400}"#,
                .refused
            ),
            (
                400,
                #"{"data":{"error":{"code":1003,"message":"File type invalid (1)","type":"ImgurException","exception":[]}},"success":false,"status":400}"#,
                .notAnImage
            ),
            (
                415, #"{"data":{"error":{"code":1003,"message":"x","exception":{}}},"success":false,"status":415}"#,
                .notAnImage
            ),
            (
                400,
                #"{"data":{"error":{"code":1002,"message":"File is over the size limit"}},"success":false,"status":400}"#,
                .tooLarge
            ),
            (
                413,
                #"{"status":413,"success":false,"data":{"error":"file is over the size limit","request":"/3/upload"}}"#,
                .tooLarge
            ),
            (
                400,
                #"{"data":{"error":"{\"id\":\"legacy-api-1\",\"code\":413,\"detail\":\"file is over the size limit\"}"},"success":false}"#,
                .tooLarge
            ),
            (
                400,
                #"{"data":{"error":{"code":1016,"message":"Banned country attempt (XX)"}},"success":false,"status":400}"#,
                .refusesPlace
            ),
            (400, #"{"data":{"error":"These actions are forbidden."},"success":false,"status":400}"#, .refusesPlace),
            (400, "HTTP Access is disabled. Requests must use SSL (HTTPS).", .misconfigured),
            (401, "{}", .misconfigured),
            (403, #"{"data":{"error":"Malformed auth header"},"success":false,"status":403}"#, .misconfigured),
            (
                403,
                #"{"data":{"error":"Imgur is temporarily over capacity. Please try again later."},"success":false,"status":403}"#,
                .overCapacity(seconds: nil)
            ),
            (
                500,
                #"{"data":{"error":{"code":1203,"message":"Imgur is temporarily over capacity."}},"success":false,"status":500}"#,
                .overCapacity(seconds: nil)
            ),
            (200, "<html><title>Imgur overloaded!</title>", .overCapacity(seconds: nil)),
            (503, "<html>overloaded", .overCapacity(seconds: nil)),
            (405, "<html>405 Not Allowed</html>", .unreadable),
            (200, "<html>https://i.imgur.com/x.png</html>", .unreadable), (502, "", .unreadable),
            (500, #"{"data":{"error":"boom"},"success":false,"status":500}"#, .unreadable), (200, "", .unreadable),
            (200, "[1]", .unreadable),
            (429, #"{"data":{"error":"Daily client requests exceeded"},"success":false,"status":429}"#, .dayIsSpent),
            (
                429,
                #"{"data":{"error":{"code":429,"message":"You are uploading too fast. Please wait 59 more minutes."}},"success":false,"status":400}"#,
                .limited(seconds: 3540)
            ),
            (
                400,
                #"{"data":{"error":"You are uploading too fast. Please wait 59 more minutes."},"success":false,"status":400}"#,
                .limited(seconds: 3540)
            ),
            (
                429,
                #"{"errors":[{"id":"legacy-api-1","code":"429","status":"Too Many Requests","detail":"Too Many Requests"}]}"#,
                .limited(seconds: nil)
            ),
            (429, "<html>429</html>", .limited(seconds: nil)),
            (200, #"{"data":{"error":"Unauthorized"},"success":false,"status":403}"#, .misconfigured),
        ] as [(Int, String, ImgurFailure)])
    func shapes(_ status: Int, _ body: String, _ failure: ImgurFailure) {
        #expect(ImgurTests.failure(status, body) == failure)
    }

    @Test("the answer's own time to wait counts for more than the text's, up to a day")
    func waiting() {
        let text = Self.failure(400, #"{"data":{"error":"Please wait 59 more minutes"},"success":false}"#)
        #expect(text == .limited(seconds: 3540))
        #expect(text?.waiting(2, .badRequest) == .limited(seconds: 2))
        #expect(text?.waiting(nil, .badRequest) == .limited(seconds: 3540))
        #expect(text?.waiting(1 << 40, .badRequest) == .limited(seconds: 86_400))
        #expect(ImgurFailure.overCapacity(seconds: nil).waiting(7, .ok) == .overCapacity(seconds: 7))
        let away = ImgurFailure.unreadable.waiting(7, .serviceUnavailable).error()
        #expect(away.code == "upstream-unavailable" && away.retryAfter == 7 && away.status == .serviceUnavailable)
        #expect(ImgurFailure.unreadable.waiting(7, .badGateway) == .unreadable)
        let place = Self.failure(403, #"{"data":{"error":"Imgur is not available in your region"},"success":false}"#)
        #expect(place == .refusesPlace)
    }

    @Test(
        "an image that is gone is told from a failure",
        arguments: [
            (404, "<html>", true), (404, #"{"data":{"error":"x"},"success":false,"status":404}"#, true),
            (200, #"{"data":{"error":"x"},"success":false,"status":404}"#, true),
            (200, #"{"data":false,"success":false,"status":200}"#, true),
            (500, #"{"success":false}"#, false),
            (200, #"{"data":{"error":"over capacity"},"success":false,"status":500}"#, false),
        ])
    func gone(_ status: Int, _ body: String, _ isGone: Bool) {
        var found = false
        if case .gone = ImgurAnswer(Status(code: status) ?? .ok, Array(body.utf8)) { found = true }
        #expect(found == isGone)
    }

    @Test(
        "every failure is a problem with the status that is true",
        arguments: [
            (.limited(seconds: 5), 503), (.dayIsSpent, 503), (.overCapacity(seconds: nil), 503), (.tooLarge, 413),
            (.notAnImage, 415),
            (.refusesPlace, 502),
            (.misconfigured, 502), (.refused, 502), (.unreadable, 502),
        ] as [(ImgurFailure, Int)])
    func statuses(_ failure: ImgurFailure, _ status: Int) {
        #expect(Int(failure.error().status.code) == status)
        #expect(failure.error().source == .upstream("imgur"))
    }

    @Test("bytes of any kind are read without harm", arguments: 0..<200)
    func noise(_ seed: Int) {
        var random = Seeded(seed)
        var bytes = Array(
            #"{"data":{"error":{"code":1e999,"message":["wait 99999999999999999999 minutes"]}},"success":false,"status":-5}"#
                .utf8)
        for _ in 0..<4 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if case .uploaded = ImgurAnswer(.ok, bytes) { #expect(Bool(false), "noise is no image") }
    }
}

@Suite("Imgur's limits")
struct ImgurLimitTests {
    private let now = 1_800_000_000

    private func limits(_ fields: [(FieldName, String)]) -> ImgurLimits {
        var limits = ImgurLimits()
        limits.read(Fields(fields), at: now)
        return limits
    }

    @Test(
        "a reset is a date or seconds to go",
        arguments: [("3600", 3600), ("1800000100", 100), ("0", 0), ("1700000000", 0), ("999999", 3600), ("x", 3600)])
    func resets(_ text: String, _ seconds: Int) {
        let limits = limits([("x-ratelimit-userremaining", "0"), ("X-RateLimit-UserReset", text)])
        #expect(limits.refusal(isUpload: false, at: now) == (seconds == 0 ? nil : seconds))
    }

    @Test("only what is used up is waited for, and uploads have a limit of their own")
    func kinds() {
        let post = limits([
            ("X-Post-Rate-Limit-Remaining", "0"), ("X-Post-Rate-Limit-Reset", "60"),
            ("X-RateLimit-ClientRemaining", "12"),
        ])
        #expect(post.refusal(isUpload: true, at: now) == 60)
        #expect(post.refusal(isUpload: false, at: now) == nil)
        #expect(post.refusal(isUpload: true, at: now + 60) == nil)
        let client = limits([
            ("X-RateLimit-ClientLimit", "12500"), ("X-RateLimit-ClientRemaining", "0"),
            ("X-RateLimit-UserRemaining", "5"),
        ])
        #expect(client.refusal(isUpload: false, at: now) == 86_400 - now % 86_400)
    }

    @Test("a refusal is heeded whatever the fields say")
    func refusals() {
        var limits = ImgurLimits()
        limits.refused(.limited(seconds: 3540), isUpload: true, at: now)
        #expect(limits.refusal(isUpload: true, at: now) == 3540)
        #expect(limits.refusal(isUpload: false, at: now) == nil)
        limits.refused(.limited(seconds: 5), isUpload: true, at: now)
        #expect(limits.refusal(isUpload: true, at: now) == 3540)
        limits.refused(.dayIsSpent, isUpload: true, at: now)
        #expect(limits.refusal(isUpload: false, at: now) == 86_400 - now % 86_400)
        var other = ImgurLimits()
        other.refused(.overCapacity(seconds: nil), isUpload: true, at: now)
        #expect(other.refusal(isUpload: true, at: now) == nil)
    }

    @Test("clients see what is left")
    func shown() {
        let limits = limits([
            ("X-RateLimit-UserLimit", "500"), ("X-RateLimit-UserRemaining", "499"), ("X-RateLimit-UserReset", "3600"),
        ])
        var fields = Fields()
        limits.write(to: &fields, at: now + 10)
        #expect(fields["RateLimit"] == "\"imgur-user\";r=499;t=3590")
        #expect(fields["RateLimit-Policy"] == "\"imgur-user\";q=500;w=3600")
    }
}
