internal import Gateway
internal import Glibc
internal import HTTP
internal import Parameters
internal import Plan

/// Who may ask this gateway for what, as its settings and its files of keys say now.
struct Access: Sendable {
    let rules: AccessRules
    let origins: Origins

    /// The variable that holds keys. It is no flag: whoever lists the processes could read it there.
    static let variable = "SLUICE_CLIENT_KEYS"

    /// - Throws: what can't be used, without any part of a key.
    init(_ settings: Settings, _ environment: [String: String]) throws(ParameterMistake) {
        rules = try AccessRules(
            keys: try Access.keys(settings, environment), isLoopback: AccessRules.isLoopback(host: settings.host),
            opensWrites: settings.opensWrites, requiresKey: settings.requiresKey)
        origins = try Origins(list: settings.crossOrigins)
    }

    private static func keys(
        _ settings: Settings, _ environment: [String: String]
    ) throws(ParameterMistake) -> ClientKeys? {
        let list = environment[variable] ?? ""
        guard !settings.clientKeysFile.isEmpty else {
            return list.isEmpty ? nil : try ClientKeys(list: list, source: variable)
        }
        guard list.isEmpty else {
            throw ParameterMistake(
                source: "--client-keys-file", found: "keys in \(variable) beside it", expected: "one of the two")
        }
        return try ClientKeys(file: try text(of: settings.clientKeysFile), source: settings.clientKeysFile)
    }

    private static func text(of path: String) throws(ParameterMistake) -> String {
        func mistake(_ found: String) -> ParameterMistake {
            ParameterMistake(source: "--client-keys-file", found: found, expected: "a file with a key on each line")
        }
        // Opening a pipe would wait for whoever writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw mistake("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= largestFile {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw mistake("\(path): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        guard bytes.count <= largestFile else { throw mistake("\(path), which is larger than 1MiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw mistake("\(path) with bytes that are no UTF-8")
        }
        return text
    }

    private static let largestFile = 1 << 20

    /// What the document says of keys.
    var keyNeed: KeyNeed {
        if rules.readsNeedKey { return .everything }
        return rules.writes == .open ? .nothing : .changes
    }

    /// What whoever started the gateway should know; nil where there is nothing to say.
    func warning(_ plan: Plan, _ settings: Settings) -> String? {
        guard plan.operations.contains(where: { !$0.method.isSafe }) else { return nil }
        switch rules.writes {
        case .keyed: return nil
        case .closed:
            return "requests that change something answer 403 until client keys are set (\(Access.variable)), "
                + "or --open-writes lets everybody"
        case .open where AccessRules.isLoopback(host: settings.host): return nil
        case .open: return "everybody who reaches \(settings.host) may change and delete things (--open-writes)"
        }
    }
}
