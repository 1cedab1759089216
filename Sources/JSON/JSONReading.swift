internal import CSimdJSON

extension JSONDocument {
    /// What the node is; a key is a string.
    public func kind(of node: JSONNode) -> JSONKind {
        JSONKind(rawValue: entry(node.index).kind) ?? .null
    }

    /// Where the node's text lies in `bytes`: no white space around it, a string's quotes included.
    public func range(of node: JSONNode) -> Range<Int> {
        entry(node.index).range
    }

    /// The node's text, as it came.
    public func bytes(of node: JSONNode) -> ArraySlice<UInt8> {
        text(range(of: node))
    }

    /// The decoded text of a string or a key; nil for every other kind.
    ///
    /// Half of a surrogate pair without the other half (RFC 8259, section 8.2) reads as U+FFFD.
    public func string(of node: JSONNode) -> String? {
        let entry = entry(node.index)
        guard entry.is(.string) else { return nil }
        return String(decoding: decoded(entry), as: UTF8.self)
    }

    /// Whether the node is a string or a key with this decoded text, byte for byte in UTF-8. Allocates only if the
    /// string has escapes.
    public func isString(_ node: JSONNode, equalTo text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches(entry(node.index), $0) }
    }

    /// A number that is written as a plain integer and fits; nil for `1.0`, `1e3`, `"1"` and what doesn't fit.
    public func integer(of node: JSONNode) -> Int? {
        let entry = entry(node.index)
        guard entry.is(.number) else { return nil }
        return Int(String(decoding: text(entry.range), as: UTF8.self))
    }

    /// Members of an object, elements of an array, 0 for the rest. Takes time linear in the answer.
    public func count(of node: JSONNode) -> Int {
        switch kind(of: node) {
        case .object: members(of: node).reduce(0) { count, _ in count + 1 }
        case .array: elements(of: node).reduce(0) { count, _ in count + 1 }
        default: 0
        }
    }

    /// The value of the object's member with this decoded name; nil if there is none or the node is no object.
    ///
    /// Of several members with the same name the last one counts, as it does for JavaScript. Takes time linear in the
    /// number of members.
    public func member(_ name: String, of node: JSONNode) -> JSONNode? {
        var name = name
        return name.withUTF8 { name in
            var found: JSONNode?
            for (key, value) in members(of: node) where matches(entry(key.index), name) {
                found = value
            }
            return found
        }
    }
}

extension JSONDocument {
    /// The text in a range; empty if the range is not inside the document.
    func text(_ range: Range<Int>) -> ArraySlice<UInt8> {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return [] }
        return bytes[range]
    }

    /// The decoded UTF-8 of a string's entry; without escapes it is a slice of the document.
    func decoded(_ entry: sluice_tape_entry) -> ArraySlice<UInt8> {
        let quoted = text(entry.range).dropFirst().dropLast()
        return entry.isEscaped ? JSONText.decoded(quoted)[...] : quoted
    }

    func matches(_ entry: sluice_tape_entry, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard entry.is(.string) else { return false }
        if entry.isEscaped { return JSONText.decoded(text(entry.range).dropFirst().dropLast()).elementsEqual(name) }
        let range = entry.range
        guard range.count == name.count + 2, range.lowerBound >= 0, range.upperBound <= bytes.count else {
            return false
        }
        return bytes.withUnsafeBufferPointer { text in
            for index in name.indices where text[range.lowerBound + 1 + index] != name[index] { return false }
            return true
        }
    }
}
