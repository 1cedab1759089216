import HTTP
import Hashing
import JSON
import Testing

@testable import Sample

/// Noon of a Thursday: 2024-05-16, in the week that begins on the 12th.
let thursday = CivilDay(year: 2024, month: 5, day: 16).number * 86_400 + 43_200

let marvel = SampleMarvel(now: { thursday })

/// `path` and query with the three parameters of a signature.
func signed(_ path: String, ts: String = "1", keys: SampleMarvel.Keys = .sample) -> String {
    let hash = Digest.md5.hex(Array((ts + keys.privateKey + keys.publicKey).utf8)) ?? ""
    return
        "/v1/public\(path)\(path.contains("?") ? "&" : "?")ts=\(Percent.encoded(ts))&apikey=\(keys.publicKey)&hash=\(hash)"
}

/// The answer to a signed GET.
func askMarvel(
    _ path: String, _ fields: [(FieldName, String)] = [], of responder: SampleMarvel = marvel,
    keys: SampleMarvel.Keys = .sample
) -> Response {
    responder.answer(to: Request(target: Target(signed(path, keys: keys)), fields: Fields(fields)))
}

/// The answer to a request as it stands.
func askMarvelPlainly(
    _ target: String, _ method: Method = .get, _ fields: [(FieldName, String)] = [], of responder: SampleMarvel = marvel
) -> Response {
    responder.answer(to: Request(method: method, target: Target(target), fields: Fields(fields)))
}

extension JSONDocument {
    /// What stands at a pointer in each result, as it stands in the text; `nil` where it isn't there.
    func each(_ pointer: String) throws -> [String?] {
        let results = try #require(JSONPointer("/data/results").flatMap { node(at: $0) })
        let place = try #require(JSONPointer(pointer))
        return elements(of: results).map { result in
            node(at: place, from: result).map { String(decoding: bytes(of: $0), as: UTF8.self) }
        }
    }

    /// `each` without quotes.
    func texts(_ pointer: String) throws -> [String] {
        try each(pointer).map { text in
            var text = (text ?? "")[...]
            if text.hasPrefix("\"") { text = text.dropFirst().dropLast() }
            return String(text)
        }
    }

    func number(at pointer: String) throws -> Int { try #require(Int(try text(at: pointer))) }
}

/// All resources of a kind, page by page.
func allOfMarvel(_ path: String, of responder: SampleMarvel = marvel) throws -> [JSONDocument] {
    var pages: [JSONDocument] = []
    var total = 1
    while pages.count * 100 < total {
        let mark = path.contains("?") ? "&" : "?"
        let page = try askMarvel("\(path)\(mark)limit=100&offset=\(pages.count * 100)", of: responder).json()
        total = try page.number(at: "/data/total")
        pages.append(page)
    }
    return pages
}
