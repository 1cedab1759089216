/// What a card shows. Pure values: whoever makes one has fetched everything.
public struct Card: Sendable, Equatable {
    public var title: String
    /// Such as "On sale 22 May 2024"; empty for none.
    public var date = ""
    /// The names that are known, in order.
    public var characters: [String] = []
    /// How many characters there are, known by name or not.
    public var characterCount = 0
    /// Empty for none.
    public var description = ""
    /// What the upstream's terms ask to be shown; empty for none.
    public var attribution = ""
    /// The cover as its upstream sent it, whatever it is; empty for none.
    public var cover: [UInt8] = []
    /// Of the card, in pixels; ``widths`` are possible.
    public var width = 800
    public var format = PictureFormat.jpeg

    public init(title: String) { self.title = title }

    /// The widths that a card may have. The height follows.
    public static let widths = 320...1600

    /// The same with every text made fit to be drawn, cut to what a card can show at most.
    func cleaned() -> Card {
        var card = self
        card.title = CleanText.line(title, limit: 300)
        card.date = CleanText.line(date, limit: 100)
        card.characters = characters.prefix(100).map { CleanText.line($0, limit: 100) }.filter { !$0.isEmpty }
        card.characterCount = max(characterCount, card.characters.count)
        card.description = CleanText.line(description, limit: 2500)
        card.attribution = CleanText.line(attribution, limit: 200)
        card.width = min(max(width, Card.widths.lowerBound), Card.widths.upperBound)
        return card
    }
}

/// What a card is written as.
public enum PictureFormat: UInt8, Sendable, CaseIterable {
    case jpeg = 1
    case png = 2

    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        }
    }
}

/// A card that was drawn.
public struct Picture: Sendable, Equatable {
    public var bytes: [UInt8]
    /// Whether the card's cover is in it.
    public var hasCover: Bool

    public init(bytes: [UInt8], hasCover: Bool) {
        self.bytes = bytes
        self.hasCover = hasCover
    }
}

/// Why there is no picture.
public enum DrawingError: Error, Sendable, Equatable {
    /// Memory ran out.
    case outOfMemory
    /// The encoder of the format failed.
    case notEncoded
}
