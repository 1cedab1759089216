internal import JSON

/// Reads what shaped answers must be, node by node, now that all operations are known; and refuses what no answer could be held to.
struct ShapeLoader {
    private(set) var schemas: SchemaLoader
    private let operations: [Operation]
    private let mistakes: MistakeList
    /// The places of properties that may turn out as null although their schemas don't say so.
    private(set) var nullable: Set<Place.ID> = []

    init(_ schemas: SchemaLoader, _ operations: [Operation], _ mistakes: MistakeList) {
        self.schemas = schemas
        self.operations = operations
        self.mistakes = mistakes
    }

    mutating func load() {
        let shaped = reached(from: operations.filter { $0.isShaped && $0.upstream != nil }.compactMap(\.resource))
        for node in shaped.sorted() { load(node) }
        checkCycles(shaped)
        let unshaped = reached(from: operations.filter { !$0.isShaped }.compactMap(\.answer))
        for node in unshaped.subtracting(shaped).sorted() where !schemas.nodes[node].sources.isEmpty {
            guard let place = source(of: node) else { continue }
            mistakes.add(
                at: place, atKey: true, found: "it in an answer that isn't shaped",
                expected: "\"shape: true\" in the operation's x-sluice")
        }
    }

    /// The nodes that values of `roots` are made of; what links lead to is shaped by its own operation.
    private func reached(from roots: [Int]) -> Set<Int> {
        var reached: Set<Int> = []
        var waiting = roots
        while let node = waiting.popLast() {
            guard reached.insert(node).inserted else { continue }
            waiting += schemas.nodes[node].properties.map(\.node).filter { !schemas.nodes[$0].isOwnLink }
            if let items = schemas.nodes[node].items { waiting.append(items) }
        }
        return reached
    }

    private mutating func load(_ node: Int) {
        let facets = schemas.facets(of: schemas.origins[node])
        var reader = RuleReader(schema: schemas.nodes[node], mistakes: mistakes)
        for facet in facets { reader.read(facet) }
        schemas.setRules(reader.rules, of: node)
        for facet in facets {
            for (name, place) in facet["properties"]?.entries ?? [] {
                if let child = schemas.nodes[node].property(name), mayBeNull(child, place) { nullable.insert(place.id) }
            }
        }
    }

    private func mayBeNull(_ node: Int, _ place: Place) -> Bool {
        let schema = schemas.nodes[node]
        let saysNothing = schema.types.isEmpty && schema.properties.isEmpty
        let isArray = schema.types == [.array] || schema.types.isEmpty && schema.items != nil
        guard !saysNothing, !isArray, !schema.isOwnLink, !schema.types.contains(.null) else { return false }
        return !schemas.facets(of: place).contains { $0["default"] != nil }
    }

    // MARK: Cycles

    private func source(of node: Int) -> Place? {
        schemas.facets(of: schemas.origins[node]).lazy.compactMap { $0["x-sluice-from"] }.first
    }

    /// An object that holds itself without a step down in the answer has no end.
    private func checkCycles(_ shaped: Set<Int>) {
        for node in shaped.sorted() {
            for (_, child) in schemas.nodes[node].properties
            where schemas.nodes[child].sources.contains(where: \.isStill) {
                let goesToRoot = schemas.nodes[child].sources.contains { source in
                    if case .place(let place) = source { place.isFromRoot } else { false }
                }
                guard leads(from: child, to: node, throughStillOnly: !goesToRoot), let place = source(of: child) else {
                    continue
                }
                mistakes.add(
                    at: place, found: place.found, expected: "a place that isn't around itself: this one has no end")
            }
        }
    }

    private func leads(from start: Int, to end: Int, throughStillOnly: Bool) -> Bool {
        var seen: Set<Int> = []
        var waiting = [start]
        while let node = waiting.popLast() {
            if node == end { return true }
            guard seen.insert(node).inserted else { continue }
            let properties = schemas.nodes[node].properties.map(\.node)
            waiting += properties.filter { !throughStillOnly || schemas.nodes[$0].sources.contains(where: \.isStill) }
            if !throughStillOnly, let items = schemas.nodes[node].items { waiting.append(items) }
        }
        return false
    }
}

/// Reads the keywords of one schema that its values are held to.
struct RuleReader {
    private(set) var rules = ValueRules()
    private let schema: SchemaNode
    private let mistakes: MistakeList
    private let types: [SchemaNode.ValueType]

    init(schema: SchemaNode, mistakes: MistakeList) {
        self.schema = schema
        self.mistakes = mistakes
        types = schema.types.filter { $0 != .null }
        rules.allowsNull = schema.types.contains(.null)
    }

    /// Assertions of JSON Schema that shaping doesn't bring about.
    private static let others: Set<String> = [
        "multipleOf", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "minProperties",
        "maxProperties", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "prefixItems",
        "if",
        "then", "else", "unevaluatedProperties", "unevaluatedItems",
    ]
    private static let known = [
        "type", "format", "enum", "const", "minLength", "maxLength", "pattern", "not", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "formatMinimum", "formatMaximum", "default", "properties", "items",
    ]
    private static let dates = ["date", "date-time", "date-time-local"]

    mutating func read(_ facet: Place) {
        for (key, place) in facet.entries where RuleReader.others.contains(key) {
            mistakes.add(
                at: place, atKey: true, found: "the keyword \(shown(key))",
                expected: "one that shaped values are held to: " + RuleReader.known.joined(separator: ", "))
        }
        for key in ["anyOf", "oneOf"] {
            guard let place = facet[key], place.items.filter({ $0["type"]?.text != "null" }).count > 1 else { continue }
            mistakes.add(
                at: place, atKey: true, found: "several schemas of one shaped value",
                expected: "one, perhaps beside {type: \"null\"}")
        }
        readTexts(facet)
        readNumbers(facet)
        readDates(facet)
        readSource(facet)
        if let place = facet["default"], rules.default == nil { readDefault(place) }
    }

    private func isRight(_ place: Place, _ wanted: [SchemaNode.ValueType], _ what: String) -> Bool {
        if types.isEmpty || types.contains(where: wanted.contains) { return true }
        mistakes.add(
            at: place, atKey: true, found: "it with the type \(types.map(\.rawValue).joined(separator: " or "))",
            expected: "it as \(what) only")
        return false
    }

    // MARK: Texts

    private mutating func readTexts(_ facet: Place) {
        if let place = facet["enum"], place.isList { allow(place.items) }
        if let place = facet["const"] { allow([place]) }
        if let place = facet["minLength"], isRight(place, [.string], "a text's bound") {
            rules.minimumLength = max(rules.minimumLength ?? 0, place.whole ?? 0)
        }
        if let place = facet["maxLength"], isRight(place, [.string], "a text's bound"), let length = place.whole {
            rules.maximumLength = min(rules.maximumLength ?? length, length)
        }
        if let place = facet["pattern"], let pattern = pattern(place) { rules.patterns.append(pattern) }
        guard let not = facet["not"] else { return }
        let (values, constant, refused) = (not["enum"], not["const"], not["pattern"])
        guard not.entries.count == 1, (values?.isList ?? false) || constant != nil || refused != nil else {
            mistakes.add(
                at: not, atKey: true, found: "a \"not\" of other words",
                expected: "{enum: […]}, {const: …} or {pattern: …}; allOf takes several of them")
            return
        }
        rules.refused.formUnion((values?.items ?? []).compactMap(scalar))
        if let constant, let value = scalar(constant) { rules.refused.insert(value) }
        if let refused, let pattern = pattern(refused) { rules.refusedPatterns.append(pattern) }
    }

    private mutating func allow(_ items: [Place]) {
        let values = Set(items.compactMap(scalar))
        rules.allowed = rules.allowed.map { $0.intersection(values) } ?? values
    }

    private func scalar(_ place: Place) -> ValueRules.Scalar? {
        if let text = place.text { return .text(text) }
        return place.scalarText.map(ValueRules.Scalar.token)
    }

    private func pattern(_ place: Place) -> LiteralPattern? {
        guard let text = place.text, isRight(place, [.string], "a text's rule") else { return nil }
        let pattern = LiteralPattern(text)
        if pattern == nil { mistakes.add(at: place, found: place.found, expected: LiteralPattern.form) }
        return pattern
    }

    // MARK: Numbers and dates

    private mutating func readNumbers(_ facet: Place) {
        func bound(_ key: String) -> Double? {
            guard let place = facet[key], isRight(place, [.integer, .number], "a number's bound") else { return nil }
            return place.number.flatMap { Double($0) }
        }
        rules.minimum = bound("minimum") ?? rules.minimum
        rules.maximum = bound("maximum") ?? rules.maximum
        rules.exclusiveMinimum = bound("exclusiveMinimum") ?? rules.exclusiveMinimum
        rules.exclusiveMaximum = bound("exclusiveMaximum") ?? rules.exclusiveMaximum
        if let least = rules.minimum, let most = rules.maximum, least > most, let place = facet["minimum"] {
            mistakes.add(at: place, found: place.found, expected: "at most the maximum")
        }
        guard facet["format"]?.text == "int32", types.contains(.integer) else { return }
        rules.minimum = max(rules.minimum ?? -2_147_483_648, -2_147_483_648)
        rules.maximum = min(rules.maximum ?? 2_147_483_647, 2_147_483_647)
    }

    private mutating func readDates(_ facet: Place) {
        func date(_ key: String) -> CivilDate? {
            guard let place = facet[key] else { return nil }
            guard let format = schema.format, RuleReader.dates.contains(format) else {
                mistakes.add(
                    at: place, atKey: true, found: "it without a format of dates",
                    expected: "it beside format: " + RuleReader.dates.joined(separator: ", "))
                return nil
            }
            let date = place.text.flatMap(CivilDate.init)
            if date == nil { mistakes.add(at: place, found: place.found, expected: "a date such as \"2024-05-22\"") }
            return date
        }
        rules.earliest = date("formatMinimum") ?? rules.earliest
        rules.latest = date("formatMaximum") ?? rules.latest
        if let first = rules.earliest, let last = rules.latest, first > last, let place = facet["formatMinimum"] {
            mistakes.add(at: place, found: place.found, expected: "at most formatMaximum, which is \(shown(last.text))")
        }
    }

    // MARK: Default and source

    private mutating func readDefault(_ place: Place) {
        let isRight =
            switch place.node.value {
            case .scalar(.text): types.isEmpty || types.contains(.string)
            case .scalar(.number):
                types.isEmpty || types.contains(.number) || types.contains(.integer) && place.whole != nil
            case .scalar(.flag): types.isEmpty || types.contains(.boolean)
            case .scalar(.null): true
            default: false
            }
        guard isRight else {
            let names = types.map(\.rawValue).joined(separator: " or ")
            mistakes.add(at: place, found: place.found, expected: "a text, number or flag of the type \(names)")
            return
        }
        var writer = JSONWriter()
        OpenAPIDocument.write(place.node, &writer)
        rules.default = writer.bytes
    }

    private func readSource(_ facet: Place) {
        guard let place = facet["x-sluice-from"], types.contains(.object) || types.contains(.array) else { return }
        for entry in place.isList ? place.items : [place] {
            guard let text = entry.text, case .template? = ValueSource(text) else { continue }
            mistakes.add(
                at: entry, found: "\(entry.found), which is a text", expected: "the place of an object or array")
        }
    }
}
