internal import Glibc
internal import HTTP
public import JSON

/// What a gateway is told besides its plan.
public struct GatewaySettings: Sendable {
    /// What links to this gateway begin with, without a slash at the end (`https://films.example`). Nil: the `Host` that each
    /// request names, for a gateway that listens on every address and so can't know its own.
    public var publicURL: String?
    /// What an upstream's JSON may be.
    public var json = JSONLimits()
    /// Whether new requests should go elsewhere; asked by `/readyz`.
    public var isDraining: @Sendable () -> Bool = { false }
    /// Whether the upstream of this name fails again and again, so that it isn't asked for now; shown by `/readyz`.
    public var isFailing: @Sendable (String) -> Bool = { _ in false }
    /// Called once for each exchange, when its answer is made, on the loop.
    public var observe: (@Sendable (ExchangeRecord) -> Void)?
    /// Called when an upstream request of an exchange begins, on the loop.
    public var progress: (@Sendable (ExchangeRecord) -> Void)?
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
