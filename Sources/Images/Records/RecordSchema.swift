internal import Glibc

/// Why the records can't be used from the start, with what to do about it.
public struct RecordsUnusable: Error, CustomStringConvertible {
    public let description: String

    init(_ path: String, _ what: String) { description = "--state: \(path) \(what)" }
}

/// The form of the records' database, and how an older one is brought to it.
enum RecordSchema {
    /// `SLUI`: tells our files from others' (`PRAGMA application_id`).
    static let application = 0x534C_5549

    /// What brings a database from version n to n + 1, at index n. Only ever appended to.
    static let steps: [[String]] = [
        [
            """
            CREATE TABLE images (
                number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT, deletehash TEXT NOT NULL,
                link TEXT NOT NULL, type TEXT NOT NULL, width INTEGER, height INTEGER, size INTEGER NOT NULL, title TEXT,
                uploaded INTEGER NOT NULL) STRICT
            """,
            "CREATE INDEX images_of_owner ON images (owner, number)",
            // Uploads under way, which have files of their own since version 3.
            "CREATE TABLE uploads (token TEXT PRIMARY KEY, begun INTEGER NOT NULL) STRICT",
        ],
        [
            // Whether other machines were told of a record, and of its deletion.
            "ALTER TABLE images ADD COLUMN shared INTEGER NOT NULL DEFAULT 0",
            "CREATE INDEX images_to_share ON images (number) WHERE shared = 0",
            """
            CREATE TABLE deletions (
                id TEXT NOT NULL, mark TEXT NOT NULL, time INTEGER NOT NULL, shared INTEGER NOT NULL,
                PRIMARY KEY (id, mark)) STRICT
            """,
        ],
        // The upload that a record is of, to know its file by.
        ["ALTER TABLE images ADD COLUMN upload TEXT"],
        // The content of the store shared with other machines that was trusted last.
        ["CREATE TABLE sharing (number INTEGER PRIMARY KEY, life TEXT NOT NULL) STRICT"],
    ]

    /// Opens the database in `folder`, or one in memory, and brings it to this version.
    /// - Parameter patience: how long a statement waits for another process, in milliseconds.
    static func open(folder: String?, patience: Int) throws(RecordsUnusable) -> Database {
        guard let folder else { return try prepare(":memory:", patience) }
        let path = folder + "/images.db"
        // Made here, for the delete hashes in it are nobody else's: SQLite gives its other files the same mode.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        return try prepare(path, patience)
    }

    private static func prepare(_ path: String, _ patience: Int) throws(RecordsUnusable) -> Database {
        do {
            let database = try Database(path: path, patience: patience)
            let version = try database.number("PRAGMA user_version")
            // In this order: another process that makes the tables meanwhile says at once whose they are.
            let tables = try database.number("SELECT count(*) FROM sqlite_schema")
            let owner = try database.number("PRAGMA application_id")
            guard owner == application || owner == 0 && tables == 0 else {
                throw RecordsUnusable(path, "is the database of another program: move it away or name another folder.")
            }
            guard (0...steps.count).contains(version) else {
                throw RecordsUnusable(
                    path,
                    "was written by a newer Sluice (schema \(version), this one knows \(steps.count)): use that one, or name another folder."
                )
            }
            var findings: [String] = []
            try database.run("PRAGMA quick_check(1)") { findings.append($0.text(0) ?? "") }
            guard findings == ["ok"] else { throw damaged(path) }
            // Every commit is on the disk before it returns.
            try database.run("PRAGMA journal_mode = WAL")
            try database.run("PRAGMA synchronous = FULL")
            // What is deleted is overwritten.
            try database.run("PRAGMA secure_delete = ON")
            if version < steps.count { try migrate(database) }
            return database
        } catch let error as RecordsUnusable {
            throw error
        } catch {
            throw explain(path, error as? DatabaseError)
        }
    }

    static func migrate(_ database: Database) throws(DatabaseError) {
        try database.transaction { () throws(DatabaseError) in
            // Another process may have been first, of a newer version too.
            let version = try database.number("PRAGMA user_version")
            guard (0..<steps.count).contains(version) else { return }
            for step in steps.dropFirst(version).joined() { try database.run(step) }
            try database.run("PRAGMA application_id = \(application)")
            try database.run("PRAGMA user_version = \(steps.count)")
        }
    }

    private static func damaged(_ path: String) -> RecordsUnusable {
        RecordsUnusable(
            path,
            "is damaged: put a copy of it back, or move it away; what it alone knows can then no longer be deleted from here."
        )
    }

    private static func explain(_ path: String, _ error: DatabaseError?) -> RecordsUnusable {
        if error?.kind == .damaged { return damaged(path) }
        return RecordsUnusable(path, "can't be used: \((error?.kind ?? .other).rawValue).")
    }
}
