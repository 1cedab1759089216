/// Builds the value tree of a document from libyaml's events, within bounds: a contract that somebody made huge, deep or
/// multiplying costs no more than an honest one.
struct YAMLReader {
    /// The largest text.
    static let maximumBytes = 4 << 20
    /// The deepest nesting; what walks a tree later may recurse because of it.
    static let maximumDepth = 64
    /// The most values, those that aliases repeat counted each time.
    static let maximumNodes = 200_000

    /// Reads a text that must hold exactly one document.
    ///
    /// - Returns: the document, nil where it can't be read to its end, and everything that is wrong with it.
    static func read(_ text: [UInt8]) -> (node: YAMLNode?, mistakes: [YAMLMistake]) {
        guard text.count <= maximumBytes else {
            return (nil, [YAMLMistake(mark: .start, found: "\(text.count) bytes", expected: "at most \(maximumBytes)")])
        }
        if let mark = firstBadUTF8(text) {
            return (nil, [YAMLMistake(mark: mark, found: "bytes that are no UTF-8", expected: "UTF-8")])
        }
        var reader = YAMLReader()
        // libyaml takes no byte order mark once it has been told the encoding.
        let content = text.dropFirst(text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        do throws(YAMLMistake) {
            let node = try content.withUnsafeBufferPointer { (bytes) throws(YAMLMistake) in try reader.run(bytes) }
            return (node, reader.mistakes)
        } catch {
            return (nil, reader.mistakes + [error])
        }
    }

    /// A list or map whose end hasn't come yet.
    private struct Frame {
        let mark: Mark
        let anchor: String?
        let isMap: Bool
        var list: [YAMLNode] = []
        var map: [YAMLNode.Entry] = []
        /// Where each key stands for the first time.
        var keys: [String: Mark] = [:]
        /// The key whose value comes next.
        var key: (text: String, mark: Mark)?
        var measure = Measure(nodes: 1, height: 1)
    }

    private struct Measure {
        var nodes: Int
        var height: Int

        static let scalar = Measure(nodes: 1, height: 0)
    }

    private var mistakes: [YAMLMistake] = []
    private var frames: [Frame] = []
    private var anchors: [String: (node: YAMLNode, measure: Measure)] = [:]
    private var total = 0
    private var root: YAMLNode?

    private mutating func run(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLMistake) -> YAMLNode {
        var parser = try YAMLParser(bytes)
        var hasDocument = false
        while true {
            switch try parser.next() {
            case .streamEnd:
                guard let root, !root.isNull else {
                    throw YAMLMistake(mark: .start, found: "an empty file", expected: "an OpenAPI document")
                }
                return root
            case .documentStart(let mark):
                guard !hasDocument else {
                    throw YAMLMistake(mark: mark, found: "a second document", expected: "one document a file")
                }
                hasDocument = true
            case .scalar(let scalar, let text, let anchor, let mark): try take(scalar, text, anchor, mark)
            case .alias(let name, let mark): try take(alias: name, mark)
            case .list(let anchor, let mark): try open(Frame(mark: mark, anchor: anchor, isMap: false))
            case .map(let anchor, let mark): try open(Frame(mark: mark, anchor: anchor, isMap: true))
            case .end: try close()
            case .other: break
            }
        }
    }

    private mutating func take(
        _ scalar: YAMLScalar, _ text: String, _ anchor: String?, _ mark: Mark
    ) throws(YAMLMistake) {
        let node = YAMLNode(mark: mark, value: .scalar(scalar))
        guard !isAtKey else {
            try take(key: text, mark)
            if let anchor { anchors[anchor] = (node, .scalar) }
            return
        }
        if case .notFinite(let text) = scalar {
            mistakes.append(
                YAMLMistake(mark: mark, tokens: tokens, found: text, expected: "a number that JSON can hold"))
        }
        try place(node, anchor, .scalar)
    }

    private mutating func take(key text: String, _ mark: Mark) throws(YAMLMistake) {
        guard text != "<<" else {
            throw YAMLMistake(
                mark: mark, tokens: tokens, found: "the merge key \"<<\"",
                expected: "an alias or $ref: YAML 1.2 has no merge keys")
        }
        frames[frames.count - 1].key = (text, mark)
    }

    private mutating func take(alias name: String, _ mark: Mark) throws(YAMLMistake) {
        guard !frames.contains(where: { $0.anchor == name }) else {
            throw YAMLMistake(
                mark: mark, tokens: tokens, found: "*\(name) inside &\(name)",
                expected: "an alias of a value that has ended")
        }
        guard let (node, measure) = anchors[name] else {
            throw YAMLMistake(mark: mark, tokens: tokens, found: "*\(name)", expected: "an anchor &\(name) before it")
        }
        guard isAtKey else { return try place(node, nil, measure) }
        guard case .scalar(.text(let text)) = node.value else { throw notAKey(mark) }
        try take(key: text, mark)
    }

    private var isAtKey: Bool { frames.last.map { $0.isMap && $0.key == nil } ?? false }

    private func notAKey(_ mark: Mark) -> YAMLMistake {
        YAMLMistake(mark: mark, tokens: tokens, found: "a list or map as a key", expected: "text")
    }

    private mutating func open(_ frame: Frame) throws(YAMLMistake) {
        guard !isAtKey else { throw notAKey(frame.mark) }
        try checkDepth(frames.count + 1, frame.mark)
        frames.append(frame)
    }

    private mutating func close() throws(YAMLMistake) {
        guard let frame = frames.popLast() else { return }
        let node = YAMLNode(mark: frame.mark, value: frame.isMap ? .map(frame.map) : .list(frame.list))
        // What is in it was counted when it came.
        try place(node, frame.anchor, frame.measure, counting: 1)
    }

    /// Puts a finished value into the list or map around it.
    private mutating func place(
        _ node: YAMLNode, _ anchor: String?, _ measure: Measure, counting count: Int? = nil
    ) throws(YAMLMistake) {
        if let anchor { anchors[anchor] = (node, measure) }
        total += count ?? measure.nodes
        guard total <= YAMLReader.maximumNodes else {
            throw YAMLMistake(
                mark: node.mark, tokens: tokens, found: "more than \(YAMLReader.maximumNodes) values", expected: "fewer"
            )
        }
        try checkDepth(frames.count + measure.height, node.mark)
        guard var frame = frames.popLast() else {
            root = node
            return
        }
        frame.measure.nodes += measure.nodes
        frame.measure.height = max(frame.measure.height, measure.height + 1)
        if !frame.isMap {
            frame.list.append(node)
        } else if let (key, mark) = frame.key {
            frame.key = nil
            if let first = frame.keys[key] {
                mistakes.append(
                    YAMLMistake(
                        mark: mark, tokens: tokens + [key], found: "the key \(shown(key)) again",
                        expected: "each key once (it stands in line \(first.line) already)"))
            } else {
                frame.keys[key] = mark
                frame.map.append(YAMLNode.Entry(key: key, keyMark: mark, node: node))
            }
        }
        frames.append(frame)
    }

    private func checkDepth(_ depth: Int, _ mark: Mark) throws(YAMLMistake) {
        guard depth <= YAMLReader.maximumDepth else {
            throw YAMLMistake(
                mark: mark, found: "nesting deeper than \(YAMLReader.maximumDepth) levels", expected: "flatter YAML")
        }
    }

    /// The place of the value that comes next.
    private var tokens: [String] {
        frames.compactMap { $0.isMap ? $0.key?.text : String($0.list.count) }
    }

    /// Where the first byte stands that begins no valid sequence.
    private static func firstBadUTF8(_ text: [UInt8]) -> Mark? {
        guard String(validating: text, as: UTF8.self) == nil else { return nil }
        var line = 1
        for piece in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard String(validating: piece, as: UTF8.self) == nil else {
                line += 1
                continue
            }
            var good = 0
            var column = 1
            while good < piece.count {
                let length = (1...4).first {
                    String(validating: piece.dropFirst(good).prefix($0), as: UTF8.self) != nil
                }
                guard let length else { break }
                good += length
                column += 1
            }
            return Mark(line: line, column: column)
        }
        return .start
    }
}

/// A text from a contract in quotes, cut so that a message stays one short line.
func shown(_ text: String) -> String {
    var cut = ""
    for scalar in text.unicodeScalars.prefix(80) { cut += scalar.escaped(asASCII: false) }
    return "\"" + cut + (text.unicodeScalars.count > 80 ? "…" : "") + "\""
}
