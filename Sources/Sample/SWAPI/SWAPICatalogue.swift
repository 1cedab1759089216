/// All resources, ready to be written: built once from the tables, then only read.
struct SWAPICatalogue: Sendable {
    struct Resource: Sendable {
        let id: Int
        let json: LinkedText
        /// The fields that a search looks into, in lower case.
        let searched: [[UInt8]]
    }

    /// The resources of each kind, ascending by id.
    private var resources: [SWAPIKind: [Resource]] = [:]

    init() {
        let tables = Tables()
        for kind in SWAPIKind.allCases {
            resources[kind] = tables.rows(kind).map { row in
                Resource(id: row.id, json: tables.json(of: row, kind), searched: Self.searched(row, kind))
            }
        }
    }

    /// The resources of `kind` that fit a search, ascending by id. Each word must stand in one of the kind's searched fields,
    /// whatever the case; without words everything fits.
    func found(_ kind: SWAPIKind, search: String?) -> [Resource] {
        let all = resources[kind] ?? []
        guard let search, !search.isEmpty else { return all }
        let words = Self.words(search)
        return words.isEmpty ? all : all.filter { resource in words.allSatisfy { Self.fits($0, resource) } }
    }

    /// The resource with this id, where it fits the search too.
    func resource(_ kind: SWAPIKind, id: Int, search: String?) -> Resource? {
        let words = search.map(Self.words) ?? []
        guard let found = resources[kind]?.first(where: { $0.id == id }) else { return nil }
        return words.allSatisfy { Self.fits($0, found) } ? found : nil
    }

    /// What stands between blanks and commas, in lower case.
    private static func words(_ search: String) -> [[UInt8]] {
        search.lowercased().unicodeScalars.split { scalar in
            scalar == "," || scalar.properties.isWhitespace || ("\u{1C}"..."\u{1F}").contains(scalar)
        }.map { Array(String($0).utf8) }
    }

    private static func fits(_ word: [UInt8], _ resource: Resource) -> Bool {
        resource.searched.contains { field in
            field.indices.contains { field[$0...].starts(with: word) }
        }
    }

    private static func searched(_ row: Tables.Row, _ kind: SWAPIKind) -> [[UInt8]] {
        zip(kind.columns.filter(\.isStored), row.values).compactMap { column, value in
            kind.searched.contains(column.name) ? Array(String(Substring(value)).lowercased().utf8) : nil
        }
    }
}

/// The tables, split into rows and values.
private struct Tables {
    struct Row {
        let id: Int
        /// The stored fields, in the order of the kind's columns.
        let values: [Substring.UTF8View]
    }

    /// A field of some kind that holds ids.
    private struct Reference: Hashable {
        let kind: SWAPIKind
        let field: String
    }

    private var rows: [SWAPIKind: [Row]] = [:]
    /// For each field that holds ids: which rows name an id, ascending.
    private var sources: [Reference: [Int: [Int]]] = [:]

    init() {
        for kind in SWAPIKind.allCases {
            let columns = kind.columns.filter(\.isStored)
            for line in kind.table.utf8.split(separator: UInt8(ascii: "\n")) {
                let parts = line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
                guard parts.count == columns.count + 1, let id = parts.first.flatMap(Self.number) else { continue }
                let row = Row(id: id, values: Array(parts.dropFirst()))
                rows[kind, default: []].append(row)
                note(row, kind, columns)
            }
        }
    }

    func rows(_ kind: SWAPIKind) -> [Row] { rows[kind] ?? [] }

    private mutating func note(_ row: Row, _ kind: SWAPIKind, _ columns: [SWAPIKind.Column]) {
        for (column, value) in zip(columns, row.values) {
            switch column {
            case .link(let name, _), .links(let name, _):
                for target in Self.ids(value) {
                    sources[Reference(kind: kind, field: name), default: [:]][target, default: []].append(row.id)
                }
            case .text, .number, .backlinks: break
            }
        }
    }

    /// The row as the API shows it.
    func json(of row: Row, _ kind: SWAPIKind) -> LinkedText {
        var json = LinkedText()
        var values = row.values.makeIterator()
        json.append("{")
        for column in kind.columns {
            json.append("\"\(column.name)\":")
            let value = column.isStored ? values.next() ?? Substring().utf8 : Substring().utf8
            switch column {
            case .text:
                json.append("\"")
                json.append(value)
                json.append("\"")
            case .number: json.append(value)
            case .link(_, let target):
                if let id = Self.number(value) { json.append(linkTo: target, id) } else { json.append("null") }
            case .links(_, let target): json.append(linksTo: target, Self.ids(value))
            case .backlinks(_, let other, let field):
                let ids = sources[Reference(kind: other, field: field)]?[row.id] ?? []
                json.append(linksTo: other, ids)
            }
            json.append(",")
        }
        json.append("\"url\":")
        json.append(linkTo: kind, row.id)
        json.append("}")
        return json
    }

    private static func ids(_ value: Substring.UTF8View) -> [Int] {
        value.split(separator: UInt8(ascii: ",")).compactMap(number)
    }

    private static func number(_ text: Substring.UTF8View) -> Int? { Int(Substring(text)) }
}

extension LinkedText {
    fileprivate mutating func append(linkTo kind: SWAPIKind, _ id: Int) {
        append(linkTo: "/api/\(kind.rawValue)/\(id)/")
    }

    fileprivate mutating func append(linksTo kind: SWAPIKind, _ ids: [Int]) {
        append("[")
        for (position, id) in ids.enumerated() {
            if position > 0 { append(",") }
            append(linkTo: kind, id)
        }
        append("]")
    }
}
