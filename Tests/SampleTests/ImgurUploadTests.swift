import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample Imgur's pictures")
struct ImgurUploadTests {
    @Test("an upload says all of a picture, in the original's order")
    func members() async throws {
        let sample = imgurSample()
        let response = try await upload(
            [
                .file(png(size: 1000)), .text("title", "Häuser \"7\""), .text("description", "a\nb"),
                .text("name", "h.png"),
            ],
            to: sample)
        #expect(response.status == .ok)
        #expect(response.fields[.contentType] == "application/json")
        let document = try response.json()
        let id = try #require(document.string(at: "/data/id"))
        let hash = try #require(document.string(at: "/data/deletehash"))
        for (word, count) in [(id, 7), (hash, 15)] {
            #expect(word.utf8.count == count)
            #expect(word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        }
        let members = #"""
            {"data":{"id":"\#(id)","title":"Häuser \"7\"","description":"a\u000ab","datetime":\#(thursday),"type":"image/png",
            "animated":false,"width":640,"height":480,"size":1000,"views":0,"bandwidth":0,"vote":null,"favorite":false,"nsfw":null,
            "section":null,"account_url":null,"account_id":0,"is_ad":false,"in_most_viral":false,"has_sound":false,"tags":[],
            "ad_type":0,"ad_url":"","edited":"0","in_gallery":false,"deletehash":"\#(hash)","name":"h.png",
            "link":"http://api.test/\#(id).png"},"success":true,"status":200}
            """#
        #expect(response.text == members.split(separator: "\n").joined())
    }

    @Test("what was uploaded is had again under its link, until it is deleted")
    func pictures() async throws {
        let sample = imgurSample()
        let picture = png(size: 5000)
        let response = try await upload([.file(picture)], to: sample)
        let id = try #require(try response.string(at: "/data/id"))
        let hash = try #require(try response.string(at: "/data/deletehash"))
        let found = try await askImgur(sample, "/\(id).png", authorization: nil)
        #expect(found.status == .ok)
        #expect(found.bytes == picture)
        #expect(found.fields[.contentType] == "image/png")
        #expect(try await askImgur(sample, "/\(id).jpg", .head, authorization: nil).bytes == picture)
        let information = try await askImgur(sample, "/3/image/\(id)")
        #expect(try information.text(at: "/data/views") == "1")
        #expect(try information.text(at: "/data/bandwidth") == "5000")
        #expect(!information.text.contains(hash))

        let deleted = try await askImgur(sample, "/3/image/\(hash)", .delete)
        #expect(deleted.text == #"{"data":true,"success":true,"status":200}"#)
        #expect(try await askImgur(sample, "/3/image/\(hash)", .delete).status == .notFound)
        #expect(try await askImgur(sample, "/3/image/\(id)").status == .notFound)
        let gone = try await askImgur(sample, "/\(id).png", authorization: nil)
        #expect(gone.status == .notFound)
        #expect(gone.fields[.contentType] == "text/html; charset=utf-8")
    }

    @Test("only the hash deletes, and a hash finds nothing else")
    func hashes() async throws {
        let sample = imgurSample()
        let response = try await upload([.file(png())], to: sample)
        let id = try #require(try response.string(at: "/data/id"))
        let hash = try #require(try response.string(at: "/data/deletehash"))
        #expect(try await askImgur(sample, "/3/image/\(id)", .delete).status == .forbidden)
        #expect(try await askImgur(sample, "/3/image/\(hash)").status == .notFound)
        #expect(try await askImgur(sample, "/3/image/\(hash.lowercased())x", .delete).status == .notFound)
        #expect(try await askImgur(sample, "/3/image/\(id)").status == .ok)
        let others = try await upload([.file(png())], to: sample)
        #expect(try others.string(at: "/data/id") != id)
        #expect(try others.string(at: "/data/deletehash") != hash)
    }

    @Test("a picture comes as a file, as base64, or by an address, in both encodings")
    func ways() async throws {
        let sample = imgurSample()
        let text = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAAElFTkSuQmCC"
        let bytes = try #require(Base64.decoded(Array(text.utf8)[...]))
        let encoded = text.replacing("+", with: "%2B").replacing("/", with: "%2F")
        let responses = [
            try await upload([.file(bytes)], to: sample),
            try await upload([.file(bytes), .text("type", "file")], to: sample),
            try await upload([FormPart(name: "image", content: bytes)], to: sample),
            try await upload([.text("image", text), .text("type", "base64")], to: sample),
            try await upload([.text("image", text)], to: sample, "/3/upload"),
            try await upload([.text("image", text)], to: sample, "/3/image/"),
            try await uploadEncoded("image=\(encoded)&type=base64", to: sample),
            try await uploadEncoded("image=\(encoded)", to: sample),
        ]
        for response in responses {
            #expect(response.status == .ok)
            #expect(try response.text(at: "/data/width") == "2")
            #expect(try response.text(at: "/data/height") == "3")
            #expect(try response.text(at: "/data/size") == "\(bytes.count)")
        }
    }

    @Test("the picture of an address is the sample's own of that address, else the landscape")
    func addresses() async throws {
        let sample = imgurSample()
        let response = try await upload([.file(png(7, 9))], to: sample)
        let link = try #require(try response.string(at: "/data/link"))
        for (address, type, width) in [
            (link, "url", "7"), (link, "URL", "7"), (link, nil, "7"), ("https://example.com/a/b.jpg?c=d", nil, "160"),
            ("http://api.test/abcdefg.png", "URL", "160"), ("HTTPS://example.com", "url", "160"),
        ] as [(String, String?, String)] {
            let parts = [FormPart.text("image", address)] + (type.map { [.text("type", $0)] } ?? [])
            #expect(try await upload(parts, to: sample).text(at: "/data/width") == width, "\(address)")
        }
        for address in [
            "ftp://example.com/a.png", "http://", "x", "https://a b", "https://ä.example/a.png",
            "data:image/png;base64,iVBO",
        ] {
            let refused = try await upload([.text("image", address), .text("type", "URL")], to: sample)
            #expect(refused.status == .badRequest, "\(address)")
            #expect(try refused.string(at: "/data/error") == "Invalid URL")
        }
        let path = try await upload([.text("image", "data:image/png;base64,iVBO")], to: sample)
        #expect(try path.string(at: "/data/error") == "Invalid URL")
    }

    @Test("a moving picture has other forms too")
    func animated() async throws {
        let gif = PictureFactsTests.gifHead + PictureFactsTests.gifFrame + PictureFactsTests.gifFrame + [0x3B]
        let response = try await upload([.file(gif)], to: imgurSample())
        let id = try #require(try response.string(at: "/data/id"))
        #expect(try response.text(at: "/data/animated") == "true")
        for name in ["gifv", "mp4", "webm"] {
            #expect(try response.string(at: "/data/\(name)") == "http://api.test/\(id).\(name)")
        }
        #expect(try response.string(at: "/data/mp4_size") != nil)
        let still = try await upload([.file(PictureFactsTests.gifHead + PictureFactsTests.gifFrame)], to: imgurSample())
        #expect(!still.text.contains("gifv"))
    }

    @Test("content comes in any pieces")
    func pieces() async throws {
        let content = multipart([.text("title", "T"), .file(png(size: 300))])
        for size in [1, 2, 7, content.count] {
            let pieces = stride(from: 0, to: content.count, by: size).map {
                Array(content[$0..<min($0 + size, content.count)])
            }
            let response = try await askImgur(
                imgurSample(), "/3/image", .post, .stream(Pieces(pieces)), fields: [(.contentType, formType)])
            #expect(try response.text(at: "/data/size") == "300")
            #expect(try response.string(at: "/data/title") == "T")
        }
    }

    @Test("what is too long isn't read to its end")
    func tooLong() async throws {
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let endless = Pieces(Array(repeating: piece, count: 100))
        let told = Pieces([piece], length: SampleImgur.longestContent + 1)
        for stream in [endless, told] {
            let response = try await askImgur(
                imgurSample(), "/3/upload", .post, .stream(stream), fields: [(.contentType, formType)])
            #expect(response.status == .contentTooLarge)
            #expect(response.bytes.count == 116)
            #expect(stream.left > 0)
        }
    }

    @Test("a picture may have 10 MiB and no byte more")
    func largest() async throws {
        let sample = imgurSample()
        #expect(try await upload([.file(png(size: 10 << 20))], to: sample).status == .ok)
        let refused = try await upload([.file(png(size: 10 << 20 + 1))], to: sample)
        #expect(refused.status == .badRequest)
        #expect(try refused.text(at: "/data/error/code") == "1002")
    }

    @Test("uploads that have no room together are refused, and their room is free again")
    func room() async throws {
        let sample = SampleImgur(memory: 2000, now: { thursday })
        let content = multipart([.file(png(size: 1500))])
        for _ in 0..<3 {
            let fits = try await askImgur(
                sample, "/3/image", .post, .stream(Pieces([content])), fields: [(.contentType, formType)])
            #expect(fits.status == .ok)
            let full = try await askImgur(
                sample, "/3/image", .post, .stream(Pieces([content, content])), fields: [(.contentType, formType)])
            #expect(full.status == .internalServerError)
            await #expect(throws: GatewayError.self) {
                _ = try await askImgur(
                    sample, "/3/image", .post, .stream(Pieces([content], end: .contentTooLarge(limit: 1))),
                    fields: [(.contentType, formType)])
            }
        }
    }

    @Test("the oldest pictures make room")
    func oldest() async throws {
        let few = SampleImgur(mostImages: 2, now: { thursday })
        let little = SampleImgur(memory: 2500, now: { thursday })
        for sample in [few, little] {
            var ids: [String] = []
            for _ in 0..<4 {
                let response = try await upload([.file(png(size: 1000))], to: sample)
                ids.append(try #require(try response.string(at: "/data/id")))
            }
            var found: [Bool] = []
            for id in ids { found.append(try await askImgur(sample, "/\(id).png").status == .ok) }
            #expect(found == [false, false, true, true])
        }
    }

    @Test("what is no picture is refused")
    func refused() async throws {
        let sample = imgurSample()
        let none =
            #"{"data":{"error":"No image data was sent to the upload api","request":"\/3\/image","method":"POST"},"success":false,"status":400}"#
        for response in [
            try await upload([], to: sample), try await upload([.text("title", "T")], to: sample),
            try await upload([.text("image", "")], to: sample), try await uploadEncoded("", to: sample),
            try await askImgur(sample, "/3/image", .post),
            try await askImgur(sample, "/3/image", .post, .bytes(png()), fields: [(.contentType, "image/png")]),
        ] {
            #expect(response.status == .badRequest)
            #expect(response.text == none)
        }
        let other = try await upload([.file(Array("<svg/>".utf8))], to: sample)
        #expect(other.status == .badRequest)
        #expect(
            try other.text(at: "/data/error")
                == #"{"code":1003,"message":"File type invalid (1)","type":"ImgurException","exception":[]}"#)
    }
}
