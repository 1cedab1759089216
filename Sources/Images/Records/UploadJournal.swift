internal import Glibc

/// A file for each upload under way, made before anything is sent: what is left of them when a process ends tells what it didn't bring to its end.
///
/// Each has room for a record from the beginning, so that a delete hash can be noted where the database can't be written any more, on a full disk
/// too; and none is needed to take it away again. From one thread.
struct UploadJournal: Sendable {
    /// One upload that didn't come to its end.
    struct Entry {
        var file: String
        var token: String
        /// Whose it is; nil where it has no name.
        var process: String?
        /// What was noted; nil where nothing was.
        var note: (record: ImageRecord, owner: String?)?
    }

    private let folder: String
    /// Whose uploads they are: by its name others know that they are not over. Nil where it could not be made.
    private let process: ProcessMark?

    /// The longest record with every character escaped is shorter.
    private static let room = 8 << 10

    /// - Parameters:
    ///   - folder: of the records; the files are in one of their own there, which is made where it is missing.
    ///   - process: this one.
    init(folder: String, process: ProcessMark?) {
        self.folder = folder
        self.process = process
        mkdir(folder + "/uploads", 0o700)
    }

    /// Makes the file of an upload; it is on the disk when this returns.
    func begin(_ token: String) throws(DatabaseError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        var descriptor = open(path(token), flags, 0o600)
        if descriptor < 0, errno == ENOENT, mkdir(folder + "/uploads", 0o700) == 0 {
            // Somebody has cleared up.
            descriptor = open(path(token), flags, 0o600)
        }
        guard descriptor >= 0 else { throw DatabaseError(errno: errno) }
        var failure = posix_fallocate(descriptor, 0, off_t(UploadJournal.room))
        if failure == 0, fsync(descriptor) != 0 { failure = errno }
        close(descriptor)
        if failure == 0 { failure = writeFolder() }
        guard failure == 0 else {
            end(token)
            throw DatabaseError(errno: failure)
        }
    }

    /// Writes the record of an upload into its file.
    /// - Returns: whether it is on the disk.
    func note(_ token: String, _ record: ImageRecord, of owner: String?) -> Bool {
        let bytes = record.shared(of: owner).bytes
        let descriptor = open(path(token), O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard bytes.count <= UploadJournal.room, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            return false
        }
        return fdatasync(descriptor) == 0
    }

    func end(_ token: String) { unlink(path(token)) }
    func end(_ entry: Entry) { unlink(folder + "/uploads/" + entry.file) }

    /// One of this process.
    func entry(_ token: String) -> Entry? { read(file(token)) }

    private func read(_ file: String) -> Entry? {
        let descriptor = open(folder + "/uploads/" + file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: UploadJournal.room)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let parts = file.split(separator: ".", maxSplits: 1)
        return Entry(
            file: file, token: String(parts.last ?? ""),
            process: parts.count == 2 ? parts.first.map { String($0) } : nil,
            note: ImageRecord.read(Array(bytes.prefix(max(0, count)).prefix { $0 != 0 })))
    }

    /// Those of all uploads whose process has ended before them, in no order.
    /// - Parameter isAlone: whether no other process uses the folder, so that those without the name of one are over too.
    func entries(isAlone: Bool) -> [Entry] {
        ProcessMark.clearUp(folder)
        return Directory.names(folder + "/uploads").compactMap { read($0) }.filter { entry in
            entry.process.map { !ProcessMark.isAlive($0, folder) } ?? isAlone
        }
    }

    private func path(_ token: String) -> String { folder + "/uploads/" + file(token) }
    private func file(_ token: String) -> String { (process.map { $0.name + "." } ?? "") + token }

    /// Brings the names in the folder to the disk.
    /// - Returns: zero, or `errno`.
    private func writeFolder() -> CInt {
        let descriptor = open(folder + "/uploads", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 ? 0 : errno
    }
}
