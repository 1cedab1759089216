/// Paths as texts; nothing here asks the file system.
enum FilePath {
    /// Without `.` and doubled slashes, and without `..` where a name stands before it.
    static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// What stands before the last slash; empty for the current folder.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last part without its ending: `openapi/swapi.yaml` → `swapi`.
    static func stem(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? String(name)
    }

    /// `path` as seen from `folder`; nil where it is absolute.
    static func join(_ folder: String, _ path: String) -> String? {
        guard !path.hasPrefix("/") else { return nil }
        return normalized(folder.isEmpty ? path : folder + "/" + path)
    }

    static func isInside(_ path: String, _ folder: String) -> Bool {
        if folder.isEmpty { return !path.hasPrefix("/") && path != ".." && !path.hasPrefix("../") }
        return path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }
}
