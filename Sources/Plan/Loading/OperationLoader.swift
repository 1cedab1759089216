internal import HTTP
internal import JSON
internal import Parameters

/// Reads one operation: its settings, its answer's schema, its collection.
struct OperationLoader {
    private let builder: PlanBuilder
    private let draft: OperationDraft
    /// Grows by the schemas that this operation is the first to name.
    private(set) var schemas: SchemaLoader
    private var operation: Operation
    /// Whether something about the upstream's side is wrong, and reported.
    private(set) var isBroken = false

    private var mistakes: MistakeList { builder.contract.mistakes }

    init(_ builder: PlanBuilder, _ draft: OperationDraft, _ schemas: SchemaLoader) {
        self.builder = builder
        self.draft = draft
        self.schemas = schemas
        operation = Operation(
            id: draft.id, summary: draft.place["summary"]?.text, method: draft.method, path: draft.template,
            parameters: draft.parameters.map(\.plan), upstreamPath: draft.template, deadline: builder.deadline,
            limits: builder.limits)
    }

    mutating func load() -> Operation {
        readUpstream()
        readPolicies()
        if draft.isMirror {
            operation.mirror = MirrorLoader(draft: draft, mistakes: mistakes).load(
                operation, path: draft.setting("path")?.text == nil ? nil : operation.upstreamPath)
            return operation
        }
        MirrorLoader.checkAbsence(draft, mistakes)
        readForm()
        if let schema = draft.answerSchema(builder.contract) {
            // A schema that leads nowhere is reported; nothing can be said of what it should hold.
            guard builder.contract.resolve(schema) != nil else { return operation }
            operation.answer = schemas.load(schema)
            operation.resource = operation.answer
        }
        if draft.method == .get, let place = draft.setting("collection"), place.isMap {
            let loader = CollectionLoader(
                place: place, draft: draft, answer: operation.answer, isShaped: operation.isShaped, schemas: schemas,
                mistakes: mistakes)
            operation.collection = loader.load()
            operation.resource = loader.resource
        }
        AnswerRulesLoader(draft: draft, upstreams: builder.upstreams, mistakes: mistakes).load(&operation)
        ContentLoader(contract: builder.contract, draft: draft, handlers: builder.handlers).load(&operation)
        checkSchemaIsThere()
        checkAll()
        return operation
    }

    // MARK: The upstream's side

    private mutating func readUpstream() {
        if let place = draft.setting("upstream"), let name = place.text {
            operation.upstream = builder.upstreamIndex[name]
            if operation.upstream == nil {
                isBroken = true
                let known = builder.upstreams.map(\.name).joined(separator: ", ")
                mistakes.add(
                    at: place, found: place.found,
                    expected: known.isEmpty ? "an upstream of x-sluice-upstreams, which has none" : "one of: \(known)")
            }
        }
        guard let place = draft.setting("path"), let text = place.text else { return }
        guard draft.setting("upstream")?.isNull == false else {
            isBroken = true
            mistakes.add(
                at: place, atKey: true, found: "a path without an upstream", expected: "the key \"upstream\" too")
            return
        }
        guard let template = PathTemplate(text) else {
            isBroken = true
            mistakes.add(at: place, found: place.found, expected: PathTemplate.form)
            return
        }
        operation.upstreamPath = template
        let usable = operation.parameters.filter { parameter in
            parameter.location == .path
                || parameter.role == .upstream && (parameter.isRequired || parameter.default != nil)
        }.map(\.name)
        for name in template.parameterNames where !usable.contains(name) {
            isBroken = true
            mistakes.add(
                at: place, found: "{\(name)}, which no request gives",
                expected: usable.isEmpty
                    ? "no braces: the operation has no required parameter"
                    : "one of: " + usable.map { "{\($0)}" }.joined(separator: ", "))
        }
    }

    // MARK: Policies

    private mutating func readPolicies() {
        if let place = draft.setting("deadline"), let text = place.scalarText {
            let duration = Quantity.duration(text).flatMap { ParameterTable.deadlines.contains($0) ? $0 : nil }
            if duration == nil {
                mistakes.add(at: place, found: place.found, expected: Quantity.durationForm + ", from 1ms to 10m")
            }
            operation.deadline = duration ?? operation.deadline
        }
        readLimits()
        guard let cache = draft.setting("cache"), cache.isMap else { return }
        operation.cache = CachePolicy(
            ttl: life(cache["ttl"]), staleWhileRevalidate: life(cache["stale-while-revalidate"]),
            staleIfError: life(cache["stale-if-error"]), override: cache["override"]?.flag ?? false)
    }

    private mutating func readForm() {
        if let place = draft.setting("unwrap") { operation.unwrap = JSONPointer.read(place, mistakes) }
        operation.isShaped = draft.setting("shape")?.flag ?? false
        if draft.method == .get { operation.expandByDefault = draft.setting("expand")?.items.compactMap(\.text) ?? [] }
    }

    private func life(_ place: Place?) -> Duration? {
        guard let place, let text = place.scalarText else { return nil }
        let life = Quantity.life(text)
        if life == nil { mistakes.add(at: place, found: place.found, expected: Quantity.lifeForm) }
        return life
    }

    private mutating func readLimits() {
        guard let place = draft.setting("limits"), place.isMap else { return }
        if let links = whole(place["links"], ParameterTable.links) { operation.limits.links = links }
        if let depth = whole(place["depth"], ParameterTable.depths) { operation.limits.depth = depth }
        if let bytes = bytes(place["bytes"], ParameterTable.upstreamBytes) { operation.limits.bytes = bytes }
        if let content = bytes(place["body"], ParameterTable.contentBytes) { operation.limits.content = content }
    }

    private func bytes(_ place: Place?, _ range: ClosedRange<Int>) -> Int? {
        guard let place, let text = place.scalarText else { return nil }
        if let count = Quantity.bytes(text), range.contains(count) { return count }
        let bounds = "from \(Quantity.text(bytes: range.lowerBound)) to \(Quantity.text(bytes: range.upperBound))"
        mistakes.add(at: place, found: place.found, expected: "\(Quantity.bytesForm), \(bounds)")
        return nil
    }

    private func whole(_ place: Place?, _ range: ClosedRange<Int>) -> Int? {
        guard let place, let number = place.whole else { return nil }
        if range.contains(number) { return number }
        mistakes.add(
            at: place, found: place.found, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    // MARK: Schema

    /// What needs to know the answer's schema: the first one that does, for the message.
    private var reasonForSchema: String? {
        if draft.setting("collection") != nil { return "the collection" }
        if operation.isShaped { return "the shape" }
        if !operation.expandByDefault.isEmpty { return "the links that are expanded" }
        return operation.parameters.first { $0.role == .expand || $0.role == .fields }.map {
            "the parameter \(shown($0.name))"
        }
    }

    private func checkSchemaIsThere() {
        guard operation.answer == nil, operation.handler == nil, let reason = reasonForSchema else { return }
        mistakes.add(
            at: draft.place["responses"] ?? draft.place, found: "no schema of a JSON answer with status 200",
            expected: "one: \(reason) needs it")
    }

    private func checkAll() {
        guard operation.collection == nil || operation.collection?.paging == CollectionPlan.Paging.none else { return }
        guard draft.setting("collection") == nil || operation.collection != nil else { return }
        for parameter in draft.parameters where parameter.plan.role == .all {
            mistakes.add(
                at: parameter.entry, found: "the parameter \"all\"",
                expected: "it only with a collection that has pages: \"page\", or \"offset\" and \"limit\"")
        }
    }
}

extension JSONPointer {
    /// The pointer at `place`; nil where there is none, or a mistake.
    static func read(_ place: Place?, _ mistakes: MistakeList) -> JSONPointer? {
        guard let place, let text = place.text else { return nil }
        let pointer = JSONPointer(text)
        if pointer == nil {
            mistakes.add(at: place, found: place.found, expected: "a JSON Pointer such as /data/results")
        }
        return pointer
    }
}
