internal import Glibc
internal import Parameters

/// The folder for what is kept between runs.
enum StateFolder {
    /// Makes the folder that `--state` names.
    /// - Throws: where that can't be done, or nothing can be written there.
    static func make(_ path: String) throws(StartMistake) {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw mistake(path, "can't be made", errno) }
        guard access(path, W_OK | X_OK) == 0 else { throw mistake(path, "can't be written to", errno) }
    }

    /// Makes the folder that nobody had to name: `sluice` below `$XDG_STATE_HOME`, else below `~/.local/state` (XDG Base Directory
    /// Specification 0.8).
    /// - Returns: nil where there is no home for it.
    static func makeDefault(_ environment: [String: String]) -> String? {
        // Relative ones don't count.
        let homes = [("XDG_STATE_HOME", ""), ("HOME", "/.local/state")]
        let base = homes.compactMap { name, rest in
            environment[name].flatMap { $0.hasPrefix("/") ? $0 + rest : nil }
        }.first
        guard let base else { return nil }
        let path = base + "/sluice"
        var slash = path.index(after: path.startIndex)
        while let next = path[slash...].firstIndex(of: "/") {
            _ = mkdir(String(path[..<next]), 0o700)
            slash = path.index(after: next)
        }
        return (try? make(path)) == nil ? nil : path
    }

    private static func mistake(_ path: String, _ what: String, _ code: Int32) -> StartMistake {
        StartMistake(description: "--state: \(path) \(what): \(String(cString: strerror(code)))")
    }
}
