/// One comic, before it is written. Places are those of other resources in their lists.
struct MarvelComic: Sendable {
    var id: Int
    var digitalId: Int
    var title: String
    /// As it stands in the JSON; `hundredths` is the same for comparing.
    var issueNumber: String
    var variantDescription = ""
    /// Nil for null.
    var description: String?
    /// Nil for the date that is none, `-0001-11-30`.
    var modified: CivilDay?
    var onsale: CivilDay?
    var focus: CivilDay?
    var unlimited: CivilDay?
    var digitalPurchase: CivilDay?
    // JSON as it stands: the service gives these as texts, and now and then as numbers.
    var isbn = "\"\""
    var upc = "\"\""
    var diamondCode = "\"\""
    var ean = "\"\""
    var issn = "\"\""
    var format = "Comic"
    var pageCount = 32
    var printPrice = "3.99"
    var digitalPrice: String?
    var hasPicture = true
    var series: Int
    var variantOf: Int?
    var variants: [Int] = []
    var collections: [Int] = []
    var collectedIssues: [Int] = []
    var creators: [(place: Int, role: String)] = []
    var characters: [Int] = []
    var events: [Int] = []

    /// Whether `formatType=collection` finds it.
    var isCollection: Bool { format == "Trade Paperback" || format == "Hardcover" }

    /// The issue number times 100.
    var hundredths: Int {
        let parts = issueNumber.split(separator: ".")
        let whole = parts.first.flatMap { Int($0) } ?? 0
        guard parts.count == 2, let tenths = Int(parts[1]) else { return whole * 100 }
        return whole * 100 + tenths * 10
    }

    /// Puts an odd value in its place.
    mutating func set(_ member: Substring, _ token: String) {
        switch member {
        case "issueNumber":
            let name = title.split(separator: "#").first ?? ""
            title = "\(name)#\(token)" + (variantDescription.isEmpty ? "" : " (\(variantDescription))")
            issueNumber = token
        case "description": description = token == "null" ? nil : String(token.dropFirst().dropLast())
        case "isbn": isbn = token
        case "upc": upc = token
        case "ean": ean = token
        case "issn": issn = token
        case "format": format = ""
        case "focDate": focus = nil
        case "modified": modified = nil
        case "printPrice": printPrice = token
        case "pageCount": pageCount = Int(token) ?? 0
        case "thumbnail": hasPicture = false
        default: break
        }
    }
}
