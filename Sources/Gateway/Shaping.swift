internal import JSON
internal import Plan

/// Makes the answer that a contract declares out of the one that an upstream gave: the declared properties in the contract's order, each
/// from its place and brought to its type.
///
/// One odd value never costs the object, one odd item never the list. The recursion follows the schema, and is bounded like the JSON that
/// is read: in depth and in the number of values.
struct Shaping {
    let schemas: [ShapedSchema]
    /// The upstream's whole answer.
    let document: JSONDocument
    /// The upstream's credentials, where the answer may hold one.
    let secrets: SecretSearch?
    private let limits: JSONLimits
    private(set) var bytes: [UInt8] = []
    private var depth = 0
    private var values = 0

    init(_ schemas: [ShapedSchema], _ document: JSONDocument, secrets: SecretSearch? = nil, limits: JSONLimits) {
        self.schemas = schemas
        self.document = document
        self.secrets = secrets
        self.limits = limits
        bytes.reserveCapacity(document.bytes.count / 2)
    }

    /// What stands at a place.
    private enum Found {
        case nothing
        case node(JSONNode)
        /// Made from several places.
        case text(String)
    }

    /// Appends the shaped value of `node`.
    /// - Returns: false where it is null.
    /// - Throws: where the value would be nested too deeply or hold too many values.
    mutating func shape(_ node: JSONNode, as schema: Int) throws(JSONError) -> Bool {
        try write(schema, .node(node), base: node)
    }

    /// Appends the shaped items of an array; those that can't be brought to the items' type are left out.
    mutating func shape(itemsOf array: JSONNode, as schema: Int) throws(JSONError) {
        bytes.append(UInt8(ascii: "["))
        for item in document.elements(of: array) {
            let start = bytes.count
            if start > 0, bytes[start - 1] != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
            let hasValue = try write(schema, .node(item), base: item)
            if !hasValue, !schemas[schema].keepsNull { bytes.removeLast(bytes.count - start) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    // MARK: Values

    private mutating func write(_ index: Int, _ own: Found, base: JSONNode) throws(JSONError) -> Bool {
        let schema = schemas[index]
        values += 1
        guard values <= limits.values else { throw .tooManyValues }
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        var found = own
        if !schema.sources.isEmpty { found = first(of: schema.sources, from: base) }
        switch found {
        case .nothing: break
        case .text(let text):
            if let json = converted(.text(text), schema) { return append(json) }
        case .node(let node):
            if try write(node, schema) { return true }
        }
        return append(schema.missing)
    }

    /// Whether something was written.
    private mutating func write(_ node: JSONNode, _ schema: ShapedSchema) throws(JSONError) -> Bool {
        let kind = document.kind(of: node)
        if kind == .null { return false }
        if schema.isAnything { return append(raw(node)) }
        let isPlain = kind == .object || kind == .array || !(secrets?.mayBeIn(node, of: document) ?? false)
        switch kind {
        case .object where schema.takesObjects:
            try enter { (shaping) throws(JSONError) in try shaping.write(object: node, schema) }
            return true
        case .array where schema.takesArrays:
            guard let items = schema.items else { return append(raw(node)) }
            try enter { (shaping) throws(JSONError) in try shaping.shape(itemsOf: node, as: items) }
            return true
        case .string:
            let text = document.bytes(of: node)
            if isPlain, let scalar = schema.scalar, scalar.takesAnyText || scalar.takesFilledText && text.count > 2 {
                bytes.append(contentsOf: text)
                return true
            }
        case .number:
            if isPlain, schema.scalar?.takesAnyNumber == true {
                bytes.append(contentsOf: document.bytes(of: node))
                return true
            }
        default: break
        }
        guard let value = scalar(node), let json = isPlain ? schema.scalar?.converted(value) : converted(value, schema)
        else { return false }
        return append(json)
    }

    private mutating func write(object node: JSONNode, _ schema: ShapedSchema) throws(JSONError) {
        bytes.append(UInt8(ascii: "{"))
        for (position, property) in schema.properties.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: property.key)
            var own = Found.nothing
            if schemas[property.schema].sources.isEmpty, let member = document.member(property.name, of: node) {
                own = .node(member)
            }
            _ = try write(property.schema, own, base: node)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func enter(_ body: (inout Shaping) throws(JSONError) -> Void) throws(JSONError) {
        guard depth < min(limits.depth, 64) else { throw .tooDeep }
        depth += 1
        try body(&self)
        depth -= 1
    }

    private mutating func append(_ json: [UInt8]) -> Bool {
        bytes.append(contentsOf: json)
        return json.first != UInt8(ascii: "n")
    }

    private func converted(_ value: FoundScalar, _ schema: ShapedSchema) -> [UInt8]? {
        guard let scalar = schema.scalar else { return nil }
        guard let secrets else { return scalar.converted(value) }
        switch value {
        case .text(let text): return secrets.withoutSecrets(text).flatMap { scalar.converted(.text($0)) }
        case .number(let token): return secrets.holds(token) ? nil : scalar.converted(value)
        case .flag: return scalar.converted(value)
        }
    }

    private func raw(_ node: JSONNode) -> [UInt8] {
        guard let secrets else { return Array(document.bytes(of: node)) }
        return secrets.edits(in: document, at: node).applied(to: document, at: node)
    }

    // MARK: Places

    /// What stands at the first of the places where anything does.
    private func first(of sources: [ValueSource], from base: JSONNode) -> Found {
        for source in sources {
            switch source {
            case .place(let place):
                if let node = document.node(at: place, from: base), document.kind(of: node) != .null {
                    return .node(node)
                }
            case .template(let pieces):
                if let text = text(pieces, from: base) { return .text(text) }
            }
        }
        return .nothing
    }

    private func text(_ pieces: [ValueSource.Piece], from base: JSONNode) -> String? {
        var result = ""
        for piece in pieces {
            switch piece {
            case .text(let text): result += text
            case .place(let place):
                switch document.node(at: place, from: base).flatMap(scalar) {
                case .text(let text) where !text.isEmpty: result += text
                case .number(let token): result += token
                case .flag(let flag): result += flag ? "true" : "false"
                case .text, nil: return nil
                }
            }
        }
        return result
    }

    private func scalar(_ node: JSONNode) -> FoundScalar? {
        switch document.kind(of: node) {
        case .string: .text(document.string(of: node) ?? "")
        case .number: .number(String(decoding: document.bytes(of: node), as: UTF8.self))
        case .true: .flag(true)
        case .false: .flag(false)
        case .object, .array, .null: nil
        }
    }
}

extension JSONDocument {
    /// The value at a place; nil if there is none.
    func node(at place: AnswerPlace, from base: JSONNode) -> JSONNode? {
        var node = place.isFromRoot ? root : base
        for step in place.steps {
            let child: JSONNode? =
                switch kind(of: node) {
                case .object: member(step.name, of: node)
                case .array: element(step, of: node)
                default: nil
                }
            guard let child else { return nil }
            node = child
        }
        return node
    }

    private func element(_ step: AnswerPlace.Step, of array: JSONNode) -> JSONNode? {
        if let position = step.position { return element(position, of: array) }
        guard let name = step.member else { return nil }
        return elements(of: array).first { item in
            guard let value = member(name, of: item) else { return false }
            switch kind(of: value) {
            case .string: return isString(value, equalTo: step.text)
            case .number, .true, .false: return bytes(of: value).elementsEqual(step.text.utf8)
            case .object, .array, .null: return false
            }
        }
    }
}
