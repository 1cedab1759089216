internal import HTTP
internal import Hashing

/// The part of a list that is answered.
struct MarvelPage {
    private let kind: MarvelKind
    private let places: ArraySlice<Int>
    private let offset: Int
    private let limit: Int
    private let total: Int
    private let catalogue: MarvelCatalogue

    /// - Parameter found: places of all that was found; past its end there is an empty page.
    init(_ kind: MarvelKind, _ found: [Int], offset: Int, limit: Int, _ catalogue: MarvelCatalogue) {
        (self.kind, self.offset, self.limit, self.catalogue) = (kind, offset, limit, catalogue)
        total = found.count
        places = found.dropFirst(min(offset, total)).prefix(limit)
    }

    /// Forty hexadecimal digits that stand for the whole answer: of what it is made of, since a page of comics takes longer to hash.
    func tag(year: Int, publicKey: String) -> String {
        var text = "\(catalogue.week.number) \(publicKey) \(year) \(kind.rawValue) \(offset) \(limit) \(total)"
        for place in places { text += " \(place)" }
        // Where there is no digest there is no signed request either.
        return String((Digest.sha256.hex(Array(text.utf8)) ?? "").prefix(40))
    }

    /// The answer.
    func json(year: Int, tag: String) -> [UInt8] {
        let results = places.map { catalogue.json(kind, $0) }
        let notice = "Data provided by Marvel. © \(year) MARVEL"
        var json: [UInt8] = []
        json.reserveCapacity(512 + results.reduce(0) { $0 + $1.count + 1 })
        json.append(ascii: "{\"code\":200,\"status\":\"Ok\",\"copyright\":\"© ")
        json.append(decimal: year)
        json.append(ascii: " MARVEL\",\"attributionText\":\"")
        json.append(contentsOf: notice.utf8)
        json.append(ascii: "\",\"attributionHTML\":\"<a href=\\\"http://marvel.com\\\">")
        json.append(contentsOf: notice.utf8)
        json.append(ascii: "</a>\",\"etag\":\"")
        json.append(contentsOf: tag.utf8)
        json.append(ascii: "\",\"data\":{\"offset\":")
        json.append(decimal: offset)
        json.append(ascii: ",\"limit\":")
        json.append(decimal: limit)
        json.append(ascii: ",\"total\":")
        json.append(decimal: total)
        json.append(ascii: ",\"count\":")
        json.append(decimal: places.count)
        json.append(ascii: ",\"results\":[")
        for (position, result) in results.enumerated() {
            if position > 0 { json.append(UInt8(ascii: ",")) }
            json.append(contentsOf: result)
        }
        json.append(ascii: "]}}")
        return json
    }
}
