public import HTTP

/// What one worker has counted of its exchanges with clients and with upstreams; or, added together, what all have. Every key is from a
/// bounded set: route templates and upstream names of the contracts, methods, statuses, codes of errors.
public struct ExchangeFigures: Sendable {
    /// Of one route, or one upstream.
    public struct Line: Sendable {
        /// By method (empty for upstreams) and status or error.
        public private(set) var counts: [(method: String, code: String, count: Int)] = []
        public private(set) var durations = Histogram()
        public private(set) var bytes = 0

        mutating func note(_ method: String, _ code: String, count: Int = 1) {
            // A handful; a walk is cheaper than a hash.
            if let place = counts.firstIndex(where: { $0.code == code && $0.method == method }) {
                counts[place].count += count
            } else {
                counts.append((method, code, count))
            }
        }

        mutating func note(_ duration: Duration, bytes: Int) {
            durations.note(duration)
            self.bytes &+= bytes
        }

        mutating func add(_ other: Line) {
            for (method, code, count) in other.counts { note(method, code, count: count) }
            durations.add(other.durations)
            bytes &+= other.bytes
        }
    }

    /// By route template; `-` where nothing answers.
    public private(set) var routes: [String: Line] = [:]
    /// By upstream.
    public private(set) var upstreams: [String: Line] = [:]
    /// Answered problems by their codes.
    public private(set) var errors: [String: Int] = [:]
    /// Links that were to be followed and could not be.
    public private(set) var missingParts = 0

    public init() {}

    /// Notes an exchange with a client.
    /// - Parameter failure: the code of the problem that was answered.
    public mutating func answered(
        _ method: Method, route: String?, _ status: Status, failure: String?, missingParts: Int, in duration: Duration
    ) {
        routes[route ?? "-", default: Line()].note(method.rawValue, ExchangeFigures.code(status))
        routes[route ?? "-", default: Line()].note(duration, bytes: 0)
        if let failure { errors[failure, default: 0] += 1 }
        self.missingParts += missingParts
    }

    /// Notes one attempt of a request to an upstream.
    /// - Parameters:
    ///   - status: nil where it got no answer.
    ///   - bytes: of the answer's content, decoded.
    public mutating func attempted(_ upstream: String, _ status: Status?, bytes: Int, in duration: Duration) {
        upstreams[upstream, default: Line()].note("", status.map(ExchangeFigures.code) ?? "none")
        upstreams[upstream, default: Line()].note(duration, bytes: bytes)
    }

    public mutating func add(_ other: ExchangeFigures) {
        for (name, line) in other.routes { routes[name, default: Line()].add(line) }
        for (name, line) in other.upstreams { upstreams[name, default: Line()].add(line) }
        for (code, count) in other.errors { errors[code, default: 0] += count }
        missingParts += other.missingParts
    }

    /// A status that HTTP names by its digits; others by their class, so that nobody can make up labels.
    private static func code(_ status: Status) -> String {
        status.reason.isEmpty ? "\(status.code / 100)xx" : String(status.code)
    }
}
