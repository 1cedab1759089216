internal import CSimdJSON

/// A place in a document (RFC 6901): the names and positions on the way from the root.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// Names of members and positions of elements, not escaped.
    public var tokens: [String]

    /// The whole document when there are no tokens.
    public init(_ tokens: [String] = []) {
        self.tokens = tokens
    }

    /// Reads `""`, `"/data/results"`, `"/a~1b/0"`; nil for a text that starts with anything but `/` or has a `~`
    /// without `0` or `1` behind it.
    public init?(_ text: String) {
        tokens = []
        guard !text.isEmpty else { return }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let token = Self.unescaped(part) else { return nil }
            tokens.append(token)
        }
    }

    /// The pointer's text, `~` and `/` in names written as `~0` and `~1`.
    public var description: String {
        var text: [UInt8] = []
        for token in tokens {
            text.append(UInt8(ascii: "/"))
            for byte in token.utf8 {
                switch byte {
                case UInt8(ascii: "~"): text.append(contentsOf: "~0".utf8)
                case UInt8(ascii: "/"): text.append(contentsOf: "~1".utf8)
                default: text.append(byte)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    public func appending(_ name: String) -> JSONPointer {
        JSONPointer(tokens + [name])
    }

    public func appending(_ position: Int) -> JSONPointer {
        JSONPointer(tokens + [String(position)])
    }

    public func appending(_ pointer: JSONPointer) -> JSONPointer {
        JSONPointer(tokens + pointer.tokens)
    }

    private static func unescaped(_ part: Substring.UTF8View.SubSequence) -> String? {
        var text: [UInt8] = []
        var rest = part.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "~") else {
                text.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "0"): text.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): text.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// An array position as RFC 6901, section 4 writes it: no sign, no leading zero.
    static func position(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            token == "0" || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }
}

extension JSONDocument {
    /// The value at the pointer, from the root or from another node; nil if there is none.
    public func node(at pointer: JSONPointer, from start: JSONNode? = nil) -> JSONNode? {
        node(at: pointer.tokens, from: start)
    }

    /// The value at the tokens of a pointer, from the root or from another node; nil if there is none.
    public func node(at tokens: [String], from start: JSONNode? = nil) -> JSONNode? {
        var node = start ?? root
        for token in tokens {
            let child: JSONNode? =
                switch kind(of: node) {
                case .object: member(token, of: node)
                case .array: JSONPointer.position(token).flatMap { element($0, of: node) }
                default: nil
                }
            guard let child else { return nil }
            node = child
        }
        return node
    }

    /// The element at a position of an array; nil if there is none. Takes time linear in the position.
    public func element(_ position: Int, of node: JSONNode) -> JSONNode? {
        guard position >= 0 else { return nil }
        var elements = elements(of: node).dropFirst(position).makeIterator()
        return elements.next()
    }

    /// The pointer from the root to a node; a key's is that of its value. Takes time linear in the number of siblings
    /// on the way. Below a member that has a later one of the same name it doesn't lead to the node.
    public func pointer(to node: JSONNode) -> JSONPointer {
        var pointer = JSONPointer()
        var container = root
        while let (token, child) = step(from: container, towards: node) {
            pointer.tokens.append(token)
            container = child
        }
        return pointer
    }

    private func step(from container: JSONNode, towards node: JSONNode) -> (token: String, child: JSONNode)? {
        guard container.index < node.index else { return nil }
        for (key, value) in members(of: container) where node.index < end(of: value.index) {
            return (string(of: key) ?? "", value)
        }
        for (position, element) in elements(of: container).enumerated() where node.index < end(of: element.index) {
            return (String(position), element)
        }
        return nil
    }
}
