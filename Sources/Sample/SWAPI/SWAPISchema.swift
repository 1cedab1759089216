extension SWAPIKind {
    /// The kind's JSON schema: names and types of its fields, all of them required.
    var schema: [UInt8] {
        var properties: [String] = []
        for column in columns { properties.append("\"\(column.name)\":{\(Self.type(of: column, in: self))}") }
        properties.append("\"url\":{\(Self.uri)}")
        let names = columns.map { "\"\($0.name)\"" } + ["\"url\""]
        let text = """
            {"$schema":"http://json-schema.org/draft-04/schema","title":"\(rawValue)","type":"object",\
            "properties":{\(properties.joined(separator: ","))},"required":[\(names.joined(separator: ","))]}
            """
        return Array(text.utf8)
    }

    private static let uri = "\"type\":\"string\",\"format\":\"uri\""

    private static func type(of column: Column, in kind: SWAPIKind) -> String {
        switch column {
        case .text(let name):
            switch name {
            case "created", "edited": "\"type\":\"string\",\"format\":\"date-time\""
            case "release_date": "\"type\":\"string\",\"format\":\"date\""
            default: "\"type\":\"string\""
            }
        case .number: "\"type\":\"integer\""
        case .link: kind == .species ? "\"type\":[\"string\",\"null\"],\"format\":\"uri\"" : uri
        case .links, .backlinks: "\"type\":\"array\",\"items\":{\(uri)}"
        }
    }
}
