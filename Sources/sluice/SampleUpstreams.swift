internal import Loop
internal import Plan
internal import Sample
internal import Server

/// The sample upstreams as real servers, on a thread of their own.
struct SampleUpstreams {
    private let worker: Worker
    /// Without a path.
    let address: String

    /// Starts them.
    init(host: String = "127.0.0.1", port: Int = 0, log: Log) throws {
        try PortTaken.check(host, port)
        worker = try Worker(limits: ServerLimits(), log: log)
        worker.answer(with: SampleSWAPI())
        let bound = try worker.listen(host: host, port: port)
        address = "http://\(host.contains(":") ? "[\(host)]" : host):\(bound)"
        worker.start()
    }

    /// The variables that point the contracts' upstreams here.
    var variables: [String: String] { ["SWAPI_URL": address + "/api"] }

    /// Whether `base` is one of the samples' addresses.
    func includes(_ base: BaseURL) -> Bool { variables.values.contains { BaseURL($0) == base } }

    func stop() { worker.stop() }
}
