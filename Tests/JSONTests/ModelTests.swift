import JSON
import Testing

/// A document as plain values: what edits mean, without bytes.
private indirect enum Model: Equatable {
    case scalar(String)
    case array([Model])
    case object([Pair])

    struct Pair: Equatable {
        var key: String
        var value: Model
    }
}

/// Random edits, and what each node becomes by them.
private struct Script {
    var replaced: [JSONNode: String] = [:]
    var removed: Set<JSONNode> = []
    var added: [JSONNode: [(name: String, json: String)]] = [:]
    var edits = JSONEdits()

    init() {}

    init(_ document: JSONDocument, _ dice: inout Dice) {
        var nodes = [document.root]
        var steps: [(inout JSONEdits) -> Void] = []
        while let node = nodes.popLast() {
            nodes += document.elements(of: node).map { $0 }
            for (key, value) in document.members(of: node) {
                nodes.append(value)
                guard dice.roll(3) == 0 else { continue }
                removed.insert(key)
                steps.append { $0.remove(member: key) }
            }
            if dice.roll(6) == 0 {
                let json = dice.value(depth: 1)
                replaced[node] = json
                steps.append { $0.replace(node, with: Array(json.utf8)) }
            }
            guard document.kind(of: node) == .object else { continue }
            let members = (0..<dice.roll(3)).map { _ in
                (name: "new\"" + String(dice.roll(9)), json: dice.value(depth: 1))
            }
            added[node] = members
            steps.append { edits in
                for (name, json) in members { edits.append(member: name, value: Array(json.utf8), to: node) }
            }
        }
        for step in steps.shuffled(using: &dice) { step(&edits) }
    }

    func model(_ document: JSONDocument, _ node: JSONNode) throws -> Model {
        if let json = replaced[node] { return try plain(json) }
        switch document.kind(of: node) {
        case .array: return .array(try document.elements(of: node).map { try model(document, $0) })
        case .object:
            let kept = try document.members(of: node).filter { !removed.contains($0.key) }.map {
                Model.Pair(key: text(document.bytes(of: $0.key)), value: try model(document, $0.value))
            }
            let new = try (added[node] ?? []).map {
                Model.Pair(key: text(JSONText.quoted($0.name)), value: try plain($0.json))
            }
            return .object(kept + new)
        default: return .scalar(text(document.bytes(of: node)))
        }
    }
}

private func plain(_ json: String) throws -> Model {
    try plain(document(json))
}

private func plain(_ document: JSONDocument) throws -> Model {
    try Script().model(document, document.root)
}

@Suite("Edits of random documents")
struct ModelTests {
    @Test("edits do to the text what they do to the values, and every subtree agrees")
    func randomEdits() throws {
        var dice = Dice(state: 5)
        for _ in 0..<1500 {
            let document = try document(dice.json())
            let script = Script(document, &dice)
            let edited = try JSONDocument(script.edits.applied(to: document))
            #expect(try plain(edited) == script.model(document, document.root), "\(text(document.bytes))")
            var nodes = [document.root]
            while let node = nodes.popLast() {
                let part = try JSONDocument(script.edits.applied(to: document, at: node))
                #expect(try plain(part) == script.model(document, node), "\(text(document.bytes))")
                nodes += document.elements(of: node).map { $0 } + document.members(of: node).map { $0.value }
            }
        }
    }

    @Test("selections of random documents keep exactly the named members")
    func randomSelections() throws {
        var dice = Dice(state: 6)
        let names = ["a", "b", "name", "url", "é", ""]
        for _ in 0..<500 {
            let document = try document(dice.json())
            let paths = (0..<dice.roll(4)).map { _ in (0...dice.roll(3)).map { _ in dice.pick(names) } }
            let selection = JSONSelection(paths: paths)
            let edited = try JSONDocument(document.edits(keeping: selection).applied(to: document))
            #expect(try plain(edited) == kept(document, document.root, selection))
        }
    }

    private func kept(_ document: JSONDocument, _ node: JSONNode, _ selection: JSONSelection) throws -> Model {
        switch document.kind(of: node) {
        case .array: return .array(try document.elements(of: node).map { try kept(document, $0, selection) })
        case .object:
            var members: [Model.Pair] = []
            for (key, value) in document.members(of: node) {
                guard let child = selection.child(document.string(of: key) ?? "") else { continue }
                members.append(Model.Pair(key: text(document.bytes(of: key)), value: try kept(document, value, child)))
            }
            return .object(members)
        default: return .scalar(text(document.bytes(of: node)))
        }
    }
}
