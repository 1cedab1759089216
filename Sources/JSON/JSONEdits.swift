internal import CSimdJSON

/// Changes to one document, collected in any order and applied in one pass over its text.
///
/// - What lies outside the changes stays byte for byte, white space included.
/// - Of changes inside each other the outermost counts: what is inside a removed or replaced value is gone with it.
/// - Of two replacements of the same node the later one counts.
public struct JSONEdits: Sendable {
    var replacements: [(node: UInt32, json: [UInt8])] = []
    var removals: [UInt32] = []
    var additions: [(object: UInt32, name: String, json: [UInt8])] = []

    public init() {}

    public var isEmpty: Bool { replacements.isEmpty && removals.isEmpty && additions.isEmpty }

    /// Puts valid JSON in the place of the node's text. For a key that must be a string.
    public mutating func replace(_ node: JSONNode, with json: [UInt8]) {
        replacements.append((node.index, json))
    }

    /// Takes out a member, with exactly one of the commas beside it. Does nothing if the node is no key.
    public mutating func remove(member key: JSONNode) {
        removals.append(key.index)
    }

    /// Adds a member after the object's last one, also if that is removed. Does nothing if the node is no object.
    ///
    /// A member that has the name already stays; replace its value instead where names must be unique.
    public mutating func append(member name: String, value json: [UInt8], to object: JSONNode) {
        additions.append((object.index, name, json))
    }

    /// Adds all of another collection's changes to the same document, as if they had been made after these.
    public mutating func append(_ other: JSONEdits) {
        replacements.append(contentsOf: other.replacements)
        removals.append(contentsOf: other.removals)
        additions.append(contentsOf: other.additions)
    }

    /// The document's whole text with the changes made, white space around the root included.
    public func applied(to document: JSONDocument) -> [UInt8] {
        result(document, document.bytes.indices, splices(in: document, at: document.root))
    }

    /// The text of one node with the changes at it and inside it made; changes around it don't count.
    public func applied(to document: JSONDocument, at node: JSONNode) -> [UInt8] {
        result(document, document.range(of: node), splices(in: document, at: node))
    }

    private func result(_ document: JSONDocument, _ range: Range<Int>, _ splices: [Splice]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(splices.reduce(range.count) { $0 + $1.json.count })
        var position = range.lowerBound
        for splice in splices where splice.start >= position {
            result.append(contentsOf: document.text(position..<splice.start))
            result.append(contentsOf: splice.json)
            position = splice.end
        }
        result.append(contentsOf: document.text(position..<max(position, range.upperBound)))
        return result
    }
}

/// One range of the text and what takes its place.
private struct Splice {
    var start: Int
    var end: Int
    var json: [UInt8] = []
    /// Of splices of the same range: the first that was asked for has 0.
    var order = 0

    /// Outer before inner; of the same text the later replacement first, as the first one counts; additions in order.
    static func precedes(_ one: Splice, _ other: Splice) -> Bool {
        if one.start != other.start { return one.start < other.start }
        if one.end != other.end { return one.end > other.end }
        return one.start == one.end ? one.order < other.order : one.order > other.order
    }
}

extension JSONEdits {
    /// The changes at the node and inside it as splices, in the order of the text.
    private func splices(in document: JSONDocument, at node: JSONNode) -> [Splice] {
        let inside = node.index..<max(node.index, document.end(of: node.index))
        var splices: [Splice] = []
        splices.reserveCapacity(replacements.count + removals.count + additions.count)
        for (order, edit) in replacements.enumerated() where inside.contains(edit.node) {
            let range = document.entry(edit.node).range
            splices.append(Splice(start: range.lowerBound, end: range.upperBound, json: edit.json, order: order))
        }
        let emptied = appendRemovals(in: document, inside: inside.dropFirst(), to: &splices)
        appendAdditions(in: document, inside: inside, emptied: emptied, to: &splices)
        let ordered = zip(splices, splices.dropFirst()).allSatisfy { !Splice.precedes($1, $0) }
        if !ordered { splices.sort(by: Splice.precedes) }
        return splices
    }

    /// Appends a cut for each run of removed neighbours and returns the objects that lose every member.
    private func appendRemovals(
        in document: JSONDocument, inside: Range<UInt32>, to splices: inout [Splice]
    ) -> Set<UInt32> {
        var keys = removals.filter { inside.contains($0) && document.entry($0).isKey }
        if !zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) { keys.sort() }
        var emptied: Set<UInt32> = []
        var position = 0
        while position < keys.count {
            let first = keys[position]
            let object = document.entry(first).next
            let objectEnd = document.end(of: object)
            var next = document.end(of: first + 1)
            position += 1
            while position < keys.count, keys[position] <= next, keys[position] < objectEnd {
                if keys[position] == next { next = document.end(of: next + 1) }
                position += 1
            }
            splices.append(cut(document, from: first, upTo: next < objectEnd ? next : nil, in: object))
            if first == object + 1, next >= objectEnd { emptied.insert(object) }
        }
        return emptied
    }

    /// The text of a run of members: up to the next member's key if there is one, so that its white space stays with it;
    /// else from the end of the member before, so that its comma goes too.
    private func cut(
        _ document: JSONDocument, from key: UInt32, upTo next: UInt32?, in object: UInt32
    ) -> Splice {
        let start = document.entry(key).range.lowerBound
        if let next { return Splice(start: start, end: document.entry(next).range.lowerBound) }
        let end = document.contentEnd(of: object)
        guard key != object + 1, let comma = document.lastVisible(before: start) else {
            return Splice(start: start, end: end)
        }
        return Splice(start: document.lastVisible(before: comma).map { $0 + 1 } ?? comma, end: end)
    }

    private func appendAdditions(
        in document: JSONDocument, inside: Range<UInt32>, emptied: Set<UInt32>, to splices: inout [Splice]
    ) {
        var extended: Set<UInt32> = []
        for (order, edit) in additions.enumerated() where inside.contains(edit.object) {
            let entry = document.entry(edit.object)
            guard entry.is(.object) else { continue }
            let hasMembers = entry.next > edit.object + 1 && !emptied.contains(edit.object)
            let isFirst = extended.insert(edit.object).inserted && !hasMembers
            var json: [UInt8] = isFirst ? [] : [UInt8(ascii: ",")]
            JSONText.append(quoted: edit.name, to: &json)
            json.append(UInt8(ascii: ":"))
            json.append(contentsOf: edit.json)
            let place = document.contentEnd(of: edit.object)
            splices.append(Splice(start: place, end: place, json: json, order: order))
        }
    }
}

extension JSONDocument {
    /// Where an object's last member ends, or its opening brace.
    fileprivate func contentEnd(of object: UInt32) -> Int {
        let range = entry(object).range
        return lastVisible(before: range.upperBound - 1).map { $0 + 1 } ?? range.upperBound
    }

    /// The last byte before an offset that is no white space.
    fileprivate func lastVisible(before offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count else { return nil }
        return bytes[..<offset].lastIndex { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    }
}
