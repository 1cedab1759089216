internal import HTTP
internal import JSON

/// The merged OpenAPI 3.1 document that clients get: all contracts in one, without our keys, with every reference inside the document
/// and with what only the gateway knows (the paths of `expand`, parts in the places of links, lists in its own form).
public struct OpenAPIDocument {
    /// The only server's address in the document; the gateway puts its own in its place.
    public static let serverPlaceholder = "http://sluice.invalid"

    let contract: Contract
    let documents: [Place]
    let drafts: [OperationDraft]
    let graph: SchemaGraph
    let schemas: SchemaLoader
    /// Properties of shaped answers that may be null although their schemas don't say so.
    let nullable: Set<Place.ID>
    /// Which requests need a client's key.
    let keyNeed: KeyNeed
    var components = Components()

    init(
        _ contract: Contract, _ documents: [Place], _ drafts: [OperationDraft], _ graph: SchemaGraph,
        _ schemas: SchemaLoader, nullable: Set<Place.ID>, keyNeed: KeyNeed
    ) {
        self.contract = contract
        self.documents = documents
        self.drafts = drafts
        self.graph = graph
        self.schemas = schemas
        self.nullable = nullable
        self.keyNeed = keyNeed
    }

    mutating func write() -> [UInt8] {
        var paths = JSONWriter()
        paths.object { paths in writePaths(&paths) }
        let sections = writeComponents()
        return JSONWriter.object { writer in
            writer.member("openapi", "3.1.0")
            writer.object("info") { writeInfo(&$0) }
            writer.array("servers") { $0.object { $0.member("url", OpenAPIDocument.serverPlaceholder) } }
            writeTags(&writer)
            if documents.count == 1, let docs = documents.first?["externalDocs"] {
                writer.key("externalDocs")
                OpenAPIDocument.write(docs.node, &writer)
            }
            writer.member("paths", raw: paths.bytes)
            writer.object("components") { writer in
                for (section, entries) in sections {
                    writer.object(section) { writer in
                        for (name, bytes) in entries { writer.member(name, raw: bytes) }
                    }
                }
            }
        }
    }

    // MARK: The frame

    private func writeInfo(_ writer: inout JSONWriter) {
        let infos = documents.compactMap { $0["info"] }
        if infos.count == 1, let info = infos.first {
            for (key, value) in info.entries where !OpenAPIDocument.isOurs(key) {
                writer.key(key)
                OpenAPIDocument.write(value.node, &writer)
            }
            return
        }
        func joined(_ texts: [String], _ separator: String) -> String {
            texts.enumerated().filter { !texts[..<$0.offset].contains($0.element) }.map(\.element).joined(
                separator: separator)
        }
        writer.member("title", joined(infos.compactMap { $0["title"]?.text }, ", "))
        writer.member("version", joined(infos.compactMap { $0["version"]?.text }, ", "))
        let texts = infos.compactMap { info in
            info["description"]?.text.map { "\(info["title"]?.text ?? ""): \($0)" }
        }
        if !texts.isEmpty { writer.member("description", joined(texts, "\n\n")) }
    }

    private mutating func writeTags(_ writer: inout JSONWriter) {
        let tags = documents.flatMap { $0["tags"]?.items ?? [] }
        if tags.isEmpty { return }
        var names: Set<String> = []
        writer.array("tags") { writer in
            for tag in tags {
                guard let name = tag["name"]?.text, names.insert(name).inserted else { continue }
                write(tag, .object(.tag), &writer)
            }
        }
    }

    private mutating func writePaths(_ writer: inout JSONWriter) {
        var order: [String] = []
        var groups: [String: [Int]] = [:]
        for (index, draft) in drafts.enumerated() {
            if groups[draft.template.text] == nil { order.append(draft.template.text) }
            groups[draft.template.text, default: []].append(index)
        }
        for path in order {
            let indices = groups[path] ?? []
            writer.object(path) { writer in
                for key in ["summary", "description"] {
                    if let text = indices.compactMap({ drafts[$0].pathItem[key]?.text }).first {
                        writer.member(key, text)
                    }
                }
                for index in indices {
                    writer.key(drafts[index].method.rawValue.lowercased())
                    writeOperation(index, &writer)
                }
            }
        }
    }

    private mutating func writeComponents() -> [(section: String, entries: [(name: String, bytes: [UInt8])])] {
        var sections: [String: [(name: String, bytes: [UInt8])]] = [:]
        var done = 0
        // Writing one may bring in others.
        while done < components.entries.count {
            let entry = components.entries[done]
            var writer = JSONWriter()
            writeComponent(entry.content, &writer)
            sections[entry.section, default: []].append((entry.name, writer.bytes))
            done += 1
        }
        return sections.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted { $0.name < $1.name }) }
    }

    private mutating func writeComponent(_ content: Components.Content, _ writer: inout JSONWriter) {
        switch content {
        case .place(let place, let kind): write(place, .object(kind), &writer)
        case .envelope(let operation): writeEnvelope(operation, &writer)
        case .paths(let node, let depth): writeExpandPaths(from: node, depth: depth, &writer)
        case .problem: OpenAPIDocument.writeProblem(&writer)
        case .clientKey(let isBearer): OpenAPIDocument.writeClientKey(isBearer: isBearer, &writer)
        }
    }

    // MARK: Values

    static func isOurs(_ key: String) -> Bool { key.lowercased().hasPrefix("x-sluice") }

    /// A value as it stands; nobody looks into it.
    static func write(_ node: YAMLNode, _ writer: inout JSONWriter) {
        switch node.value {
        case .scalar(.null), .scalar(.notFinite): writer.null()
        case .scalar(.flag(let flag)): writer.value(flag)
        case .scalar(.number(let text)): writer.raw(text.utf8)
        case .scalar(.text(let text)): writer.value(text)
        case .list(let items): writer.array { for item in items { write(item, &$0) } }
        case .map(let entries):
            writer.object { writer in
                for entry in entries {
                    writer.key(entry.key)
                    write(entry.node, &writer)
                }
            }
        }
    }

    /// A value of a known shape: our keys are left out, references lead into this document.
    mutating func write(_ place: Place, _ shape: Shape, _ writer: inout JSONWriter) {
        switch shape.layer {
        case .leaf(.object(let kind)): write(place, kind, &writer)
        case .list(let shape): writer.array { for item in place.items { write(item, shape, &$0) } }
        case .map(let shape):
            writer.object { writer in
                for (key, value) in place.entries {
                    writer.key(key)
                    write(value, shape, &writer)
                }
            }
        case .leaf: OpenAPIDocument.write(place.node, &writer)
        }
    }

    private mutating func write(_ place: Place, _ kind: Kind, _ writer: inout JSONWriter) {
        guard place.isMap else { return OpenAPIDocument.write(place.node, &writer) }
        guard kind == .schema else { return writer.object { writeMembers(place, kind, &$0) } }
        if nullable.contains(place.id) { return writeNullable(place, &writer) }
        writeSchema(place, &writer)
    }

    mutating func writeMembers(_ place: Place, _ kind: Kind, _ writer: inout JSONWriter, except left: [String] = []) {
        let isReference = kind.isReferable && place["$ref"] != nil
        if isReference, let target = contract.resolve(place) {
            writer.member("$ref", components.reference(to: target, kind))
        }
        for (key, value) in place.entries where !OpenAPIDocument.isOurs(key) && !left.contains(key) {
            if isReference, key == "$ref" || kind != .schema && key != "summary" && key != "description" { continue }
            writer.key(key)
            write(value, kind.shape(of: key) ?? .any, &writer)
        }
        if kind == .response, !isReference, place["description"] == nil {
            let status = place.pointer.tokens.last.flatMap { Int($0) }.flatMap { Status(code: $0) }
            writer.member("description", status.map(\.reason) ?? "")
        }
    }

    // MARK: Links

    /// The operation whose answer may stand in the place of a value.
    private func linkTarget(_ place: Place) -> Int? {
        guard let link = place["x-sluice-link"], link["expand"]?.flag != false, let id = link["to"]?.text else {
            return nil
        }
        return drafts.firstIndex { $0.id == id }
    }

    private mutating func writeSchema(_ place: Place, _ writer: inout JSONWriter) {
        if let target = linkTarget(place) { return writeSlot(place, target, &writer) }
        writer.object { writeMembers(place, .schema, &$0) }
    }

    /// A property that is null where the upstream has nothing that could be brought to its type.
    private mutating func writeNullable(_ place: Place, _ writer: inout JSONWriter) {
        // `not: {pattern: …}` and the like refuse null too.
        let refusesNull = ["$ref", "const", "not", "allOf", "anyOf", "oneOf"].contains { place[$0] != nil }
        guard let type = place["type"], type.text != nil, !refusesNull, linkTarget(place) == nil else {
            writer.object { writer in
                writer.array("anyOf") { writer in
                    writeSchema(place, &writer)
                    writer.object { $0.member("type", "null") }
                }
            }
            return
        }
        writer.object { writer in
            writer.array("type") { writer in
                OpenAPIDocument.write(type.node, &writer)
                writer.value("null")
            }
            if let values = place["enum"] {
                writer.array("enum") { writer in
                    for value in values.items { OpenAPIDocument.write(value.node, &writer) }
                    if !values.items.contains(where: \.node.isNull) { writer.null() }
                }
            }
            writeMembers(place, .schema, &writer, except: ["type", "enum"])
        }
    }

    /// A place that holds the value itself, or the answer that the link leads to.
    private mutating func writeSlot(_ place: Place, _ target: Int, _ writer: inout JSONWriter) {
        let reference = answerReference(target)
        let isBare = !place.entries.contains { !OpenAPIDocument.isOurs($0.key) }
        writer.object { writer in
            guard !isBare else {
                if let reference { writer.member("$ref", reference) }
                return
            }
            guard let reference else { return writeMembers(place, .schema, &writer) }
            writer.array("anyOf") { writer in
                writer.object { writeMembers(place, .schema, &$0) }
                writer.object { $0.member("$ref", reference) }
            }
        }
    }

    /// Where the schema of an operation's whole answer stands; nil where the contract gives none.
    mutating func answerReference(_ index: Int) -> String? {
        let operation = graph.operations[index]
        if operation.wrapsList {
            return components.reference(toEnvelopeOf: index, name: operation.id + "Answer")
        }
        return operation.answer.map { reference(toNode: $0, name: operation.id + "Answer") }
    }

    /// Where the schema of a node stands.
    /// - Parameter name: what it is called where it is no component of its document.
    mutating func reference(toNode node: Int, name: String) -> String {
        let place = schemas.origins[node]
        return components.reference(to: place, .schema, name: OpenAPIDocument.isNamed(place) ? nil : name)
    }

    /// Whether the last part of a place's pointer is a name that an author gave it.
    static func isNamed(_ place: Place) -> Bool {
        let parent = place.pointer.tokens.dropLast().last
        return parent == "schemas" || parent == "$defs"
    }
}

extension Operation {
    /// Whether the gateway writes the list's envelope, and doesn't pass the upstream's through.
    public var wrapsList: Bool {
        collection.map { isShaped || $0.attribution != nil || $0.next == nil || $0.previous == nil } ?? false
    }
}
