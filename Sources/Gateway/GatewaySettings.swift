internal import Glibc
public import HTTP
public import JSON

/// One part of an answer: what an upstream, or the cache in front of it, was asked for.
public struct PartRecord: Sendable {
    /// The name in the contract.
    public let upstream: String
    /// Without credentials and without the contract's fixed parameters.
    public let url: String
    /// Nil where there was no answer.
    public let status: Status?
    /// The code of the error where there was none.
    public let failure: String?
    /// As the cache says it (RFC 9211); nil where nothing is kept.
    public let cacheStatus: String?
    public let duration: Duration
}

/// What a gateway is told besides its plan.
public struct GatewaySettings: Sendable {
    /// What links to this gateway begin with, without a slash at the end (`https://films.example`). Nil: the `Host` that each
    /// request names, for a gateway that listens on every address and so can't know its own.
    public var publicURL: String?
    /// Who may read and change what.
    public var access = AccessRules()
    /// The origins whose pages may read answers in a browser.
    public var origins = Origins()
    /// What an upstream's JSON may be.
    public var json = JSONLimits()
    /// Whether new requests should go elsewhere; asked by `/readyz`.
    public var isDraining: @Sendable () -> Bool = { false }
    /// Whether the upstream of this name isn't asked for now; shown by `/readyz`, as ``pauses`` are.
    public var isFailing: @Sendable (String) -> Bool = { _ in false }
    /// Whether the Redis that was named is used now; nil where none was; shown by `/readyz`.
    public var isRedisUp: (@Sendable () -> Bool)?
    /// What keeps handlers from their work now, by their names; shown by `/readyz`.
    public var obstacles: @Sendable () -> [String: GatewayError] = { [:] }
    /// Called once for each exchange, when its answer is made, on the loop; for a ``TellingStream`` when it has ended.
    public var observe: (@Sendable (ExchangeRecord) -> Void)?
    /// Called when an upstream request of an exchange begins, on the loop.
    public var progress: (@Sendable (ExchangeRecord) -> Void)?
    /// Called when a part of an answer was got, or could not be got, on the loop.
    public var onPart: (@Sendable (PartRecord) -> Void)?
    /// Pauses that upstreams have asked for; one for all workers with the same plan. Nil: the gateway's own.
    public var pauses: Pauses?
    /// Seconds since 1970, to read the dates of upstreams by.
    public var clock: @Sendable () -> Int = { time(nil) }
    /// The version that `/` shows.
    public var version = ""

    public init() {}

    /// What links in an answer to `request` begin with.
    func linkBase(for request: Request) -> String {
        publicURL ?? request.authority.map { "http://" + $0 } ?? ""
    }
}
