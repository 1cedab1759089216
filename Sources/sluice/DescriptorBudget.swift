internal import Glibc
internal import Parameters
internal import Plan
internal import Server

/// How the descriptors that the process may open are shared out: a listener that takes more clients than there are descriptors for could
/// reach no upstream any more.
struct DescriptorBudget {
    /// For the loops, listeners, contracts and log.
    private static let reserve = 64
    private let limit: Int
    private let upstreams: Int

    /// Raises the soft limit (RLIMIT_NOFILE) to the hard one.
    init(_ plan: Plan) {
        var current = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &current)
        if current.rlim_cur < current.rlim_max {
            current.rlim_cur = current.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &current)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &current)
        }
        limit = Int(clamping: current.rlim_cur)
        upstreams = plan.upstreams.reduce(0) { $0 + $1.concurrency }
    }

    /// The limits of each worker's server.
    /// - Throws: `TooFewDescriptors` where the clients that the settings allow don't fit.
    func limits(_ settings: Settings, workers: Int) throws(TooFewDescriptors) -> ServerLimits {
        let left = limit - upstreams - DescriptorBudget.reserve
        let wanted = settings.maximumConnections == 0 ? min(max(left, 1), 100_000) : settings.maximumConnections
        guard wanted <= left else {
            throw TooFewDescriptors(needed: wanted + upstreams + DescriptorBudget.reserve, limit: limit)
        }
        var limits = ServerLimits(settings)
        limits.connections = max(1, wanted / workers)
        return limits
    }
}

/// The process may not open as many files as the settings need.
struct TooFewDescriptors: Error, CustomStringConvertible {
    let needed: Int
    let limit: Int
    var description: String {
        "sluice: \(needed) open files are needed (clients, upstream connections, 64 more), but the limit is \(limit): "
            + "raise it (ulimit -n) or lower --max-connections"
    }
}
