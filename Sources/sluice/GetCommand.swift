internal import Gateway
internal import Glibc
internal import HTTP
internal import Loop
internal import Parameters
internal import Plan

/// `sluice get`: one request through the whole pipeline, without a server.
struct GetCommand {
    let settings: Settings
    let contracts: Contracts
    let target: String

    init(_ settings: Settings, _ contracts: Contracts, _ target: String) {
        self.settings = settings
        self.contracts = contracts
        self.target = target
    }

    func run() -> Int32 {
        guard target.hasPrefix("/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }) else {
            Terminal.error(
                "sluice get: a path begins with / and is percent-encoded, such as '/films/1?expand=starships'.\n")
            return Tool.Exit.usage
        }
        do {
            let loop = try EventLoop()
            let log = Log(level: "error", format: settings.logFormat)
            let samples = settings.isSample ? try SampleUpstreams(log: log) : nil
            defer { samples?.stop() }
            let plan = try contracts.load(overrides: samples?.variables ?? [:])
            if let samples { try StartMistake.checkSamples(samples, plan) }
            let progress = Progress()
            let publicURL = try StartMistake.publicURL(settings) ?? GetCommand.address
            var gateways = try Gateways(plan, settings, publicURL: publicURL)
            gateways.settings.progress = progress.show
            let parts = Parts()
            if settings.isVerbose { gateways.settings.onPart = parts.note }
            // Only what it is asked for is opened, or made.
            let handlers = target.hasPrefix("/images") ? try Handlers(plan, settings, contracts.environment, log) : nil
            defer { handlers?.close() }
            gateways.handlers = handlers?.all ?? Handlers.cards(settings, log, uploads: nil)
            let gateway = try gateways.gateway(on: loop)
            let result = Result(loop: loop)
            loop.start { [target] in
                let response = try? await gateway.respond(to: Request(target: Target(target), authority: nil))
                result.finish(response)
            }
            loop.run()
            progress.clear()
            Terminal.error(parts.lines)
            return show(result.response)
        } catch {
            Terminal.error("\(error)\n")
            return Tool.Exit.failure
        }
    }

    /// The address that `sluice serve` would have with the default host and port.
    private static let address = "http://127.0.0.1:\(Settings().port)"

    private func show(_ response: Response?) -> Int32 {
        guard let response else { return Tool.Exit.failure }
        if case .bytes(let bytes) = response.body {
            Terminal.out(bytes)
            if Terminal.isErrorTerminal, bytes.last != 0x0A { Terminal.error("\n") }
        }
        let type = response.fields[.contentType].map { ", " + $0 } ?? ""
        let timing = response.fields[.serverTiming].map { ", " + $0 } ?? ""
        Terminal.error("\(response.status.code) \(response.status.reason)\(type)\(timing)\n")
        return response.status.code < 400 ? Tool.Exit.success : Tool.Exit.failure
    }

    /// The answer, when it has come; it ends the loop.
    private final class Result: @unchecked Sendable {
        private(set) var response: Response?
        private let loop: EventLoop
        init(loop: EventLoop) { self.loop = loop }

        func finish(_ response: Response?) {
            self.response = response
            loop.stop()
        }
    }
}
