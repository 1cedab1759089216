internal import Glibc

/// A file for each upload under way, made before anything is sent: what is left of them when a process ends tells what it didn't bring to its end.
///
/// Each has room for a record from the beginning, so that a delete hash can be noted where the database can't be written any more, on a full disk
/// too; and none is needed to take it away again. From one thread.
struct UploadJournal: Sendable {
    /// One upload that didn't come to its end.
    struct Entry {
        var token: String
        /// What was noted; nil where nothing was.
        var note: (record: ImageRecord, owner: String?)?
    }

    private let folder: String

    /// The longest record with every character escaped is shorter.
    private static let room = 8 << 10

    /// - Parameter folder: is made where it is missing.
    init(folder: String) {
        self.folder = folder
        mkdir(folder, 0o700)
    }

    /// Makes the file of an upload; it is on the disk when this returns.
    func begin(_ token: String) throws(DatabaseError) {
        let descriptor = open(path(token), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
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

    func entry(_ token: String) -> Entry? {
        let descriptor = open(path(token), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: UploadJournal.room)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Entry(token: token, note: ImageRecord.read(Array(bytes.prefix(max(0, count)).prefix { $0 != 0 })))
    }

    /// Those of all uploads that didn't come to their end, in no order.
    func entries() -> [Entry] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var entries: [Entry] = []
        while let next = readdir(directory) {
            let name = withUnsafePointer(to: &next.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            if !name.hasPrefix("."), let entry = entry(name) { entries.append(entry) }
        }
        return entries
    }

    private func path(_ token: String) -> String { folder + "/" + token }

    /// Brings the names in the folder to the disk.
    /// - Returns: zero, or `errno`.
    private func writeFolder() -> CInt {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 ? 0 : errno
    }
}
