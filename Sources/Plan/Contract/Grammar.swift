/// What may stand at a place of a contract: one of the leaves, or lists and maps of it.
struct Shape: Sendable {
    enum Leaf: Sendable {
        /// Nobody looks into it.
        case any
        case text
        /// Null says that what an outer place has doesn't hold here.
        case textOrNull
        case flag
        /// A whole number.
        case whole
        case number
        /// Text, number or flag: what `${NAME}` may stand in.
        case scalar
        /// A text or a list of texts.
        case texts
        /// Text, number or flag, or a list of texts.
        case scalarOrTexts
        case object(Kind)
    }
    /// What is around a leaf.
    enum Container: Sendable {
        case list
        /// A map with names of the author's choice.
        case map
    }
    /// The outermost layer.
    enum Layer {
        case leaf(Leaf)
        case list(of: Shape)
        case map(of: Shape)
    }

    private var containers: [Container] = []
    private var leaf: Leaf

    static let any = Shape(leaf: .any)
    static let text = Shape(leaf: .text)
    static let textOrNull = Shape(leaf: .textOrNull)
    static let flag = Shape(leaf: .flag)
    static let whole = Shape(leaf: .whole)
    static let number = Shape(leaf: .number)
    static let scalar = Shape(leaf: .scalar)
    static let texts = Shape(leaf: .texts)
    static let scalarOrTexts = Shape(leaf: .scalarOrTexts)
    static func object(_ kind: Kind) -> Shape { Shape(leaf: .object(kind)) }
    static func list(_ item: Shape) -> Shape { Shape(containers: [.list] + item.containers, leaf: item.leaf) }
    static func map(_ value: Shape) -> Shape { Shape(containers: [.map] + value.containers, leaf: value.leaf) }

    var layer: Layer {
        let inner = Shape(containers: Array(containers.dropFirst()), leaf: leaf)
        return switch containers.first {
        case nil: .leaf(leaf)
        case .list: .list(of: inner)
        case .map: .map(of: inner)
        }
    }
}

/// The objects of OpenAPI 3.1 (section 4.8 of its specification) that we look into, and our own.
enum Kind: Sendable, CaseIterable {
    case document, info, paths, pathItem, operation, parameter, header, requestBody, mediaType, responses, response
    case example, components, schema, tag, securityScheme
    case sluice, upstream, auth, upstreamCache, collection, limits, cache, link, answerError

    struct Field: Sendable {
        let name: String
        let shape: Shape
        let isRequired: Bool
    }

    /// The keys that the object may have, in the order in which messages list them.
    var fields: [Field] { Kind.tables[self]?.fields ?? [] }

    /// The shape of the value of `key`; nil for an unknown one.
    func shape(of key: String) -> Shape? {
        if let field = Kind.tables[self]?.byName[key] { return field.shape }
        switch self {
        case .paths: return key.hasPrefix("x-") ? nil : .object(.pathItem)
        case .responses: return key.hasPrefix("x-") ? nil : .object(.response)
        case .schema, .securityScheme: return key.lowercased().hasPrefix("x-sluice") ? nil : .any
        default: return nil
        }
    }

    /// Whether `{$ref: …}` may stand in its place.
    var isReferable: Bool {
        switch self {
        case .pathItem, .parameter, .header, .requestBody, .response, .example, .schema, .securityScheme: true
        default: false
        }
    }

    /// Whether it is one of our own objects, where `x-…` keys of others have no place.
    var isOwn: Bool {
        switch self {
        case .sluice, .upstream, .auth, .upstreamCache, .collection, .limits, .cache, .link, .answerError: true
        default: false
        }
    }

    private struct Table: Sendable {
        var fields: [Field]
        var byName: [String: Field]
    }

    private static let tables: [Kind: Table] = Dictionary(
        uniqueKeysWithValues: allCases.map { kind in
            let fields = kind.written.map { name, shape in
                Field(
                    name: name.hasSuffix("!") ? String(name.dropLast()) : name, shape: shape,
                    isRequired: name.hasSuffix("!"))
            }
            return (kind, Table(fields: fields, byName: Dictionary(fields.map { ($0.name, $0) }) { first, _ in first }))
        })
}

// The tables, as they are easiest to read: a mark behind a name means that it must be there.
extension Kind {
    fileprivate var written: [(String, Shape)] {
        switch self {
        case .document, .info, .paths, .pathItem, .operation, .responses, .tag, .components, .securityScheme: outline
        case .parameter, .header, .requestBody, .mediaType, .response, .example: message
        case .schema: keywords
        case .sluice, .upstream, .auth, .upstreamCache, .collection, .limits, .cache, .link, .answerError: own
        }
    }

    private var outline: [(String, Shape)] {
        switch self {
        case .document:
            [
                ("openapi!", .text), ("info!", .object(.info)), ("jsonSchemaDialect", .text), ("servers", .list(.any)),
                ("paths", .object(.paths)), ("webhooks", .any), ("components", .object(.components)),
                ("security", .list(.map(.list(.text)))), ("tags", .list(.object(.tag))), ("externalDocs", .any),
                ("x-sluice-upstreams", .map(.object(.upstream))), ("x-sluice", .object(.sluice)),
            ]
        case .info:
            [
                ("title!", .text), ("version!", .text), ("summary", .text), ("description", .text),
                ("termsOfService", .text), ("contact", .any), ("license", .any),
            ]
        case .pathItem:
            [
                ("summary", .text), ("description", .text), ("get", .object(.operation)), ("put", .object(.operation)),
                ("post", .object(.operation)), ("delete", .object(.operation)), ("options", .object(.operation)),
                ("head", .object(.operation)), ("patch", .object(.operation)), ("trace", .object(.operation)),
                ("servers", .list(.any)), ("parameters", .list(.object(.parameter))), ("x-sluice", .object(.sluice)),
            ]
        case .operation:
            [
                ("operationId!", .text), ("tags", .list(.text)), ("summary", .text), ("description", .text),
                ("externalDocs", .any), ("parameters", .list(.object(.parameter))),
                ("requestBody", .object(.requestBody)), ("responses", .object(.responses)), ("callbacks", .any),
                ("deprecated", .flag), ("security", .list(.map(.list(.text)))), ("servers", .list(.any)),
                ("x-sluice", .object(.sluice)),
            ]
        case .tag: [("name!", .text), ("description", .text), ("externalDocs", .any)]
        case .components:
            [
                ("schemas", .map(.object(.schema))), ("responses", .map(.object(.response))),
                ("parameters", .map(.object(.parameter))), ("examples", .map(.object(.example))),
                ("requestBodies", .map(.object(.requestBody))), ("headers", .map(.object(.header))),
                ("securitySchemes", .map(.object(.securityScheme))), ("links", .any), ("callbacks", .any),
                ("pathItems", .map(.object(.pathItem))),
            ]
        default: []
        }
    }

    private var message: [(String, Shape)] {
        let value: [(String, Shape)] = [
            ("description", .text), ("required", .flag), ("deprecated", .flag), ("allowEmptyValue", .flag),
            ("style", .text), ("explode", .flag), ("allowReserved", .flag), ("schema", .object(.schema)),
            ("example", .any), ("examples", .map(.object(.example))), ("content", .map(.object(.mediaType))),
        ]
        return switch self {
        case .parameter: [("name!", .text), ("in!", .text)] + value
        case .header: value
        case .requestBody: [("description", .text), ("content!", .map(.object(.mediaType))), ("required", .flag)]
        case .mediaType:
            [
                ("schema", .object(.schema)), ("example", .any), ("examples", .map(.object(.example))),
                ("encoding", .any),
            ]
        case .response:
            [
                ("description", .text), ("headers", .map(.object(.header))), ("content", .map(.object(.mediaType))),
                ("links", .any),
            ]
        case .example: [("summary", .text), ("description", .text), ("value", .any), ("externalValue", .text)]
        default: []
        }
    }

    /// The keywords of JSON Schema 2020-12 that hold schemas or have one type; all others are taken as they are.
    private var keywords: [(String, Shape)] {
        let schema = Shape.object(.schema)
        let maps = ["properties", "patternProperties", "$defs", "dependentSchemas"].map { ($0, Shape.map(schema)) }
        let lists = ["allOf", "anyOf", "oneOf", "prefixItems"].map { ($0, Shape.list(schema)) }
        let single = [
            "items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "not", "contains",
            "propertyNames", "if", "then", "else",
        ].map { ($0, schema) }
        let texts = ["title", "description", "format", "pattern"].map { ($0, Shape.text) }
        let flags = ["deprecated", "readOnly", "writeOnly", "uniqueItems"].map { ($0, Shape.flag) }
        let numbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
            .map { ($0, Shape.number) }
        let counts = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]
            .map { ($0, Shape.whole) }
        let further: [(String, Shape)] = [
            ("required", .list(.text)), ("enum", .list(.any)), ("x-sluice-link", .object(.link)),
            ("x-sluice-from", .texts),
        ]
        return maps + lists + single + texts + flags + numbers + counts + further
    }

    private var own: [(String, Shape)] {
        switch self {
        case .sluice:
            [
                ("upstream", .textOrNull), ("path", .text), ("deadline", .scalar), ("unwrap", .text),
                ("collection", .object(.collection)), ("expand", .list(.text)), ("shape", .flag),
                ("limits", .object(.limits)), ("cache", .object(.cache)), ("query", .map(.scalarOrTexts)),
                ("require", .list(.list(.text))), ("errors", .list(.object(.answerError))), ("expects", .list(.text)),
                ("handler", .textOrNull), ("body", .text), ("mirror", .flag), ("links", .text),
            ]
        case .upstream:
            [
                ("url!", .scalar), ("aliases", .list(.scalar)), ("auth", .object(.auth)), ("headers", .map(.scalar)),
                ("query", .map(.scalar)), ("timeout", .scalar), ("retries", .scalar), ("concurrency", .scalar),
                ("quota", .scalar), ("cache", .object(.upstreamCache)), ("pass", .list(.scalar)),
                ("networks", .list(.scalar)), ("authorities", .scalar), ("errors", .list(.object(.answerError))),
            ]
        case .auth:
            [
                ("type!", .text), ("name", .scalar), ("value", .scalar), ("timestamp", .scalar), ("key", .scalar),
                ("digest", .scalar), ("public", .scalar), ("private", .scalar),
            ]
        case .upstreamCache:
            [("ttl", .scalar), ("stale-while-revalidate", .scalar), ("stale-if-error", .scalar), ("override", .scalar)]
        case .cache:
            [("ttl", .scalar), ("stale-while-revalidate", .scalar), ("stale-if-error", .scalar), ("override", .flag)]
        case .collection:
            [
                ("items!", .text), ("total", .text), ("next", .text), ("previous", .text), ("page", .text),
                ("offset", .text), ("limit", .text), ("size", .whole), ("maximum", .whole), ("attribution", .text),
            ]
        case .limits: [("links", .whole), ("depth", .whole), ("bytes", .scalar), ("body", .scalar)]
        case .answerError:
            [("at", .text), ("contains", .text), ("status", .whole), ("empty", .flag), ("retry-after", .scalar)]
        case .link: [("to!", .text), ("params", .map(.text)), ("href", .text), ("expand", .flag)]
        default: []
        }
    }
}
