import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample Imgur's errors")
struct ImgurFaultTests {
    typealias Fault = SampleImgur.Fault

    private static func said(_ status: Int, _ error: String, in bodyStatus: Int? = nil) -> String {
        #"{"data":{"error":\#(error),"request":"\/3\/image","method":"POST"},"success":false,"status":\#(bodyStatus ?? status)}"#
    }

    private static func threw(
        _ status: Int, _ code: Int, _ message: String, _ type: String = "ImgurException", exception: String = "[]"
    ) -> String {
        said(
            status,
            #"{"code":\#(code),"message":"\#(message)","type":"\#(type)","exception":\#(exception)}"#)
    }

    static let busy = #""Imgur is temporarily over capacity. Please try again later.""#
    static let slow = "You are uploading too fast. Please wait 59 more minutes."
    static let many =
        #"{"id":"legacy-api-5c7f9d6b4-x2k8p","code":"429","status":"Too Many Requests","detail":"Too Many Requests"}"#
    static let large = #"file is over the size limit"#

    static let faults: [(Fault, UInt16, String)] = [
        (.noImage, 400, said(400, #""No image data was sent to the upload api""#)),
        (.type400, 400, threw(400, 1003, "File type invalid (1)")),
        (
            .type415, 415,
            threw(
                415, 1003, "[image]: File type invalid (1)", "Exception_UploadError",
                exception: #"{"file":"image","line":1}"#)
        ),
        (.size400, 400, threw(400, 1002, "File is over the size limit")),
        (
            .size413, 413,
            #"{"status":413,"success":false,"data":{"error":"\#(large)","request":"/3/image","method":"POST"}}"# + "\n"
        ),
        (.badAddress, 400, said(400, #""Invalid URL""#)),
        (.country, 400, threw(400, 1016, "Banned country attempt (XX)", "Exception_Logged")),
        (.forbidden, 400, #"{"data":{"error":"These actions are forbidden."},"success":false,"status":400}"#),
        (.plainHTTP, 400, said(400, #""HTTP Access is disabled. Requests must use SSL (HTTPS).""#)),
        (.anonymous, 401, said(401, #""Authentication required""#)),
        (.malformed, 403, said(403, #""Malformed auth header""#)),
        (.badToken, 403, said(403, #""The access token provided is invalid.""#)),
        (.needsLogin, 403, said(403, #""This method requires authentication""#)),
        (.unauthorized, 403, said(403, #""Unauthorized""#)), (.capacity403, 403, said(403, busy)),
        (.capacity500, 500, said(500, busy)), (.capacityPage200, 200, ""), (.capacityPage503, 503, ""),
        (.missing, 404, said(404, #""Unable to find an image with that id""#)), (.missingPage, 404, ""),
        (.method405, 405, ""), (.day429, 429, said(429, #""Daily client requests exceeded""#)),
        (.day200, 200, said(429, #""Daily client requests exceeded""#)),
        (.many429, 429, said(429, #""Too Many Requests""#)),
        (.errors429, 429, #"{"errors":[\#(many)]}"# + "\n"),
        (
            .fast429, 429,
            said(429, #"{"code":429,"message":"\#(slow)","type":"ImgurException","exception":[]}"#, in: 400)
        ),
        (.fast400, 400, threw(400, 429, slow)), (.page429, 429, ""),
    ]

    private static let bends: Set<Fault> = [
        .slashes, .oldLink, .link, .noHash, .nullData, .htmlType, .vendorType, .resetTime, .noLimits,
    ]

    @Test("an error is had by a title, a name, an address, afterwards, and by the hook", arguments: faults)
    func reachable(fault: Fault, status: UInt16, body: String) async throws {
        let sample = imgurSample()
        let asked = "fault:\(fault.rawValue)"
        var uploads = [
            try await upload([.file(png()), .text("title", asked)], to: sample),
            try await upload([.file(png()), .text("name", asked)], to: sample),
            try await uploadEncoded("title=\(asked)", to: sample),
        ]
        let hooked = SampleImgur(fault: { _ in fault })
        uploads.append(try await askImgur(hooked, "/3/image", .post, authorization: nil))
        for response in uploads {
            #expect(response.status.code == status)
            if body.isEmpty {
                #expect(response.fields[.contentType] == "text/html; charset=utf-8")
                #expect(response.text.hasPrefix("<!DOCTYPE html>"))
            } else {
                #expect(response.text == body)
            }
        }
        for method in [Method.get, .delete] {
            #expect(try await askImgur(sample, "/3/image/\(asked)", method).status.code == status)
        }
        let kept = try await upload([.file(png()), .text("title", "later:\(fault.rawValue)")], to: sample)
        #expect(kept.status == .ok)
        let id = try #require(try kept.string(at: "/data/id"))
        let hash = try #require(try kept.string(at: "/data/deletehash"))
        #expect(try await askImgur(sample, "/3/image/\(id)").status.code == status)
        for _ in 0..<2 { #expect(try await askImgur(sample, "/3/image/\(hash)", .delete).status.code == status) }
        #expect(try await askImgur(sample, "/\(id).png").status == .ok)
    }

    @Test("all of them are in the table, or bend an answer")
    func complete() {
        let all = Self.faults.map(\.0) + [.nested413] + Self.bends
        #expect(Set(all) == Set(Fault.allCases))
        #expect(Fault.allCases.filter(\.isBend) == Fault.allCases.filter(Self.bends.contains))
        for text in ["fault:", "fault:x", "Fault:country", " fault:country", "country", "later:country", ""] {
            #expect(Fault(asking: text, "fault:") == nil)
        }
    }

    @Test("an error may be a text that holds JSON")
    func nested() async throws {
        let response = try await upload([.text("title", "fault:nested-413")], to: imgurSample(), "/3/upload")
        #expect(response.status == .contentTooLarge)
        let text = try #require(try response.string(at: "/data/error"))
        let inner = try JSONDocument(Array(text.utf8))
        #expect(inner.string(at: "/detail") == Self.large)
        #expect(try inner.text(at: "/code") == "413")
    }

    @Test("the front servers' refusals have the sizes that were recorded")
    func sizes() async throws {
        let sample = imgurSample()
        let cdn = try await upload([.text("title", "fault:forbidden")], to: sample)
        #expect(cdn.bytes.count == 78)
        #expect(cdn.fields[.retryAfter] == "0")
        #expect(cdn.fields["CDN-Error"] == "yes")
        let large = try await upload([.text("title", "fault:size-413")], to: sample, "/3/upload")
        #expect(large.bytes.count == 116)
        for response in [cdn, large] { #expect(!response.fields.contains("X-RateLimit-UserLimit")) }
    }

    @Test("the limit that is meant is shown as used up, and the others aren't")
    func spent() async throws {
        let sample = imgurSample()
        for (fault, user, client, posts) in [
            (Fault.day429, false, true, false), (.day200, false, true, false), (.many429, true, false, false),
            (.errors429, true, false, false), (.capacity403, true, false, false), (.fast429, false, false, true),
            (.country, false, false, false),
        ] {
            let response = try await upload([.text("title", "fault:\(fault.rawValue)")], to: sample)
            #expect((response.fields["X-RateLimit-UserRemaining"] == "0") == user)
            #expect((response.fields["X-RateLimit-ClientRemaining"] == "0") == client)
            #expect((response.fields["X-Post-Rate-Limit-Remaining"] == "0") == posts)
        }
    }

    @Test("errors under a vendor's type are compressed for who takes that")
    func vendor() async throws {
        let plain = try await upload([.text("title", "fault:errors-429")], to: imgurSample())
        #expect(plain.fields[.contentType] == "application/vnd.imgur.v1+json")
        #expect(!plain.fields.contains(.contentEncoding))
        let coded = try await upload(
            [.text("title", "fault:errors-429")], to: imgurSample(), fields: [(.acceptEncoding, "gzip")])
        #expect(coded.fields[.contentEncoding] == "gzip")
        #expect(coded.bytes.starts(with: [0x1F, 0x8B]))
    }

    private func bent(_ fault: Fault) async throws -> Response {
        let response = try await upload([.file(png()), .text("title", "fault:\(fault.rawValue)")], to: imgurSample())
        #expect(response.status == .ok)
        return response
    }

    @Test("answers are bent in one thing")
    func bends() async throws {
        #expect(try await bent(.slashes).text.contains(#""link":"http:\/\/api.test\/"#))
        #expect(try await bent(.oldLink).string(at: "/data/link")?.hasPrefix("http://i.imgur.com/") == true)
        #expect(try await bent(.link).string(at: "/data/link")?.hasPrefix("https://i.imgur.com/") == true)
        #expect(try await !bent(.noHash).text.contains("deletehash"))
        #expect(try await bent(.htmlType).fields[.contentType] == "text/html; charset=utf-8")
        #expect(try await bent(.vendorType).fields[.contentType] == "application/vnd.imgur.v1+json")
        #expect(try await !bent(.noLimits).fields.contains("X-RateLimit-UserLimit"))
        let sample = imgurSample()
        let kept = try await upload([.file(png()), .text("title", "later:null-data")], to: sample)
        let hash = try #require(try kept.string(at: "/data/deletehash"))
        let deleted = try await askImgur(sample, "/3/image/\(hash)", .delete)
        #expect(deleted.text == #"{"data":null,"success":true,"status":200}"#)
        #expect(try await askImgur(sample, "/3/image/\(hash)", .delete).status == .notFound)
    }

    @Test("errors are 200 for who asks for it, with the true status in them")
    func fakeStatus() async throws {
        let response = try await askImgur(imgurSample(), "/3/image/abc?a=b&_fake_status=200")
        #expect(response.status == .ok)
        #expect(try response.text(at: "/status") == "404")
        #expect(try await askImgur(imgurSample(), "/3/image/abc?_fake_status=201").status == .notFound)
    }

    @Test("a path that ends in .xml is answered with XML")
    func xml() async throws {
        let sample = imgurSample()
        let head = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<data type=\"array\" success="
        let response = try await upload([.file(png()), .text("title", "<&>")], to: sample, "/3/image.xml")
        #expect(response.status == .ok)
        #expect(response.fields[.contentType] == "text/xml; charset=utf-8")
        #expect(response.text.hasPrefix(head + "\"1\" status=\"200\"><id>"))
        #expect(response.text.contains("<title>&lt;&amp;&gt;</title><description></description>"))
        #expect(response.text.contains("<width>640</width>"))
        let missing = try await askImgur(sample, "/3/image/abc.xml", .delete)
        #expect(
            missing.text == head + "\"0\" status=\"404\"><error>Unable to find an image with that id</error>"
                + "<request>/3/image/abc.xml</request><method>DELETE</method></data>\n")
    }
}
