internal import Glibc
public import Plan

/// The folder of exchange files and the folders in which the contracts that they name are looked for.
public struct ExchangeFolder: Sendable {
    let path: String
    let contracts: [String]

    public init(path: String, contracts: [String]) {
        self.path = path
        self.contracts = contracts
    }

    /// The names of the files, in order.
    public var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".md"), name != "README.md" { names.append(name) }
        }
        return names.sorted()
    }

    /// Reads a file.
    /// - Throws: `ExchangeFile.Finding` for the first mistake in it.
    public func file(_ name: String) throws -> ExchangeFile {
        guard let text = ExchangeFolder.read(path + "/" + name) else {
            throw ExchangeFile.Finding(line: 1, text: "the file can't be read")
        }
        return try ExchangeFile(String(decoding: text, as: UTF8.self))
    }

    /// The plan of a file's contract.
    /// - Throws: `ExchangeFile.Finding` where there is no such contract, or for all mistakes in it.
    public func plan(of file: ExchangeFile) throws -> Plan {
        var sources: [(name: String, text: [UInt8])] = []
        switch file.contract {
        case .inline(let text): sources.append(("contract.yaml", Array(text.utf8)))
        case .files(let names): for name in names { sources.append((name, try contract(name))) }
        }
        // What every contract may refer to.
        if !sources.contains(where: { $0.name == "common.yaml" }) {
            sources.append(("common.yaml", try contract("common.yaml")))
        }
        do {
            return try PlanLoader(handlers: ["card", "images"]).load(sources: sources, environment: file.environment)
        } catch {
            throw ExchangeFile.Finding(line: file.contractLine, text: "the contract:\n\(error)")
        }
    }

    private func contract(_ name: String) throws -> [UInt8] {
        for folder in contracts {
            if let text = ExchangeFolder.read(folder + "/" + name) { return text }
        }
        throw ExchangeFile.Finding(line: 1, text: "no contract \(name)")
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            if count == 0 { return text }
            text += piece[..<count]
        }
    }
}
