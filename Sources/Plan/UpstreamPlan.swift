public import HTTP

/// One upstream: where it is, what it may be asked, what it is signed with.
public struct UpstreamPlan: Sendable {
    public var name: String
    public var base: BaseURL
    /// Other addresses that mean this upstream in links.
    public var aliases: [BaseURL]
    public var auth: Auth?
    /// Fixed fields of each request.
    public var headers: [(name: FieldName, value: Secret)]
    /// Fixed query parameters of each request.
    public var query: [(name: String, value: String)]
    /// One attempt.
    public var timeout: Duration
    /// To connect, TLS included; within `timeout`.
    public var connectTimeout: Duration
    /// Further attempts of an idempotent request.
    public var retries: Int
    /// Requests in flight, all clients and workers together.
    public var concurrency: Int
    public var quota: Quota?
    public var cache: CachePolicy?
    /// Whether its failures and its wishes to be left alone keep requests away from it for a while; false: each is sent, whatever came before.
    public var isWatched: Bool
    /// Client fields that are handed through.
    public var pass: [FieldName]
    /// What answers of every operation mean that say something else than their status.
    public var errors: [AnswerError]
    /// Every value that a variable brings into a credential: what must never be seen in an answer.
    public var credentials: [Secret]
    /// Networks that the name may resolve to although they are private.
    public var networks: [Network]
    /// A file of certificate authorities in PEM, in place of the system's.
    public var authorities: String?
    /// Environment variables that the contract names without a default and nobody has set: while there is one, every request to this
    /// upstream is 503 and names them.
    public var missingVariables: [String]

    public init(name: String, base: BaseURL) {
        self.name = name
        self.base = base
        aliases = []
        headers = []
        query = []
        timeout = .seconds(5)
        connectTimeout = .seconds(2)
        retries = 1
        concurrency = 16
        isWatched = true
        pass = []
        errors = []
        credentials = []
        networks = []
        missingVariables = []
    }

    /// The target below this upstream's base that an absolute address stands for; nil where it isn't below the base or an alias. `http`
    /// and `https` of a host are one, each on its own port.
    public func target(of address: String) -> Target? {
        guard let (_, host, port, rest) = BaseURL.split(address), !rest.contains("#") else { return nil }
        for base in [base] + aliases where base != .unset && base.host == host {
            guard base.port == port || base.hasDefaultPort && [80, 443].contains(port) else { continue }
            guard rest.hasPrefix(base.path + "/") else { continue }
            let target = Target(String(rest.dropFirst(base.path.utf8.count)))
            if let segments = target.segments, !segments.dropLast().contains("") { return target }
        }
        return nil
    }

    /// How a request is signed, as the last step before the wire.
    public enum Auth: Sendable {
        case header(name: FieldName, value: Secret)
        case query(name: String, value: Secret)
        /// Lower-case hex MD5 of timestamp, private and public key (Marvel).
        case md5Query(timestamp: String, key: String, digest: String, publicKey: Secret, privateKey: Secret)

        /// The query parameters that the signer sets.
        public var parameters: [String] {
            switch self {
            case .header: []
            case .query(let name, _): [name]
            case .md5Query(let timestamp, let key, let digest, _, _): [timestamp, key, digest]
            }
        }
    }

    /// `count` requests in each `window`.
    public struct Quota: Sendable, Equatable {
        public var count: Int
        public var window: Duration
        public init(count: Int, window: Duration) {
            self.count = count
            self.window = window
        }
    }
}

/// A text that is never shown: it prints, also in a dump, as `…`.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String
    public init(_ text: String) { self.text = text }
    public var customMirror: Mirror { Mirror(self, children: []) }
    public var description: String { "…" }
    public var debugDescription: String { "…" }
    /// The text itself, for the signer and for the search that keeps it out of answers.
    public func reveal() -> String { text }
}

/// How long an answer may be kept where its upstream says nothing.
public struct CachePolicy: Sendable, Equatable {
    public var ttl: Duration?
    public var staleWhileRevalidate: Duration?
    public var staleIfError: Duration?
    /// Whether these win over what the upstream says.
    public var override: Bool
    public init(
        ttl: Duration? = nil, staleWhileRevalidate: Duration? = nil, staleIfError: Duration? = nil,
        override: Bool = false
    ) {
        self.ttl = ttl
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.override = override
    }
}

/// A range of IP addresses: an address (4 or 16 bytes, network order) and the length of its prefix in bits.
public struct Network: Sendable, Equatable {
    public var address: [UInt8]
    public var prefix: Int
    public init(address: [UInt8], prefix: Int) {
        self.address = address
        self.prefix = prefix
    }
}
