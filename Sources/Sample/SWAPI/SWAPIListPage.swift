/// Ten of the resources that a list request found.
struct SWAPIListPage {
    private static let size = 10

    private let resources: ArraySlice<SWAPICatalogue.Resource>
    private let count: Int
    private let number: Int
    private let last: Int

    /// - Parameter asked: the `page` parameter; nothing or an empty text for the first.
    /// Nil where there is no such page; without any resource there is still a first one.
    init?(of found: [SWAPICatalogue.Resource], asked: String?) {
        count = found.count
        last = max(1, (found.count + Self.size - 1) / Self.size)
        guard let number = Self.number(asked ?? "", last: last), (1...last).contains(number) else { return nil }
        self.number = number
        resources = found.dropFirst((number - 1) * Self.size).prefix(Self.size)
    }

    private static func number(_ asked: String, last: Int) -> Int? {
        switch asked {
        case "": return 1
        case "last": return last
        default: return Int(String(trimmed(asked)))
        }
    }

    /// - Parameters:
    ///   - query: the request's own, which the links to other pages repeat.
    ///   - root: scheme and authority of the links.
    func json(_ kind: SWAPIKind, _ query: FormQuery, _ root: [UInt8]) -> [UInt8] {
        var json = Array("{\"count\":\(count),\"next\":".utf8)
        json.reserveCapacity(512 + resources.reduce(0) { $0 + $1.json.count(root: root) + 1 })
        append(number < last ? number + 1 : nil, kind, query, root, to: &json)
        json.append(contentsOf: ",\"previous\":".utf8)
        append(number > 1 ? number - 1 : nil, kind, query, root, to: &json)
        json.append(contentsOf: ",\"results\":[".utf8)
        for (position, resource) in resources.enumerated() {
            if position > 0 { json.append(UInt8(ascii: ",")) }
            resource.json.write(root: root, to: &json)
        }
        json.append(contentsOf: "]}".utf8)
        return json
    }

    private func append(_ page: Int?, _ kind: SWAPIKind, _ query: FormQuery, _ root: [UInt8], to json: inout [UInt8]) {
        guard let page else { return json.append(contentsOf: "null".utf8) }
        json.append(UInt8(ascii: "\""))
        json.append(contentsOf: root)
        json.append(contentsOf: "/api/\(kind.rawValue)/?\(query.setting("page", to: String(page)).text)\"".utf8)
    }
}
