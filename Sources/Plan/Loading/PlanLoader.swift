internal import Glibc

/// Which requests need a client's key.
public enum KeyNeed: Sendable { case nothing, changes, everything }

/// Makes plans from contracts: reads, checks everything, and reports every mistake at once. It runs at start and on reload, on
/// any thread, and blocks while it reads files.
public struct PlanLoader: Sendable {
    private let deadline: Duration
    private let limits: BudgetLimits
    private let handlers: Set<String>
    private let keyNeed: KeyNeed

    /// - Parameters:
    ///   - deadline: of operations that have none of their own.
    ///   - limits: of operations that say nothing else.
    ///   - handlers: the names that `x-sluice: {handler: …}` may have.
    ///   - keyNeed: which requests need a client's key, for the document.
    public init(
        deadline: Duration = .seconds(10), limits: BudgetLimits = BudgetLimits(), handlers: Set<String> = [],
        keyNeed: KeyNeed = .nothing
    ) {
        self.deadline = deadline
        self.limits = limits
        self.handlers = handlers
        self.keyNeed = keyNeed
    }

    /// Reads contracts from files.
    ///
    /// - Parameters:
    ///   - files: OpenAPI documents in YAML or JSON, or folders of which every `.yaml`, `.yml` and `.json` file is read, in the
    ///     order of their names.
    ///   - environment: what `${NAME}` in the upstreams stands for; `NAME_FILE` names a file that holds the value.
    /// - Throws: every mistake in them.
    public func load(files: [String], environment: [String: String]) throws(ContractMistakes) -> Plan {
        let names = files.flatMap { path in
            File.names(in: path)?.filter(PlanLoader.isContract).map { path + "/" + $0 } ?? [path]
        }
        return try load(names: names, environment: environment, source: File.read, secrets: File.read)
    }

    /// Reads contracts from memory; `$ref` finds other files among the sources.
    ///
    /// - Parameters:
    ///   - sources: each file's name and bytes. Only those that no other one refers to need to hold paths.
    ///   - secrets: reads the files that `NAME_FILE` names.
    /// - Throws: every mistake in them.
    public func load(
        sources: [(name: String, text: [UInt8])], environment: [String: String] = [:],
        secrets: @escaping FileSource = { _ in .failure(FileFailure(reason: "No such file or directory")) }
    ) throws(ContractMistakes) -> Plan {
        let texts = Dictionary(sources.map { (FilePath.normalized($0.name), $0.text) }) { first, _ in first }
        return try load(
            names: sources.map(\.name), environment: environment,
            source: { texts[$0].map(Result.success) ?? .failure(FileFailure(reason: "No such file or directory")) },
            secrets: secrets)
    }

    private func load(
        names: [String], environment: [String: String], source: @escaping FileSource, secrets: @escaping FileSource
    ) throws(ContractMistakes) -> Plan {
        let contract = Contract(names: names, source: source)
        let interpolation = Interpolation(environment: environment, secrets: secrets, mistakes: contract.mistakes)
        var builder = PlanBuilder(
            contract, interpolation, deadline: deadline, limits: limits, handlers: handlers, keyNeed: keyNeed)
        let plan = builder.build()
        guard let plan, contract.mistakes.isEmpty else {
            throw ContractMistakes(contract.mistakes.sorted(files: contract.names))
        }
        return plan
    }

    private static func isContract(_ name: String) -> Bool {
        !name.hasPrefix(".") && [".yaml", ".yml", ".json"].contains { name.hasSuffix($0) }
    }
}

/// Files through the C library.
private enum File {
    /// The names in a folder, sorted; nil where `path` is none.
    static func names(in path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                    String(cString: $0)
                }
            }
            names.append(name)
        }
        return names.sorted()
    }

    /// All bytes of a file, read no further than the reader's limit and one byte.
    static func read(_ path: String) -> Result<[UInt8], FileFailure> {
        if path.isEmpty { return .failure(FileFailure(reason: "an empty name")) }
        // Opening a pipe would wait for whoever writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(failure()) }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return .failure(failure()) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            return .failure(FileFailure(reason: "something that is no file"))
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= YAMLReader.maximumBytes {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(failure()) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return .success(bytes)
    }

    private static func failure() -> FileFailure {
        FileFailure(reason: strerror(errno).map { String(cString: $0) } ?? "error \(errno)")
    }
}
