internal import HTTP
internal import JSON

/// The way from documents to a plan, step by step. What one step couldn't read, the later ones leave out: it is reported already.
struct PlanBuilder {
    let contract: Contract
    let interpolation: Interpolation
    let deadline: Duration
    let limits: BudgetLimits
    /// The names that handlers may have.
    let handlers: Set<String>
    let keyNeed: KeyNeed

    private(set) var upstreams: [UpstreamPlan] = []
    /// For each name the index into `upstreams`.
    private(set) var upstreamIndex: [String: Int] = [:]
    private var upstreamPlaces: [Place] = []

    init(
        _ contract: Contract, _ interpolation: Interpolation, deadline: Duration, limits: BudgetLimits,
        handlers: Set<String>, keyNeed: KeyNeed
    ) {
        self.contract = contract
        self.interpolation = interpolation
        self.deadline = deadline
        self.limits = limits
        self.handlers = handlers
        self.keyNeed = keyNeed
    }

    private var mistakes: MistakeList { contract.mistakes }

    /// Nil where a mistake leaves nothing to build from; there may also be mistakes beside a plan.
    mutating func build() -> Plan? {
        let documents = contract.roots.filter(PlanBuilder.isDocument)
        for document in documents { check(document) }
        for document in documents { readUpstreams(document) }
        checkOverlaps()
        guard hasPaths(documents) else { return nil }
        var collector = OperationCollector(contract)
        for document in documents { collector.collect(document) }
        let drafts = collector.drafts
        let indices = index(drafts)
        let router = route(drafts)
        var schemas = SchemaLoader(
            contract, operations: indices, areComplete: indices.count == drafts.count { !$0.id.isEmpty })
        for document in documents { loadComponents(document, &schemas) }
        var broken: Set<Int> = []
        let operations = drafts.enumerated().map { index, draft in
            var loader = OperationLoader(self, draft, schemas)
            let operation = loader.load()
            schemas = loader.schemas
            if loader.isBroken { broken.insert(index) }
            return operation
        }
        var shapes = ShapeLoader(schemas, operations, mistakes)
        shapes.load()
        schemas = shapes.schemas
        let graph = SchemaGraph(schemas: schemas.nodes, operations: operations)
        LinkCheck(graph: graph, schemas: schemas, broken: broken, mistakes: mistakes).run()
        // Where a link is missing, paths of links can't be judged.
        for (draft, operation) in zip(drafts, operations) where !schemas.hasBrokenLink {
            ExpandCheck(graph: graph, draft: draft, operation: operation, mistakes: mistakes).run()
        }
        guard mistakes.isEmpty else { return nil }
        var document = OpenAPIDocument(
            contract, documents, drafts, graph, schemas, nullable: shapes.nullable, keyNeed: keyNeed)
        return Plan(
            upstreams: upstreams, operations: operations, schemas: schemas.nodes, router: router,
            links: LinkMatcher(upstreams: upstreams, operations: operations), document: document.write())
    }

    // MARK: Documents

    /// Whether a file is an OpenAPI document and not only parts that others refer to.
    private static func isDocument(_ root: Place) -> Bool {
        ["openapi", "paths", "info", "x-sluice-upstreams"].contains { root[$0] != nil }
    }

    private func check(_ document: Place) {
        StructureCheck.run(document, of: contract)
        if let mirror = document["x-sluice"]?["mirror"] {
            mistakes.add(at: mirror, atKey: true, found: "a mirror for the whole document", expected: "it at one path")
        }
        guard let version = document["openapi"], let text = version.text else { return }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "3", parts[1] == "1", ASCII.decimal(parts[2].utf8) != nil else {
            mistakes.add(at: version, found: version.found, expected: "OpenAPI 3.1, such as 3.1.0")
            return
        }
    }

    private func hasPaths(_ documents: [Place]) -> Bool {
        if documents.contains(where: { $0["paths"].map { !$0.entries.isEmpty } ?? false }) { return true }
        if contract.isIncomplete { return false }
        if let root = contract.roots.first {
            mistakes.add(at: root, found: "no paths in any file", expected: "at least one path")
        } else {
            mistakes.add(
                ContractMistake(
                    file: "contracts", line: 1, column: 1, pointer: "", found: "no file",
                    expected: "at least one OpenAPI document"))
        }
        return false
    }

    /// Schemas that nothing refers to are read too, so that their mistakes are found.
    private func loadComponents(_ document: Place, _ schemas: inout SchemaLoader) {
        for (_, schema) in document["components"]?["schemas"]?.entries ?? [] { _ = schemas.load(schema) }
    }

    // MARK: Upstreams

    private mutating func readUpstreams(_ document: Place) {
        for (name, place) in document["x-sluice-upstreams"]?.entries ?? [] where place.isMap {
            guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy(PlanBuilder.isNameByte) else {
                mistakes.add(
                    at: place, atKey: true, found: shown(name),
                    expected: "a name of letters, digits, dots, dashes and underscores")
                continue
            }
            if let first = upstreamIndex[name] {
                mistakes.add(
                    at: place, atKey: true, found: "the upstream \(shown(name)) again",
                    expected: "each name once (it stands in \(upstreamPlaces[first].file) already)")
                continue
            }
            upstreamIndex[name] = upstreams.count
            upstreams.append(UpstreamLoader.load(name, place, interpolation))
            upstreamPlaces.append(place)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }

    /// One address can't mean two upstreams; http and https of a host are one.
    private func checkOverlaps() {
        struct Key: Hashable {
            var host: String
            var port: Int
            var path: String
        }
        var owners: [Key: Int] = [:]
        for (index, upstream) in upstreams.enumerated() {
            for base in [upstream.base] + upstream.aliases where base != .unset {
                let key = Key(host: base.host, port: base.hasDefaultPort ? 80 : base.port, path: base.path)
                guard let owner = owners[key], owner != index else {
                    owners[key] = index
                    continue
                }
                let place = upstreamPlaces[index]
                let alias = place["aliases"]?.items.first { $0.text.flatMap(BaseURL.init) == base }
                mistakes.add(
                    at: alias ?? place["url"] ?? place, found: shown(base.text),
                    expected: "an address that isn't the upstream \(shown(upstreams[owner].name)) already")
            }
        }
    }

    // MARK: Operations

    private func index(_ drafts: [OperationDraft]) -> [String: Int] {
        var indices: [String: Int] = [:]
        for (index, draft) in drafts.enumerated() where !draft.id.isEmpty {
            if let first = indices[draft.id], let place = draft.place["operationId"] {
                let other = drafts[first].place
                let line = other["operationId"]?.node.mark.line ?? other.node.mark.line
                mistakes.add(
                    at: place, found: place.found,
                    expected: "each operationId once (\(other.file):\(line) has it already)")
            } else {
                indices[draft.id] = index
            }
        }
        return indices
    }

    /// Routes collide where the same requests fit both, whatever their parameters are called and with or without a slash at the end.
    private func route(_ drafts: [OperationDraft]) -> Router {
        var router = Router()
        var shapes: [[PathTemplate.Segment]: Int] = [:]
        for (index, draft) in drafts.enumerated() {
            let shape = draft.template.segments.map { segment in
                if case .parameter = segment { PathTemplate.Segment.parameter("") } else { segment }
            }
            // A mirror is described by get alone; what else it has is reported with it.
            if draft.isMirror, draft.method != .get { continue }
            let first = shapes[shape] ?? index
            shapes[shape] = first
            let taken =
                draft.isMirror
                ? router.addMirror(draft.template, operation: index)
                : router.add(draft.template, method: draft.method, operation: index)
            let other = drafts[first].template != draft.template ? first : taken
            if let other { reportCollision(of: draft, with: drafts[other]) }
        }
        return router
    }

    private func reportCollision(of draft: OperationDraft, with other: OperationDraft) {
        let line = other.pathEntry.keyMark?.line ?? other.pathEntry.node.mark.line
        mistakes.add(
            at: draft.pathEntry, atKey: true, found: shown(draft.template.text),
            expected: "a path that doesn't collide with \(other.template.text) (\(other.pathEntry.file):\(line))")
    }
}
