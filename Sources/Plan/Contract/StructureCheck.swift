/// Checks that a document has the shape of OpenAPI 3.1 with our keys: types, required and unknown keys, and references. What is read
/// later may then skip what is misshapen, because it was reported here.
struct StructureCheck {
    private let contract: Contract
    /// Targets of references, with the kind of the object that named them. A list and not recursion, for references may lead on and on.
    private var pending: [(place: Place, kind: Kind)] = []
    private var seen: Set<Place.ID> = []

    /// Checks one document and everything that its references lead to.
    static func run(_ root: Place, of contract: Contract) {
        var check = StructureCheck(contract)
        check.pending.append((root, .document))
        while let (place, kind) = check.pending.popLast() {
            guard check.seen.insert(place.id).inserted else { continue }
            check.check(place, kind)
        }
    }

    private init(_ contract: Contract) { self.contract = contract }

    private mutating func check(_ place: Place, _ shape: Shape) {
        switch shape.layer {
        case .leaf(let leaf): check(place, leaf)
        case .list(let item):
            guard expect(place.isList, place, "a list") else { return }
            for entry in place.items { check(entry, item) }
        case .map(let value):
            guard expect(place.isMap, place, "a map") else { return }
            for (_, entry) in place.entries { check(entry, value) }
        }
    }

    private mutating func check(_ place: Place, _ leaf: Shape.Leaf) {
        switch leaf {
        case .any: return
        case .text: expect(place.text != nil, place, place.scalarText == nil ? "text" : "text, in quotes")
        case .textOrNull:
            if !place.isNull { check(place, Shape.Leaf.text) }
        case .flag: expect(place.flag != nil, place, "true or false")
        case .whole: expect(place.whole != nil, place, "a whole number")
        case .number: expect(place.number != nil, place, "a number")
        case .scalar: expect(place.scalarText != nil, place, "text or a number")
        case .texts, .scalarOrTexts:
            for item in place.isList ? place.items : [] { check(item, Shape.Leaf.text) }
            if place.isList {
                expect(!place.items.isEmpty, place, "at least one text")
            } else if case .texts = leaf {
                check(place, Shape.Leaf.text)
            } else {
                check(place, Shape.Leaf.scalar)
            }
        case .object(let kind): check(place, kind)
        }
    }

    @discardableResult
    private func expect(_ isRight: Bool, _ place: Place, _ expected: String) -> Bool {
        if !isRight { contract.mistakes.add(at: place, found: place.found, expected: expected) }
        return isRight
    }

    private mutating func check(_ place: Place, _ kind: Kind) {
        if kind == .schema, place.flag != nil { return }
        guard expect(place.isMap, place, "a map") else { return }
        if kind.isReferable, place["$ref"] != nil {
            if let target = contract.resolve(place) { pending.append((target, kind)) }
            // Beside `$ref` a schema may have keywords, other objects a text at most.
            guard kind == .schema else { return }
        }
        for field in kind.fields where field.isRequired && place[field.name] == nil {
            contract.mistakes.add(at: place, found: "no \"\(field.name)\"", expected: "one")
        }
        for (key, value) in place.entries where key != "$ref" || !kind.isReferable {
            if let shape = kind.shape(of: key) {
                check(value, shape)
            } else if kind.isOwn || !key.hasPrefix("x-") || key.lowercased().hasPrefix("x-sluice") {
                refuse(key, value, kind)
            }
        }
    }

    private func refuse(_ key: String, _ place: Place, _ kind: Kind) {
        let isOurs = !kind.isOwn && key.lowercased().hasPrefix("x-sluice")
        let known = kind.fields.map(\.name).filter { !isOurs || $0.hasPrefix("x-sluice") }
        contract.mistakes.add(
            at: place, atKey: true, found: "the unknown key \(shown(key))",
            expected: known.isEmpty ? "no key of x-sluice here" : "one of: " + known.joined(separator: ", "))
    }
}
