internal import Drawing
internal import JSON

/// What a card needs of a comic, from the gateway's own answer of `/comics/{id}`.
struct ComicFacts: Equatable {
    var title: String
    /// RFC 3339, or empty.
    var onSale = ""
    var characters: [String] = []
    var characterCount = 0
    var description = ""
    var attribution = ""
    /// The address of the cover; nil for none.
    var cover: String?

    /// Nil where the bytes are no JSON object. What isn't there, or isn't of its type, is left out.
    init?(_ bytes: [UInt8]) {
        guard let document = try? JSONDocument(bytes), document.kind(of: document.root) == .object else { return nil }
        func member(_ name: String, _ node: JSONNode? = nil) -> JSONNode? {
            document.member(name, of: node ?? document.root)
        }
        func text(_ name: String) -> String { member(name).flatMap { document.string(of: $0) } ?? "" }
        title = text("title")
        onSale = text("onSaleDate")
        description = PlainText.text(ofHTML: text("description"))
        attribution = text("attribution")
        cover = member("thumbnail").flatMap { document.string(of: $0) }
        if let list = member("characters") {
            characters = document.elements(of: list).compactMap { document.member("name", of: $0) }
                .compactMap { document.string(of: $0) }
        }
        characterCount = max(
            characters.count, member("charactersAvailable").flatMap { document.integer(of: $0) } ?? 0)
    }

    func card(cover: [UInt8], width: Int, format: PictureFormat) -> Card {
        var card = Card(title: title)
        card.date = ComicFacts.words(date: onSale).map { "On sale " + $0 } ?? ""
        card.characters = characters
        card.characterCount = characterCount
        card.description = description
        card.attribution = attribution
        card.cover = cover
        card.width = width
        card.format = format
        return card
    }

    /// "22 May 2024" for a date that begins with 2024-05-22; nil for what is no date.
    static func words(date: String) -> String? {
        let parts = date.prefix { $0 != "T" }.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), year > 0,
            months.indices.contains(month - 1), (1...31).contains(day)
        else { return nil }
        return "\(day) \(months[month - 1]) \(year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}
