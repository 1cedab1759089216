internal import CSQLite
internal import Glibc

/// Why SQLite refused. Its own texts may hold values, so only the kind is told.
struct DatabaseError: Error, Equatable {
    enum Kind: String {
        case full = "its disk is full, so room must be made there"
        case readOnly = "it can't be written to, so its permissions and mount must be looked at"
        case damaged = "it is damaged"
        case busy = "another process holds it, which must end first"
        case unreachable = "it can't be opened"
        case other = "the disk or SQLite failed, or a limit of the process is reached"
    }

    let kind: Kind

    init(_ code: CInt) {
        // The lowest byte of an extended code is the plain one (https://www.sqlite.org/rescode.html).
        kind =
            switch code & 0xFF {
            case SQLITE_FULL: .full
            case SQLITE_READONLY, SQLITE_PERM: .readOnly
            case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CANTOPEN: .unreachable
            default: .other
            }
    }

    /// - Parameter code: of a file beside the database.
    init(errno code: CInt) {
        kind =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: .full
            case EROFS, EACCES, EPERM: .readOnly
            default: .other
            }
    }
}

/// An open SQLite database. Confined to one thread at a time.
final class Database {
    enum Value {
        case text(String)
        case number(Int)
        case null

        init(_ text: String?) { self = text.map { .text($0) } ?? .null }
        init(_ number: Int?) { self = number.map { .number($0) } ?? .null }
    }

    private var handle: OpaquePointer?

    /// - Parameters:
    ///   - path: of a file that is made where it is missing; `:memory:` for none.
    ///   - patience: how long a statement waits for another process, in milliseconds.
    init(path: String, patience: Int = 5000) throws(DatabaseError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK else {
            // A handle is given for a failure too.
            sqlite3_close_v2(handle)
            throw DatabaseError(code)
        }
        sqlite3_busy_timeout(handle, CInt(clamping: patience))
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs one statement and hands each of its rows to `row`.
    func run(
        _ sql: String, _ values: [Value] = [], row: (Row) -> Void = { _ in }
    ) throws(DatabaseError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        guard code == SQLITE_OK else { throw DatabaseError(code) }
        for (index, value) in values.enumerated() { try bind(value, CInt(clamping: index + 1), statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: row(Row(statement: statement))
            case SQLITE_DONE: return
            case let code: throw DatabaseError(code)
            }
        }
    }

    private func bind(_ value: Value, _ index: CInt, _ statement: OpaquePointer?) throws(DatabaseError) {
        let code =
            switch value {
            case .text(let text): sluice_sqlite_bind_text(statement, index, text, CInt(clamping: text.utf8.count))
            case .number(let number): sqlite3_bind_int64(statement, index, Int64(number))
            case .null: sqlite3_bind_null(statement, index)
            }
        guard code == SQLITE_OK else { throw DatabaseError(code) }
    }

    /// The one number that a statement answers.
    func number(_ sql: String, _ values: [Value] = []) throws(DatabaseError) -> Int {
        var number = 0
        try run(sql, values) { number = $0.number(0) ?? 0 }
        return number
    }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// All that `body` does, or nothing. Writing begins at once, so that no other process can come between.
    func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some failures have rolled back already; then there is nothing to take back.
            try? run("ROLLBACK")
            throw error
        }
    }

    /// One row of an answer, as long as the statement stands at it.
    struct Row {
        fileprivate let statement: OpaquePointer?

        func text(_ column: CInt) -> String? {
            sqlite3_column_text(statement, column).map { String(cString: $0) }
        }

        /// Nil for null.
        func number(_ column: CInt) -> Int? {
            sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(statement, column))
        }
    }
}
