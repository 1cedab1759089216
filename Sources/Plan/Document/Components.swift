internal import JSON

/// The `components` of the merged document: every place that is referred to gets one name, and is written once.
struct Components {
    /// What stands behind a name.
    enum Content {
        case place(Place, Kind)
        /// The gateway's own list around the items of an operation (an index).
        case envelope(Int)
        /// The paths that `expand` may name from a node, to a depth.
        case paths(node: Int, depth: Int)
        /// The answer to a request that failed.
        case problem
        /// How a client shows its key: as a bearer token, or in a field of its own.
        case clientKey(isBearer: Bool)
    }
    struct Entry {
        var section: String
        var name: String
        var content: Content
    }

    private struct PathsKey: Hashable {
        var node: Int
        var depth: Int
    }

    /// All entries so far, in the order in which they were asked for.
    private(set) var entries: [Entry] = []
    private var places: [Place.ID: String] = [:]
    private var envelopes: [Int: String] = [:]
    private var paths: [PathsKey: String] = [:]
    private var problem: String?
    private var clientKeys: [Bool: String] = [:]
    private var taken: [String: Set<String>] = [:]

    /// `#/components/schemas/Film`.
    mutating func reference(to place: Place, _ kind: Kind, name: String? = nil) -> String {
        let section = Components.section(of: kind)
        if let known = places[place.id] { return Components.reference(section, known) }
        let wanted = name ?? place.pointer.tokens.last ?? FilePath.stem(of: place.file)
        let added = add(section, wanted, file: place.file, .place(place, kind))
        places[place.id] = added
        return Components.reference(section, added)
    }

    mutating func reference(toEnvelopeOf operation: Int, name: String) -> String {
        let known = envelopes[operation] ?? add("schemas", name, file: "", .envelope(operation))
        envelopes[operation] = known
        return Components.reference("schemas", known)
    }

    mutating func reference(toPathsFrom node: Int, depth: Int, name: String) -> String {
        let key = PathsKey(node: node, depth: depth)
        let known = paths[key] ?? add("schemas", name, file: "", .paths(node: node, depth: depth))
        paths[key] = known
        return Components.reference("schemas", known)
    }

    mutating func referenceToProblem() -> String {
        let known = problem ?? add("responses", "GatewayProblem", file: "", .problem)
        problem = known
        return Components.reference("responses", known)
    }

    /// The name of the scheme by which a client shows its key.
    mutating func clientKeyScheme(isBearer: Bool) -> String {
        if let known = clientKeys[isBearer] { return known }
        let name = isBearer ? "clientKey" : "clientKeyField"
        let added = add("securitySchemes", name, file: "", .clientKey(isBearer: isBearer))
        clientKeys[isBearer] = added
        return added
    }

    private static func section(of kind: Kind) -> String {
        switch kind {
        case .parameter: "parameters"
        case .header: "headers"
        case .requestBody: "requestBodies"
        case .response: "responses"
        case .example: "examples"
        case .securityScheme: "securitySchemes"
        case .pathItem: "pathItems"
        default: "schemas"
        }
    }

    private static func reference(_ section: String, _ name: String) -> String { "#/components/\(section)/\(name)" }

    /// Takes `wanted`, or, where another file has it, a name with the file's in it.
    private mutating func add(_ section: String, _ wanted: String, file: String, _ content: Content) -> String {
        let base = Components.cleaned(wanted)
        let stem = Components.cleaned(FilePath.stem(of: file))
        var name = base
        var count = 1
        while !taken[section, default: []].insert(name).inserted {
            count += 1
            name = count == 2 && !file.isEmpty ? "\(base).\(stem)" : "\(base).\(count)"
        }
        entries.append(Entry(section: section, name: name, content: content))
        return name
    }

    /// The characters that OpenAPI allows in a component's name.
    private static func cleaned(_ name: String) -> String {
        let cleaned = String(
            name.unicodeScalars.map { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": Character(scalar)
                default: "_"
                }
            })
        return cleaned.isEmpty ? "_" : cleaned
    }
}
