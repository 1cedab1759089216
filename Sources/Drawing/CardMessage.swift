/// A card as bytes, on its way to the process that draws it.
public enum CardMessage {
    private static let mark: [UInt8] = Array("card".utf8)

    public static func bytes(of card: Card) -> [UInt8] {
        var bytes = mark
        bytes.reserveCapacity(card.cover.count + 4096)
        append(UInt32(clamping: card.width), to: &bytes)
        append(UInt32(card.format.rawValue), to: &bytes)
        append(UInt32(clamping: card.characterCount), to: &bytes)
        append(UInt32(clamping: card.characters.count), to: &bytes)
        for text in [card.title, card.date, card.description, card.attribution] + card.characters {
            append(text.utf8, to: &bytes)
        }
        append(card.cover, to: &bytes)
        return bytes
    }

    /// Nil where the bytes are no card, or only a part of one. Texts that are no UTF-8 are repaired.
    public static func card(_ bytes: [UInt8]) -> Card? {
        var rest = bytes[...]
        guard take(mark.count, &rest).map(Array.init) == mark, let width = number(&rest),
            let format = number(&rest).flatMap({ PictureFormat(rawValue: UInt8(clamping: $0)) }),
            let characterCount = number(&rest), let nameCount = number(&rest), nameCount <= rest.count,
            let title = text(&rest), let date = text(&rest), let description = text(&rest),
            let attribution = text(&rest)
        else { return nil }
        var card = Card(title: title)
        card.width = width
        card.format = format
        card.date = date
        card.description = description
        card.attribution = attribution
        card.characterCount = characterCount
        for _ in 0..<nameCount {
            guard let name = text(&rest) else { return nil }
            card.characters.append(name)
        }
        guard let cover = piece(&rest), rest.isEmpty else { return nil }
        card.cover = Array(cover)
        return card
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func append(_ piece: some Collection<UInt8>, to bytes: inout [UInt8]) {
        append(UInt32(clamping: piece.count), to: &bytes)
        bytes.append(contentsOf: piece)
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        let piece = rest.prefix(count)
        rest = rest.dropFirst(count)
        return piece
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        take(4, &rest).map { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    private static func piece(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        number(&rest).flatMap { take($0, &rest) }
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> String? {
        piece(&rest).map { String(decoding: $0, as: UTF8.self) }
    }
}
