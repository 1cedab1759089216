internal import JSON

/// A value of a contract together with where it stands.
struct Place: Sendable {
    /// What tells two places apart.
    struct ID: Sendable, Hashable {
        var file: String
        var pointer: JSONPointer
    }

    var file: String
    var pointer: JSONPointer
    var node: YAMLNode
    /// Where the key stands that leads here; nil for a root or an item of a list.
    var keyMark: Mark?

    var id: ID { ID(file: file, pointer: pointer) }

    /// The value of `key`, where this is a map that has it.
    subscript(key: String) -> Place? {
        guard case .map(let entries) = node.value, let entry = entries.first(where: { $0.key == key }) else {
            return nil
        }
        return child(entry)
    }

    /// The values of a map with their keys, in order; empty where this is none.
    var entries: [(key: String, place: Place)] {
        guard case .map(let entries) = node.value else { return [] }
        return entries.map { ($0.key, child($0)) }
    }

    /// The values of a list; empty where this is none.
    var items: [Place] {
        guard case .list(let items) = node.value else { return [] }
        return items.enumerated().map { index, item in
            Place(file: file, pointer: pointer.appending(String(index)), node: item, keyMark: nil)
        }
    }

    private func child(_ entry: YAMLNode.Entry) -> Place {
        Place(file: file, pointer: pointer.appending(entry.key), node: entry.node, keyMark: entry.keyMark)
    }

    var isMap: Bool { if case .map = node.value { true } else { false } }
    var isList: Bool { if case .list = node.value { true } else { false } }

    /// The text, where this is one.
    var isNull: Bool { node.isNull }
    var text: String? { if case .scalar(.text(let text)) = node.value { text } else { nil } }
    var flag: Bool? { if case .scalar(.flag(let flag)) = node.value { flag } else { nil } }
    /// A number in JSON's form.
    var number: String? { if case .scalar(.number(let text)) = node.value { text } else { nil } }
    var whole: Int? { number.flatMap { Int($0) } }

    /// A text, number or flag as it would be written in plain text.
    var scalarText: String? {
        switch node.value {
        case .scalar(.text(let text)), .scalar(.number(let text)): text
        case .scalar(.flag(let flag)): flag ? "true" : "false"
        default: nil
        }
    }

    /// What stands here, in a few words for a message.
    var found: String {
        switch node.value {
        case .map: "a map"
        case .list: "a list"
        case .scalar(.null): "nothing"
        case .scalar(.flag(let flag)): flag ? "true" : "false"
        case .scalar(.number(let text)), .scalar(.notFinite(let text)): text
        case .scalar(.text(let text)): shown(text)
        }
    }

    /// The value that `pointer` leads to from here.
    func descend(_ pointer: JSONPointer) -> Place? {
        var place = self
        for token in pointer.tokens {
            if place.isList {
                let items = place.items
                guard let index = Int(token), items.indices.contains(index) else { return nil }
                place = items[index]
            } else {
                guard let next = place[token] else { return nil }
                place = next
            }
        }
        return place
    }
}
