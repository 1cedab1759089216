internal import Cards
internal import Parameters

/// The command line: finds the command, reads its flags and runs it.
struct Tool {
    static let version = "0.1.0"

    /// Exit statuses: all is well; the work failed; the command line is wrong.
    enum Exit {
        static let success: Int32 = 0
        static let failure: Int32 = 1
        static let usage: Int32 = 2
    }

    let environment: [String: String]

    func run(_ arguments: [String]) -> Int32 {
        guard let first = arguments.first else {
            Terminal.error(Help.overview)
            return Exit.usage
        }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--version", "version":
            Terminal.out("sluice \(Tool.version)\n")
            return Exit.success
        case "--help", "-h", "help": return help(rest)
        // Started by the gateway itself; no command for people.
        case DrawingProcess.command: DrawingProcess.run(rest)
        default: break
        }
        guard let command = Parameter.Command(rawValue: first) else {
            return refuse("sluice: there is no command \"\(first)\"; `sluice help` lists them.\n")
        }
        let flags = rest.prefix { $0 != "--" }
        if flags.contains("--help") || flags.contains("-h") { return help([first]) }
        do throws(ParameterMistakes) {
            let (settings, operands) = try Settings.resolve(command, arguments: rest, environment: environment)
            return run(command, settings, operands)
        } catch {
            return refuse("\(error)\n`sluice help \(first)` shows every flag.\n")
        }
    }

    private func run(_ command: Parameter.Command, _ settings: Settings, _ operands: [String]) -> Int32 {
        var settings = settings
        switch command {
        case .serve, .check, .routes:
            if !operands.isEmpty { settings.contracts = operands }
            let contracts = Contracts(settings, environment)
            return switch command {
            case .serve: ServeCommand(settings, contracts).run()
            case .check: CheckCommand(contracts).run()
            default: RoutesCommand(contracts).run()
            }
        case .get:
            guard let target = operands.first, operands.count == 1 else {
                return refuse("sluice get: name one path, such as `sluice get '/films/1?expand=starships'`.\n")
            }
            return GetCommand(settings, Contracts(settings, environment), target).run()
        case .upload:
            guard let file = operands.first, operands.count == 1 else {
                return refuse("sluice upload: name one file, such as `sluice upload picture.png`.\n")
            }
            return UploadCommand(settings, file, key: environment["SLUICE_KEY"] ?? "").run()
        case .sample, .health:
            guard operands.isEmpty else { return refuse("sluice \(command.rawValue): takes flags only.\n") }
            return command == .sample ? SampleCommand(settings).run() : HealthCommand(settings).run()
        }
    }

    private func help(_ arguments: [String]) -> Int32 {
        guard let name = arguments.first else {
            Terminal.out(Help.overview)
            return Exit.success
        }
        if name == "parameters" {
            Terminal.out(ParameterTable.markdown())
            return Exit.success
        }
        guard let command = Parameter.Command(rawValue: name) else {
            return refuse("sluice: there is no command \"\(name)\"; `sluice help` lists them.\n")
        }
        Terminal.out(Help.text(for: command))
        return Exit.success
    }

    private func refuse(_ text: String) -> Int32 {
        Terminal.error(text)
        return Exit.usage
    }
}
