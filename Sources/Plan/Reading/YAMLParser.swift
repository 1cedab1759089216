internal import CYAML

/// One step of libyaml's parser, as values of our own.
enum YAMLEvent {
    case documentStart(Mark)
    case scalar(YAMLScalar, text: String, anchor: String?, Mark)
    case alias(String, Mark)
    case list(anchor: String?, Mark)
    case map(anchor: String?, Mark)
    /// The end of the innermost list or map.
    case end
    case streamEnd
    /// What carries nothing for us.
    case other
}

/// A mistake in a text, before there are pointers of files.
struct YAMLMistake: Error, Sendable {
    var mark: Mark
    var tokens: [String] = []
    var found: String
    var expected: String
}

/// libyaml's event parser over bytes in memory (see yaml.h). The parser keeps a pointer to itself, so it lives on the heap.
struct YAMLParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let text: UnsafeBufferPointer<UInt8>

    /// - Parameter text: valid UTF-8 that outlives the parser.
    init(_ text: UnsafeBufferPointer<UInt8>) throws(YAMLMistake) {
        self.text = text
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw YAMLMistake(mark: .start, found: "no memory for a parser", expected: "some")
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next step.
    /// - Throws: where the text is no YAML, or has a tag that we have no use for. Not to be called again then, or after `streamEnd`.
    mutating func next() throws(YAMLMistake) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw mistake() }
        defer { yaml_event_delete(&event) }
        let mark = Mark(event.start_mark)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: return .documentStart(mark)
        case YAML_STREAM_END_EVENT: return .streamEnd
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .end
        case YAML_ALIAS_EVENT: return .alias(string(event.data.alias.anchor) ?? "", mark)
        case YAML_SEQUENCE_START_EVENT:
            try refuse(tag: string(event.data.sequence_start.tag), unless: "seq", mark)
            return .list(anchor: string(event.data.sequence_start.anchor), mark)
        case YAML_MAPPING_START_EVENT:
            try refuse(tag: string(event.data.mapping_start.tag), unless: "map", mark)
            return .map(anchor: string(event.data.mapping_start.anchor), mark)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            let tag = string(scalar.tag)
            if let tag, tag != "!" { try refuse(tag: tag, unless: "str", mark) }
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE && tag == nil
            return .scalar(
                isPlain ? YAMLScalar(plain: text) : .text(text), text: text, anchor: string(scalar.anchor), mark)
        default: return .other
        }
    }

    private func string(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        bytes.map { String(cString: $0) }
    }

    private func refuse(tag: String?, unless known: String, _ mark: Mark) throws(YAMLMistake) {
        guard let tag, tag != "tag:yaml.org,2002:" + known else { return }
        throw YAMLMistake(mark: mark, found: "the tag \(shown(tag))", expected: "no tag")
    }

    /// What libyaml complains about, at the place that it names.
    private func mistake() -> YAMLMistake {
        let state = parser.pointee
        let problem = state.problem.map { String(cString: $0) } ?? "broken YAML"
        guard state.error != YAML_READER_ERROR else {
            let before = text.prefix(max(0, min(text.count, Int(state.problem_offset))))
            let line = before.count { $0 == 0x0A } + 1
            let column = before.reversed().prefix { $0 != 0x0A }.count { $0 & 0xC0 != 0x80 } + 1
            return YAMLMistake(
                mark: Mark(line: line, column: column), found: "a character that YAML doesn't allow",
                expected: "text without control characters")
        }
        let mark = Mark(state.problem_mark)
        if let tab = tab(around: mark) {
            return YAMLMistake(mark: tab, found: "a tab", expected: "blanks: YAML is indented with blanks only")
        }
        return YAMLMistake(mark: mark, found: "broken YAML (\(problem))", expected: "well-formed YAML")
    }

    /// The first tab among the blanks that begin the line of `mark`, or the tab at `mark` itself.
    private func tab(around mark: Mark) -> Mark? {
        let lines = text.split(separator: 0x0A, maxSplits: mark.line, omittingEmptySubsequences: false)
        guard mark.line <= lines.count else { return nil }
        let line = Array(lines[mark.line - 1])
        let blanks = line.prefix { $0 == 0x20 || $0 == 0x09 }
        if let index = blanks.firstIndex(of: 0x09) { return Mark(line: mark.line, column: index + 1) }
        let characters = line.filter { $0 & 0xC0 != 0x80 }
        guard mark.column <= characters.count, characters[mark.column - 1] == 0x09 else { return nil }
        return mark
    }
}

extension Mark {
    init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}
