import Drawing
import Testing

@Suite("A card on its way to another process")
struct CardMessageTests {
    private var card: Card {
        var card = Card(title: "夜明けの番人 #9")
        card.date = "On sale 22 May 2024"
        card.characters = ["Ann", "", "حارس"]
        card.characterCount = 12
        card.description = "Words."
        card.attribution = "Data provided by Marvel."
        card.cover = [0xFF, 0xD8, 0, 1, 2]
        card.width = 1600
        card.format = .png
        return card
    }

    @Test("it arrives as it was sent")
    func whole() {
        #expect(CardMessage.card(CardMessage.bytes(of: card)) == card)
        #expect(CardMessage.card(CardMessage.bytes(of: Card(title: ""))) == Card(title: ""))
    }

    @Test("a part of it is no card, nor is one with something behind it")
    func cut() {
        let bytes = CardMessage.bytes(of: card)
        for count in bytes.indices { #expect(CardMessage.card(Array(bytes[..<count])) == nil) }
        #expect(CardMessage.card(bytes + [0]) == nil)
    }

    @Test("any bytes are read to an end")
    func changed() {
        let bytes = CardMessage.bytes(of: card)
        for place in bytes.indices {
            for value in [0, 0x7F, 0xFF] as [UInt8] {
                var changed = bytes
                changed[place] = value
                _ = CardMessage.card(changed)
            }
        }
        // A text that is no UTF-8 any more is repaired.
        var broken = bytes
        broken[24] = 0xFF
        #expect(CardMessage.card(broken)?.title.contains("\u{FFFD}") == true)
    }
}
