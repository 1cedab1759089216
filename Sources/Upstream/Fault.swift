internal import HTTP

/// Why one attempt gave no answer.
enum Fault: Error, Sendable {
    /// Nobody listens there, or the network says no.
    case refused
    case unresolved
    /// The TLS handshake failed: certificate, name, version.
    case tls
    /// No complete answer within the attempt's time. `isFull`: the upstream had all the time that the plan gives it.
    /// `isConnected`: it was there.
    case timedOut(isFull: Bool, isConnected: Bool = true)
    /// The connection ended before any content of an answer.
    case closed
    /// The connection ended inside an answer's content.
    case cut
    /// A pooled connection that had already ended, or held bytes that nobody asked for: nothing was sent on it.
    case stale
    /// The name leads to an address that isn't allowed.
    case addressRefused
    /// The answer breaks the rules of HTTP; the text says how, in our words.
    case framing(String)
    case tooLarge(limit: Int)
    /// The client request's bytes from upstreams are used up.
    case budgetSpent
    case cancelled
    /// The content of our request could not be read.
    case content(GatewayError)
    /// libcurl gave up for a reason of its own (memory, a broken library).
    case failed

    /// Whether a safe request may be sent once more.
    var isRetryable: Bool {
        switch self {
        case .refused, .closed, .stale: true
        default: false
        }
    }

    /// What the attempt tells about the upstream's health.
    var health: Breaker.Outcome {
        switch self {
        case .refused, .unresolved, .tls, .timedOut(isFull: true, isConnected: false): .down
        case .timedOut(isFull: true, isConnected: true): .silent
        case .closed, .cut: .faltering
        // An upstream that answers oddly answers: that must not close it for other requests.
        case .framing: .odd
        case .tooLarge: .healthy
        case .timedOut(isFull: false, isConnected: _), .stale, .addressRefused, .budgetSpent, .cancelled, .content,
            .failed:
            .unknown
        }
    }

    /// The fault as the world outside this module sees it.
    @inline(never)
    func error(upstream name: String) -> GatewayError {
        if case .content(let error) = self { return error }
        let (code, status, detail): (String, Status, String) =
            switch self {
            case .refused: ("upstream-refused", .badGateway, "The upstream refuses connections.")
            case .unresolved: ("upstream-unresolved", .badGateway, "The upstream's name does not resolve.")
            case .tls:
                (
                    "upstream-tls", .badGateway,
                    "No secure connection: the upstream's certificate or TLS was not accepted."
                )
            case .timedOut: ("upstream-timeout", .gatewayTimeout, "The upstream did not answer in time.")
            case .closed, .stale:
                ("upstream-closed", .badGateway, "The upstream closed the connection without an answer.")
            case .cut:
                ("upstream-closed", .badGateway, "The upstream closed the connection before its answer was complete.")
            case .addressRefused:
                (
                    "address-refused", .badGateway,
                    "The upstream's name leads to an address that is not public; "
                        + "the key `networks` of the upstream in its contract, or --allow-networks, would allow it."
                )
            case .framing(let how): ("upstream-framing", .badGateway, "The upstream's answer is malformed: \(how).")
            case .tooLarge(let limit):
                (
                    "upstream-too-large", .badGateway,
                    "The upstream's answer is larger than the \(limit) bytes that are taken."
                )
            case .budgetSpent:
                (
                    "budget-exceeded", .badGateway,
                    "The upstream's answer takes the request over the bytes it may read from upstreams."
                )
            case .cancelled: ("cancelled", .serviceUnavailable, "The request was given up.")
            case .content(let error): (error.code, error.status, error.detail)
            case .failed: ("upstream-failed", .badGateway, "The request to the upstream could not be made.")
            }
        return GatewayError(source: source(name), code: code, status: status, detail: detail)
    }

    private func source(_ name: String) -> GatewayError.Source {
        switch self {
        case .cancelled: .client
        case .failed: .gateway
        default: .upstream(name)
        }
    }

    /// The word that counts are kept under.
    var word: String { error(upstream: "").code }
}
