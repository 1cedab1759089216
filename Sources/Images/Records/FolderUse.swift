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
