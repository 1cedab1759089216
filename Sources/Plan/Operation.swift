public import HTTP
public import JSON

/// One OpenAPI operation: a local route and the upstream request behind it.
public struct Operation: Sendable {
    /// Its `operationId`.
    public var id: String
    public var summary: String?
    public var method: Method
    /// The local path.
    public var path: PathTemplate
    public var parameters: [ParameterPlan]
    /// Index into `Plan.upstreams`; nil where the answer begins as `{}`.
    public var upstream: Int?
    /// The path below the upstream's base, `/films/{id}/`.
    public var upstreamPath: PathTemplate
    /// The time that a client's request may take in all.
    public var deadline: Duration
    /// Where the payload lies inside the upstream's envelope.
    public var unwrap: JSONPointer?
    public var collection: CollectionPlan?
    /// Links followed where the client gives no `expand`, as dot paths.
    public var expandByDefault: [String]
    /// Whether the answer holds the declared properties only, each brought to its type.
    public var isShaped: Bool
    /// Index into `Plan.schemas` of the whole answer's schema, and of one resource in it (the same, or a collection's item).
    public var answer: Int?
    public var resource: Int?
    public var limits: BudgetLimits
    public var cache: CachePolicy?
    /// Upstream query parameters that are fixed or made from the request's.
    public var query: [QueryTemplate] = []
    /// Groups of parameters of which a request must have one whole; empty where there is no such rule.
    public var alternatives: [[String]] = []
    /// What answers mean that say something else than their status; the first that fits counts.
    public var errors: [AnswerError] = []
    /// Places in the whole answer without which it isn't what the contract speaks of.
    public var expected: [JSONPointer] = []
    /// The name of the handler that answers in place of the upstream.
    public var handler: String?
    /// What a request brings; nil where the contract declares no content.
    public var content: ContentPlan?
    /// Nil for a route with an answer of its own; else nothing above counts but the upstream, the deadline, the bytes and the cache.
    public var mirror: MirrorPlan?

    /// Whether its answer is one that links can lead to: not a handler's, and not whatever is below a mirror.
    var isReadable: Bool { handler == nil && mirror == nil }

    public init(
        id: String, summary: String? = nil, method: Method = .get, path: PathTemplate, parameters: [ParameterPlan] = [],
        upstream: Int? = nil, upstreamPath: PathTemplate, deadline: Duration = .seconds(10), unwrap: JSONPointer? = nil,
        collection: CollectionPlan? = nil, expandByDefault: [String] = [], isShaped: Bool = false, answer: Int? = nil,
        resource: Int? = nil, limits: BudgetLimits = BudgetLimits(), cache: CachePolicy? = nil
    ) {
        self.id = id
        self.summary = summary
        self.method = method
        self.path = path
        self.parameters = parameters
        self.upstream = upstream
        self.upstreamPath = upstreamPath
        self.deadline = deadline
        self.unwrap = unwrap
        self.collection = collection
        self.expandByDefault = expandByDefault
        self.isShaped = isShaped
        self.answer = answer
        self.resource = resource
        self.limits = limits
        self.cache = cache
    }
}

/// What one request may cost (design: 256 links, depth 4, 32 MiB from upstreams).
public struct BudgetLimits: Sendable, Equatable {
    /// Upstream requests that follow the first one: links and further pages.
    public var links = 256
    /// Levels of `expand`.
    public var depth = 4
    /// Decoded bytes from upstreams.
    public var bytes = 32 << 20
    /// Bytes of the request's content.
    public var content = 1 << 20
    public init() {}
}

/// The content that a request may bring (`requestBody`).
public struct ContentPlan: Sendable, Equatable {
    /// Media types and ranges in lower case, without parameters: `application/json`, `image/*`.
    public var types: [String]
    public var isRequired: Bool
    /// Whether it goes to the upstream while it comes, and is not read whole first.
    public var isStreamed: Bool

    public init(types: [String], isRequired: Bool = false, isStreamed: Bool = false) {
        self.types = types
        self.isRequired = isRequired
        self.isStreamed = isStreamed
    }

    /// Whether content of `type` is taken.
    /// - Parameter type: the value of `Content-Type`, perhaps with parameters; nil where there is none.
    public func takes(_ type: String?) -> Bool {
        let name = (type ?? "application/octet-stream").prefix { $0 != ";" }.lowercased()
        let plain = ASCII.trimmed(name[...])
        let family = plain.prefix { $0 != "/" } + "/*"
        return types.contains { $0 == plain || $0 == family || $0 == "*/*" }
    }
}

/// One upstream query parameter.
public struct QueryTemplate: Sendable, Equatable {
    public enum Piece: Sendable, Equatable {
        case text(String)
        case parameter(String)
    }
    public var name: String
    /// The first of these counts whose parameters all have a value; where there is none the parameter isn't sent.
    public var texts: [[Piece]]

    public init(name: String, texts: [[Piece]]) {
        self.name = name
        self.texts = texts
    }

    /// The parameters that are put in.
    public var parameters: [String] {
        texts.joined().compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The text with the parameters' values put in.
    public func filled(_ values: [String: String]) -> String? {
        for pieces in texts {
            var text = ""
            let isWhole = pieces.allSatisfy { piece in
                switch piece {
                case .text(let literal): text += literal
                case .parameter(let name):
                    guard let value = values[name] else { return false }
                    text += value
                }
                return true
            }
            if isWhole { return text }
        }
        return nil
    }
}

/// An answer that means something else than its status says.
public struct AnswerError: Sendable, Equatable {
    public enum Meaning: Sendable, Equatable {
        /// As if the upstream had answered with this status.
        case status(Status)
        /// A list without items.
        case emptyList
    }
    public enum Pause: Sendable, Equatable {
        case seconds(Int)
        /// Until the day ends in UTC.
        case untilMidnight
    }
    /// Where its sign stands, from the root of the whole answer; nil: in the text of an answer that is no JSON.
    public var place: JSONPointer?
    /// What the value there has in it, in lower case; nil: any value that isn't null.
    public var text: String?
    public var meaning: Meaning
    /// How long no further request is sent.
    public var pause: Pause?

    public init(place: JSONPointer?, text: String?, meaning: Meaning, pause: Pause? = nil) {
        self.place = place
        self.text = text
        self.meaning = meaning
        self.pause = pause
    }
}

/// How a list is wrapped by its upstream, and how its pages are asked for.
public struct CollectionPlan: Sendable {
    public enum Paging: Sendable, Equatable {
        case none
        /// Pages are numbered from 1 in the query parameter `parameter`; a full page has `size` items.
        case page(parameter: String, size: Int)
        /// Items are skipped by `offset` and counted by `limit`; `size` is what the upstream gives without `limit`.
        case offset(parameter: String, limit: String, size: Int)
    }
    /// The query parameter that says how many items the client wants at the most; more are cut off.
    public var limit: String?
    /// The most items on a page, which is asked for where every page is read; nil where the pages stay as the request has them.
    public var maximum: Int?
    /// Where the text lies that has to be shown with the data, from the root of the whole answer.
    public var attribution: JSONPointer?
    /// Where the array of items lies.
    public var items: JSONPointer
    /// Where the number of all items lies.
    public var total: JSONPointer?
    /// Where the links to the neighbouring pages lie. Where both are given the upstream's envelope is passed through with these two
    /// replaced; otherwise ours is built.
    public var next: JSONPointer?
    public var previous: JSONPointer?
    public var paging: Paging

    public init(
        items: JSONPointer, total: JSONPointer? = nil, next: JSONPointer? = nil, previous: JSONPointer? = nil,
        paging: Paging = .none
    ) {
        self.items = items
        self.total = total
        self.next = next
        self.previous = previous
        self.paging = paging
    }
}

/// A declared parameter and what a value of it must be.
public struct ParameterPlan: Sendable {
    public enum Location: Sendable, Equatable { case path, query }
    /// What a value is for: the gateway's own (`expand`, `fields`, `all`), or a part of the upstream request.
    public enum Role: Sendable, Equatable { case expand, fields, all, upstream }
    public enum ValueType: String, Sendable { case string, integer, number, boolean }

    public var name: String
    public var location: Location
    public var role: Role
    public var isRequired: Bool
    public var type: ValueType
    public var allowed: [String]?
    public var minimum: Double?
    public var maximum: Double?
    public var minimumLength: Int?
    public var maximumLength: Int?
    public var `default`: String?
    /// Whether a value is a comma list of such values, and how many it has at the least and at the most.
    public var isList = false
    public var minimumItems: Int?
    public var maximumItems: Int?
    /// `date` and `date-time` are checked.
    public var format: String?
    /// Whether an empty value says that there is none: the default then doesn't count, and nothing is sent (`allowEmptyValue`).
    public var takesNothing = false

    public init(
        name: String, location: Location, role: Role = .upstream, isRequired: Bool = false, type: ValueType = .string,
        allowed: [String]? = nil, minimum: Double? = nil, maximum: Double? = nil, minimumLength: Int? = nil,
        maximumLength: Int? = nil, default: String? = nil
    ) {
        self.name = name
        self.location = location
        self.role = role
        self.isRequired = isRequired
        self.type = type
        self.allowed = allowed
        self.minimum = minimum
        self.maximum = maximum
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.default = `default`
    }
}
