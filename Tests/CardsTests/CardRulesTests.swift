import Drawing
import HTTP
import Testing

@testable import Cards

@Suite("Rules of cards")
struct CardRulesTests {
    @Test(
        "JPEG, unless the client likes PNG better or alone",
        arguments: [
            (nil, .jpeg), ("*/*", .jpeg), ("image/*", .jpeg), ("image/png", .png), ("image/jpeg", .jpeg),
            ("image/png, image/jpeg", .jpeg), ("image/png, image/*;q=0.5", .png),
            ("image/jpeg;q=0.1, image/png;q=0.2", .png),
            ("text/html, image/jpeg;q=0, */*;q=0.1", .png), ("IMAGE/PNG", .png),
            ("image/avif,image/webp,*/*;q=0.8", .jpeg),
        ] as [(String?, PictureFormat)])
    func formats(accept: String?, format: PictureFormat) throws {
        #expect(try CardHandler.format(accept: accept) == format)
    }

    @Test(
        "406 where the client takes neither",
        arguments: ["text/html", "image/webp", "image/*;q=0", "", "image/jpeg;q=0, image/png;q=0"])
    func neither(accept: String) {
        let error = #expect(throws: GatewayError.self) { try CardHandler.format(accept: accept) }
        #expect(error?.status == .notAcceptable)
        #expect(error?.lists.first?.values == ["image/jpeg", "image/png"])
    }

    private func freshness(_ control: String?, age: String? = nil) -> CardFreshness {
        CardFreshness(Fields((control.map { [(.cacheControl, $0)] } ?? []) + (age.map { [(.age, $0)] } ?? [])))
    }

    @Test(
        "an answer's life is what is left of it",
        arguments: [
            ("max-age=60", nil, "max-age=60"), ("max-age=60, stale-if-error=9", "20", "max-age=40"),
            ("max-age=60", "90", "no-cache"),
            ("no-store", nil, "no-store"), ("private, max-age=60", nil, "no-store"),
            ("no-cache, max-age=60", nil, "no-cache"),
            (nil, nil, "no-cache"), ("max-age=x", nil, "no-cache"), ("max-age=99999999999", nil, "max-age=31536000"),
        ] as [(String?, String?, String)])
    func lives(control: String?, age: String?, directives: String) {
        #expect(freshness(control, age: age).directives == directives)
    }

    @Test("a card lives no longer than its parts")
    func combined() {
        var life = freshness("max-age=60")
        life.combine(freshness("max-age=90"))
        #expect(life.directives == "max-age=60")
        life.combine(freshness(nil))
        #expect(life.directives == "max-age=60")
        life.combine(freshness("max-age=30"))
        #expect(life.directives == "max-age=30")
        life.forbid()
        #expect(life.directives == "no-store")
    }

    @Test("the pictures that were used last are kept, and no more than fit")
    func kept() {
        func picture(_ size: Int) -> Picture { Picture(bytes: Array(repeating: 7, count: size), hasCover: true) }
        var kept = KeptPictures(capacity: 100)
        kept.keep(picture(40), for: "a")
        kept.keep(picture(40), for: "b")
        #expect(kept["a"] != nil)
        kept.keep(picture(40), for: "c")
        #expect(kept["b"] == nil && kept["a"] != nil && kept["c"] != nil && kept.size == 80)
        kept.keep(picture(101), for: "d")
        #expect(kept["d"] == nil && kept.size == 80)
        kept.keep(picture(100), for: "e")
        #expect(kept["e"] != nil && kept.size == 100)
    }

    @Test("a reply that isn't whole, or of another kind, is no picture")
    func replies() throws {
        let picture = try CardPainter.picture(of: Card(title: "x"), pixelLimit: 1)
        let reply = DrawingProcess.reply(picture)
        #expect(DrawingProcess.picture(reply, .jpeg) == picture)
        #expect(DrawingProcess.picture(reply, .png) == nil)
        #expect(DrawingProcess.picture(reply + [0], .jpeg) == nil)
        for count in stride(from: 0, to: reply.count, by: 97) {
            #expect(DrawingProcess.picture(Array(reply[..<count]), .jpeg) == nil)
        }
        var other = reply
        other[0] = 2
        #expect(DrawingProcess.picture(other, .jpeg) == nil)
    }
}
