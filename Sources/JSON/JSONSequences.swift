internal import CSimdJSON

extension JSONDocument {
    /// The object's members in the order of the text, duplicates included; empty if the node is no object.
    public func members(of node: JSONNode) -> JSONMembers {
        JSONMembers(document: self, node: node)
    }

    /// The array's elements in order; empty if the node is no array.
    public func elements(of node: JSONNode) -> JSONElements {
        JSONElements(document: self, node: node)
    }
}

/// The members of an object, key and value; walking them allocates nothing.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    private let document: JSONDocument
    private var index: UInt32
    private let end: UInt32

    init(document: JSONDocument, node: JSONNode) {
        self.document = document
        let entry = document.entry(node.index)
        self.index = entry.is(.object) ? node.index + 1 : 0
        self.end = entry.is(.object) ? entry.next : 0
    }

    public mutating func next() -> (key: JSONNode, value: JSONNode)? {
        guard index < end else { return nil }
        let key = index
        index = document.end(of: key + 1)
        return (JSONNode(key), JSONNode(key + 1))
    }
}

/// The elements of an array; walking them allocates nothing.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private let document: JSONDocument
    private var index: UInt32
    private let end: UInt32

    init(document: JSONDocument, node: JSONNode) {
        self.document = document
        let entry = document.entry(node.index)
        self.index = entry.is(.array) ? node.index + 1 : 0
        self.end = entry.is(.array) ? entry.next : 0
    }

    public mutating func next() -> JSONNode? {
        guard index < end else { return nil }
        let element = index
        index = document.end(of: element)
        return JSONNode(element)
    }
}
