internal import Glibc
internal import HTTP
internal import Threads

/// The records of uploaded images, in SQLite on a thread of its own. All workers share one; other processes may use the same file.
public final class RecordStore: Sendable {
    /// Uploads that were under way when an earlier process ended: each may have left an image at Imgur that nobody can delete from here.
    public let unfinished: Int
    /// Uploads of an earlier process whose records were written only now.
    public let completed: Int

    /// The content of the shared store that an earlier process has trusted.
    let formerLife: String?

    private let thread = StoreThread()
    private let holder: Holder
    private let use: FolderUse?
    private let folder: String?
    /// What the name of the records' file stood for when it was opened.
    private let file: FileIdentity?
    /// The same of the log in which SQLite keeps what it will write there; nil where there is none.
    private let log: FileIdentity?
    private let process: ProcessMark?
    /// Nil where the records are in memory.
    private let journal: UploadJournal?
    /// Uploads whose records were noted there and have to be written yet.
    private let noted = Locked<[UploadJournal.Entry]>([])

    /// Confined to the store's thread once that runs.
    private final class Holder: @unchecked Sendable {
        let database: Database
        init(_ database: Database) { self.database = database }
    }

    /// How long work may wait for its turn, and then for another process, in milliseconds.
    private let patience: Int

    /// - Parameter folder: exists and can be written to; nil keeps the records in memory, for as long as the program runs.
    public convenience init(folder: String?) throws(RecordsUnusable) { try self.init(folder: folder, patience: 5000) }

    init(folder: String?, patience: Int) throws(RecordsUnusable) {
        self.folder = folder
        self.patience = patience
        use = folder.flatMap { FolderUse($0) }
        let database = try RecordSchema.open(folder: folder, patience: patience)
        holder = Holder(database)
        var life: String?
        try? database.run("SELECT life FROM sharing") { life = $0.text(0) }
        formerLife = life
        file = folder.flatMap { FileIdentity($0 + RecordStore.fileName) }
        log = folder.flatMap { FileIdentity($0 + RecordStore.fileName + "-wal") }
        let process = folder.flatMap { ProcessMark($0) }
        self.process = process
        journal = folder.map { UploadJournal(folder: $0, process: process) }
        // The uploads of a process that lives are not over.
        let left = RecordStore.settleAll(of: journal, database, isAlone: use?.wasUnused == true)
        (unfinished, completed) = (left.unfinished, left.completed)
        noted.withLock { $0 = left.noted }
        use?.share()
        do throws(Thread.StartError) {
            try thread.start()
        } catch {
            throw RecordsUnusable(folder ?? "memory", "can't be used: \(error).")
        }
    }

    /// Whether the folder's file system has room for the records of all uploads that may be under way. Asks the kernel, not the disk.
    var hasRoom: Bool {
        guard let folder else { return true }
        var facts = statvfs()
        guard statvfs(folder, &facts) == 0 else { return true }
        return facts.f_bavail.multipliedReportingOverflow(by: facts.f_frsize).partialValue >= RecordStore.leastRoom
    }

    private static let leastRoom: UInt = 1 << 20

    /// Whether the file that is open is still the one in the folder: what is written to one that was deleted is lost. Asks the kernel, not the disk.
    var isInPlace: Bool {
        guard let folder else { return true }
        let path = folder + RecordStore.fileName
        return file != nil && FileIdentity(path) == file && (log == nil || FileIdentity(path + "-wal") == log)
    }

    private static let fileName = "/images.db"

    /// - Throws: 503 where the file isn't in its place, or there is no room for more.
    func checkPlace() throws(GatewayError) {
        guard isInPlace else { throw .recordsUnavailable("their file was moved or deleted") }
        guard hasRoom else { throw .recordsUnavailable(DatabaseError.Kind.full.rawValue) }
    }

    /// Finishes what waits. Nothing may be asked after that.
    public func close() {
        _ = thread.submit { [self] in settleNoted(holder.database) }
        thread.stop()
        process?.end()
    }

    /// Does `body` on the store's thread and comes back to the caller's executor. While another process holds the database each statement
    /// takes long, so that what has waited too long for its turn is refused: whoever asked for it gets an answer in time.
    /// - Parameter hasHappened: what is written down is done already, so that the writing waits as long as it must.
    /// - Throws: 503 where the database refuses, or too much waits for it.
    func perform<Value: Sendable>(
        hasHappened: Bool = false, _ body: @escaping @Sendable (Database) throws(DatabaseError) -> Value
    ) async throws(GatewayError) -> Value {
        let end = ContinuousClock.now.advanced(by: .milliseconds(patience))
        let result: Result<Value, DatabaseError>? = await withCheckedContinuation { continuation in
            let isTaken = thread.submit { [holder] in
                guard hasHappened || .now < end else { return continuation.resume(returning: nil) }
                do throws(DatabaseError) {
                    continuation.resume(returning: .success(try body(holder.database)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !isTaken { continuation.resume(returning: nil) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw .recordsUnavailable(error.kind.rawValue)
        case nil: throw .recordsUnavailable("too much waits for it")
        }
    }

    // MARK: Uploads

    /// Notes that an upload begins, which also tells whether its record can be written later. Records that had to wait are written first.
    /// - Returns: how many of them there were.
    func begin(_ token: String) async throws(GatewayError) -> Int {
        try await perform { database throws(DatabaseError) in
            let settled = self.settleNoted(database)
            try self.journal?.begin(token)
            do throws(DatabaseError) {
                try RecordStore.tryWriting(database)
            } catch {
                self.journal?.end(token)
                throw error
            }
            return settled
        }
    }

    /// Notes that nothing came of an upload.
    func abandon(_ token: String) async {
        _ = try? await perform(hasHappened: true) { _ throws(DatabaseError) in self.journal?.end(token) }
    }

    /// Puts the record of an upload where it outlives the process, though the database can't be written.
    /// - Returns: whether that was possible.
    func note(_ record: ImageRecord, of owner: String?, token: String) async -> Bool {
        let isNoted = try? await perform(hasHappened: true) { _ throws(DatabaseError) in
            self.journal?.note(token, record, of: owner)
        }
        return isNoted == true
    }

    /// Has the record that was noted written as soon as records can be: before the next upload, or at the next start.
    func keepLater(_ token: String) {
        _ = thread.submit { [noted, journal] in
            if let entry = journal?.entry(token) { noted.withLock { $0.append(entry) } }
        }
    }

    /// On the store's thread. What fails is tried again the next time.
    /// - Returns: how many records were written.
    @discardableResult
    private func settleNoted(_ database: Database) -> Int {
        guard let journal else { return 0 }
        let entries = noted.withLock { $0 }
        let left = entries.filter { (try? RecordStore.settle($0, of: journal, database)) == nil }
        noted.withLock { $0 = left + $0.dropFirst(entries.count) }
        return entries.count - left.count
    }

    /// What was found of an earlier process.
    private struct Left {
        var unfinished = 0
        var completed = 0
        var noted: [UploadJournal.Entry] = []
    }

    /// Writes what an earlier process has noted, and counts what it has left without a word. A full disk stops nobody from reading.
    private static func settleAll(of journal: UploadJournal?, _ database: Database, isAlone: Bool) -> Left {
        var left = Left()
        // Of a version that had no files for them.
        if isAlone, (try? database.run("DELETE FROM uploads")) != nil { left.unfinished = database.changes }
        guard let journal else { return left }
        for entry in journal.entries(isAlone: isAlone) {
            do throws(DatabaseError) {
                switch try settle(entry, of: journal, database) {
                case .wasKept: break
                case .isKept: left.completed += 1
                case .isUnknown: left.unfinished += 1
                }
            } catch {
                left.noted.append(entry)
            }
        }
        return left
    }

    private enum Settled {
        case wasKept
        case isKept
        case isUnknown
    }

    private static func settle(
        _ entry: UploadJournal.Entry, of journal: UploadJournal, _ database: Database
    ) throws(DatabaseError) -> Settled {
        let count = try database.number("SELECT count(*) FROM images WHERE upload = ?", [.text(entry.token)])
        var settled = count > 0 ? Settled.wasKept : .isUnknown
        if settled == .isUnknown, let (record, owner) = entry.note {
            if try insert(record, of: owner, token: entry.token, database) == .isTaken {
                // Under a name of ours it can be deleted.
                var own = record
                own.id = entry.token
                _ = try insert(own, of: owner, token: entry.token, database)
            }
            settled = .isKept
        }
        journal.end(entry)
        return settled
    }

    enum Keeping: Sendable {
        case written
        /// There is a record of this id with this delete hash.
        case isKnown
        /// There is a record of this id with another delete hash.
        case isTaken
    }

    /// Writes the record of an upload; it is on the disk when this returns. A record that is there already under the same id stays as it is,
    /// and the upload is not over then.
    func keep(_ record: ImageRecord, of owner: String?, token: String) async throws(GatewayError) -> Keeping {
        try await perform(hasHappened: true) { database throws(DatabaseError) in
            let kept = try RecordStore.insert(record, of: owner, token: token, database)
            if kept != .isTaken { self.journal?.end(token) }
            return kept
        }
    }

    private static func insert(
        _ record: ImageRecord, of owner: String?, token: String, _ database: Database
    ) throws(DatabaseError) -> Keeping {
        try database.transaction { () throws(DatabaseError) -> Keeping in
            try database.run(
                """
                INSERT INTO images
                    (id, owner, deletehash, link, type, width, height, size, title, uploaded, upload)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO NOTHING
                """,
                [
                    .text(record.id), Database.Value(owner), .text(record.deleteHash), .text(record.link),
                    .text(record.type), Database.Value(record.width), Database.Value(record.height),
                    .number(record.size), Database.Value(record.title), .number(record.uploaded), .text(token),
                ])
            if database.changes > 0 { return .written }
            let same = try database.number(
                "SELECT count(*) FROM images WHERE id = ? AND deletehash = ?",
                [.text(record.id), .text(record.deleteHash)])
            return same > 0 ? .isKnown : .isTaken
        }
    }

    // MARK: Images

    /// Tells whether a record can be removed.
    /// - Throws: 503 where it can't.
    func checkWriting() async throws(GatewayError) {
        try checkPlace()
        try await perform { database throws(DatabaseError) in try RecordStore.tryWriting(database) }
    }

    /// Writes what is there already. Not by an UPDATE: one that changes nothing writes nothing.
    private static func tryWriting(_ database: Database) throws(DatabaseError) {
        try database.run("PRAGMA application_id = \(RecordSchema.application)")
    }

    /// Newest first.
    func list(
        _ scope: RecordScope, limit: Int, offset: Int
    ) async throws(GatewayError) -> (count: Int, records: [ImageRecord]) {
        try await perform { database throws(DatabaseError) in
            let (condition, values) = scope.condition
            let count = try database.number("SELECT count(*) FROM images WHERE \(condition)", values)
            var records: [ImageRecord] = []
            try database.run(
                "SELECT \(ImageRecord.columns) FROM images WHERE \(condition) ORDER BY number DESC LIMIT ? OFFSET ?",
                values + [.number(limit), .number(offset)]
            ) { if let record = ImageRecord($0) { records.append(record) } }
            return (count, records)
        }
    }

    func find(_ id: String, _ scope: RecordScope) async throws(GatewayError) -> ImageRecord? {
        try await perform { database throws(DatabaseError) in
            let (condition, values) = scope.condition
            var record: ImageRecord?
            try database.run(
                "SELECT \(ImageRecord.columns) FROM images WHERE \(condition) AND id = ?", values + [.text(id)]
            ) { record = ImageRecord($0) }
            return record
        }
    }

    /// - Returns: whether there was such a record.
    func remove(_ record: ImageRecord) async throws(GatewayError) -> Bool {
        try await perform(hasHappened: true) { database throws(DatabaseError) in
            try database.transaction { () throws(DatabaseError) -> Bool in
                // Other machines that were told of it are told of that when they are there again.
                try database.run(
                    """
                    INSERT OR REPLACE INTO deletions (id, mark, time, shared)
                    SELECT id, ?, unixepoch(), 0 FROM images WHERE id = ? AND deletehash = ? AND shared = 1
                    """, [.text(record.mark), .text(record.id), .text(record.deleteHash)])
                try RecordStore.delete(record, in: database)
                return database.changes > 0
            }
        }
    }

    /// That image's own record: one that has another delete hash by now is another image's.
    static func delete(_ record: ImageRecord, in database: Database) throws(DatabaseError) {
        try database.run(
            "DELETE FROM images WHERE id = ? AND deletehash = ?", [.text(record.id), .text(record.deleteHash)])
    }
}

extension RecordScope {
    fileprivate var condition: (sql: String, values: [Database.Value]) {
        switch self {
        case .unowned: ("owner IS NULL", [])
        case .owner(let owner): ("(owner = ? OR owner IS NULL)", [.text(owner)])
        case .nobody: ("0", [])
        }
    }
}

extension ImageRecord {
    static let columns = "id, deletehash, link, type, width, height, size, title, uploaded"

    init?(_ row: Database.Row) {
        guard let id = row.text(0), let hash = row.text(1), let link = row.text(2), let type = row.text(3) else {
            return nil
        }
        self.init(
            id: id, deleteHash: hash, link: link, type: type, width: row.number(4), height: row.number(5),
            size: row.number(6) ?? 0, title: row.text(7), uploaded: row.number(8) ?? 0)
    }
}

extension GatewayError {
    /// The records can't be read or written; `why` ends a sentence.
    static func recordsUnavailable(_ why: String) -> GatewayError {
        var error = GatewayError(
            source: .gateway, code: "records-unavailable", status: .serviceUnavailable,
            detail: "The records of images (--state) can't be used: \(why).")
        error.retryAfter = 30
        return error
    }
}
