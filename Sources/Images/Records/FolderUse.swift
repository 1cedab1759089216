internal import Glibc

/// A mark that this process uses a folder; the kernel takes it away when the process ends, however that comes about.
final class FolderUse: Sendable {
    /// Whether no other process had the folder in use.
    let wasUnused: Bool
    private let descriptor: CInt

    /// Nil where the mark can't be made.
    init?(_ folder: String) {
        descriptor = open(folder + "/images.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
        wasUnused = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Lets other processes use the folder too.
    func share() { _ = flock(descriptor, LOCK_SH) }

    deinit { close(descriptor) }
}

/// A name for this process in a folder that it may share with others, by which they can tell whether it lives: a file of that name, which it holds.
final class ProcessMark: Sendable {
    let name: String
    private let path: String
    private let descriptor: CInt

    /// Nil where the file can't be made, or somebody else took it just then.
    init?(_ folder: String) {
        name = String(UInt64.random(in: .min ... .max), radix: 36)
        path = ProcessMark.path(folder, name)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
        // Whoever clears up may have come between.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, FileIdentity(path) != nil else {
            close(descriptor)
            return nil
        }
    }

    /// Takes the file away: who looks for this process finds that it is over.
    func end() { unlink(path) }

    deinit { close(descriptor) }

    /// Whether the process of that name lives, as far as one can tell.
    static func isAlive(_ name: some StringProtocol, _ folder: String) -> Bool {
        FileIdentity(path(folder, String(name))) != nil
    }

    /// Takes away the files of processes that have ended without doing so.
    static func clearUp(_ folder: String) {
        for file in Directory.names(folder) where file.hasPrefix(prefix) {
            let descriptor = open(folder + "/" + file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0 { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(folder + "/" + file) }
            close(descriptor)
        }
    }

    private static let prefix = "images.process-"
    private static func path(_ folder: String, _ name: String) -> String { folder + "/" + prefix + name }
}

/// A file, whatever its name is.
struct FileIdentity: Equatable {
    let device: dev_t
    let number: ino_t

    /// Nil where there is no such file.
    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        (device, number) = (facts.st_dev, facts.st_ino)
    }
}

enum Directory {
    /// What is in a folder, in no order; nothing where it can't be read.
    static func names(_ folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let next = readdir(directory) {
            let name = withUnsafePointer(to: &next.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
