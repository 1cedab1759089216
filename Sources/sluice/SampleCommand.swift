internal import Glibc
internal import Loop
internal import Parameters

/// `sluice sample`: the sample upstreams alone.
struct SampleCommand {
    let settings: Settings
    init(_ settings: Settings) { self.settings = settings }

    func run() -> Int32 {
        do {
            let loop = try EventLoop()
            let log = Log(level: settings.logLevel, format: settings.logFormat)
            let samples = try SampleUpstreams(host: settings.host, port: settings.port, log: log)
            let signals = try [SIGTERM, SIGINT].map { try SignalWatch(loop: loop, signal: $0) { loop.stop() } }
            Terminal.out(samples.description)
            withExtendedLifetime(signals) { loop.run() }
            samples.stop()
            return Tool.Exit.success
        } catch {
            Terminal.error("\(error)\n")
            return Tool.Exit.failure
        }
    }
}
