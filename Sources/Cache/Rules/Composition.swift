public import HTTP
internal import Synchronization

/// What a composed answer has that others haven't: finished forms, and what it was made of.
public struct Composition: Sendable {
    /// The answer in one coding, as it is sent.
    public struct Form: Sendable {
        /// The value of `Content-Encoding`; nil for the content as it is.
        public let coding: String?
        /// All fields but those that change with time and client.
        public let fields: Fields
        public let content: [UInt8]

        public init(coding: String?, fields: Fields, content: [UInt8]) {
            self.coding = coding
            self.fields = fields
            self.content = content
        }
    }

    /// An upstream's answer that went into it.
    public struct Part: Sendable {
        let key: CacheKey
        let selection: Selection
        let version: UInt64

        /// - Returns: nil for what isn't kept.
        public init(_ answer: StoredAnswer, at key: CacheKey) {
            self.key = key
            selection = answer.selection
            version = answer.version
        }
    }

    /// Not coded first; the others as clients ask for them.
    public internal(set) var forms: [Form]
    public let parts: [Part]
    /// What follows `max-age=…` in `Cache-Control`.
    let grace: String
    /// The whole of `Cache-Control`, where clients are told another life than the parts have; it can't become longer then.
    let directives: String?
    /// The code of the error that it is.
    public let failure: String?

    /// - Parameter grace: directives that follow `max-age=…` in `Cache-Control`, with their comma.
    public init(
        forms: [Form], parts: [Part], grace: String = "", directives: String? = nil, failure: String? = nil
    ) {
        self.forms = forms
        self.parts = parts
        self.grace = grace
        self.directives = directives
        self.failure = failure
    }

    /// The bytes beyond the first form.
    var footprint: Int {
        var bytes = 200
        for form in forms.dropFirst() { bytes += 96 + form.fields.footprint + form.content.count }
        // Another key for the same thing is another text.
        for part in parts { bytes += 96 + part.key.text.utf8.count }
        return bytes
    }
}

/// A number that is worked out when somebody first asks for it. From any thread.
final class Version: Sendable {
    /// 0: nobody has asked.
    private let value = Atomic<UInt64>(0)

    func value(_ make: () -> UInt64) -> UInt64 {
        let known = value.load(ordering: .relaxed)
        if known != 0 { return known }
        let made = max(make(), 1)
        // Whoever else is at it comes to the same.
        value.store(made, ordering: .relaxed)
        return made
    }
}

extension StoredAnswer {
    /// The same for answers with the same status, content and `Location`, and for no others that anybody could make: a hash whose seed is
    /// this process' own.
    public var version: UInt64 {
        versionOnDemand.value {
            var hasher = Hasher()
            hasher.combine(status.code)
            hasher.combine(fields[.location])
            content.withUnsafeBytes { hasher.combine(bytes: $0) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
    }

    /// A composed answer's form in this coding (nil: as it is), where it was made.
    public func form(_ coding: String?) -> Composition.Form? {
        composition?.forms.first { $0.coding == coding }
    }

    /// The value of a composed answer's `Cache-Control`: counted from when its oldest part was made, like its age.
    public var directivesForClients: String {
        // A year is the most that anybody keeps anything.
        composition?.directives ?? "max-age=\(min(freshFor / 1000, 31_536_000))" + (composition?.grace ?? "")
    }

    /// Whether a client that asks for something newer (RFC 9111, section 5.2.1) may be given this one at `now`.
    public func suits(_ request: Fields, at now: Moment) -> Bool {
        guard request.contains(.cacheControl) || request.contains(.pragma) else { return true }
        let client = RequestDirectives(request)
        if client.noCache { return false }
        if let limit = client.maxAge, limit == 0 || milliseconds(at: now) > limit * 1000 { return false }
        return freshness(at: now) >= (client.minFresh ?? 0) * 1000
    }
}
