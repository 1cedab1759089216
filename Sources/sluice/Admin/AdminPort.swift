internal import Admin
internal import Gateway
internal import HTTP
internal import Loop
internal import Parameters
internal import Plan
internal import Redis
internal import Server
internal import Threads

/// The admin port: a listener, a loop and a thread of its own, so that its load delays no client and it answers while workers are busy.
final class AdminPort: Sendable {
    /// Where people and scrapers on this machine reach it.
    let address: String
    private let worker: Worker
    private let access: AdminAccess
    private let log: Log
    /// What is served now; new contracts bring another.
    private let current = Locked<Gateways?>(nil)

    /// Connections at once.
    private static let connectionLimit = 32

    /// Binds the listener. Nil where the settings want none.
    /// - Throws: `StartMistake` for a missing or bad key, `PortTaken` and `ServerError` where it can't listen.
    init?(_ settings: Settings, _ environment: [String: String], _ log: Log) throws {
        guard settings.adminPort != 0 else { return nil }
        let host = settings.adminHost
        let key = try StartMistake.adminKey(environment)
        if key == nil { try StartMistake.checkLoopback(host) }
        try PortTaken.check(host, settings.adminPort, flag: "--admin-port")
        var limits = ServerLimits()
        limits.connections = AdminPort.connectionLimit
        worker = try Worker(limits: limits, log: log)
        let port = try worker.listen(host: host, port: settings.adminPort)
        address = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        access = AdminAccess(key: key, host: host)
        self.log = log
    }

    /// Serves what these workers and their gateways do.
    /// - Parameter localAddresses: where clients reach them.
    func start(workers: [Worker], _ gateways: Gateways, _ redis: RedisLayer?, localAddresses: [String]) throws {
        replace(gateways)
        let metrics = Metrics(workers: workers, redis: redis, loop: worker.loop, log: log)
        worker.answer(
            with: AdminPages(
                access: access,
                work: AdminPages.Work(
                    metrics: { [current] exposition in
                        guard let gateways = current.withLock({ $0 }) else { return }
                        await metrics.write(gateways, to: &exposition)
                    },
                    readiness: { [current] in
                        guard let gateways = current.withLock({ $0 }) else {
                            return Response(status: .serviceUnavailable)
                        }
                        return Response(readinessOf: gateways.plan, gateways.settings)
                    },
                    drop: { [current] purge throws(GatewayError) in
                        guard let gateways = current.withLock({ $0 }) else { return 0 }
                        return try gateways.drop(purge, localAddresses: localAddresses)
                    },
                    reachesOthers: { [current] in
                        guard let redis, current.withLock({ $0?.cache }) != nil else { return nil }
                        return redis.counts.isConnected
                    })))
        try worker.start()
    }

    /// Goes over to new contracts.
    func replace(_ gateways: Gateways) { current.withLock { $0 = gateways } }

    func stop() { worker.stop() }
}

extension StartMistake {
    /// The key of the admin port; nil where none is set.
    static func adminKey(_ environment: [String: String]) throws(StartMistake) -> AdminKey? {
        guard let text = try secret("SLUICE_ADMIN_KEY", environment) else { return nil }
        guard let key = AdminKey(text) else {
            throw StartMistake(
                description: "SLUICE_ADMIN_KEY: found a key that can't be used, expected "
                    + "\(AdminKey.minimumLength) or more visible ASCII characters without blanks")
        }
        return key
    }

    /// - Throws: where other machines may reach `host`.
    static func checkLoopback(_ host: String) throws(StartMistake) {
        let addresses = TCPAddress.resolve(host, port: 0)
        if addresses.allSatisfy(\.isLoopback) { return }
        throw StartMistake(
            description: "--admin-host: \(host) can be reached from other machines, so the admin port needs a key: set "
                + "SLUICE_ADMIN_KEY, or SLUICE_ADMIN_KEY_FILE to a file that holds it, or listen on 127.0.0.1")
    }

    /// What a variable holds, or the file that the variable with `_FILE` behind its name means; nil where neither is set.
    static func secret(_ name: String, _ environment: [String: String]) throws(StartMistake) -> String? {
        if let text = environment[name], !text.isEmpty { return text }
        guard let path = environment[name + "_FILE"], !path.isEmpty else { return nil }
        guard let text = SmallFile.text(path) else {
            throw StartMistake(description: "\(name)_FILE: \(path) can't be read, expected a file of text")
        }
        return text.isEmpty ? nil : text
    }
}
