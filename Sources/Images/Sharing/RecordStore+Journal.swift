internal import HTTP

/// What the records' database keeps for the other machines: which records they haven't got yet, and which ones were deleted. See
/// `docs/decisions/14-shared-records.md`.
extension RecordStore {
    struct Journaled: Sendable {
        var number: Int
        var record: ImageRecord
        var owner: String?
        var isShared: Bool
    }

    struct Deletion: Sendable {
        var id: String
        var mark: String
    }

    /// Records in the order in which they were made.
    /// - Parameters:
    ///   - number: only later ones.
    ///   - isWaiting: only those that are not shared yet.
    func journaled(after number: Int, isWaiting: Bool, limit: Int) async throws(GatewayError) -> [Journaled] {
        try await perform { database throws(DatabaseError) in
            var all: [Journaled] = []
            try database.run(
                """
                SELECT \(ImageRecord.columns), number, owner, shared FROM images
                WHERE number > ? AND (shared = 0 OR ? = 0) ORDER BY number LIMIT ?
                """, [.number(number), .number(isWaiting ? 1 : 0), .number(limit)]
            ) { row in
                if let record = ImageRecord(row), let number = row.number(9) {
                    all.append(
                        Journaled(
                            number: number, record: record, owner: row.text(10), isShared: row.number(11) == 1))
                }
            }
            return all
        }
    }

    /// How many records and deletions the others don't know yet.
    func waiting() async throws(GatewayError) -> Int {
        try await perform { database throws(DatabaseError) in
            try database.number(
                """
                SELECT (SELECT count(*) FROM images WHERE shared = 0)
                    + (SELECT count(*) FROM deletions WHERE shared = 0)
                """)
        }
    }

    func noteShared(_ record: ImageRecord) async throws(GatewayError) {
        try await perform { database throws(DatabaseError) in
            try database.run(
                "UPDATE images SET shared = 1 WHERE id = ? AND deletehash = ? AND shared = 0",
                [.text(record.id), .text(record.deleteHash)])
        }
    }

    /// The others have lost it.
    func noteMissing(_ record: ImageRecord) async throws(GatewayError) {
        try await perform { database throws(DatabaseError) in
            try database.run(
                "UPDATE images SET shared = 0 WHERE id = ? AND deletehash = ?",
                [.text(record.id), .text(record.deleteHash)])
        }
    }

    /// Drops a record without a word to the others, who know better.
    func forget(_ record: ImageRecord) async throws(GatewayError) {
        try await perform(hasHappened: true) { database throws(DatabaseError) in
            try RecordStore.delete(record, in: database)
        }
    }

    /// Removes a record and notes that for the other machines.
    func removeEverywhere(_ record: ImageRecord, at now: Int) async throws(GatewayError) {
        try await perform(hasHappened: true) { database throws(DatabaseError) in
            try database.transaction { () throws(DatabaseError) in
                try RecordStore.delete(record, in: database)
                try database.run(
                    "INSERT OR REPLACE INTO deletions (id, mark, time, shared) VALUES (?, ?, ?, 0)",
                    [.text(record.id), .text(record.mark), .number(now)])
            }
        }
    }

    func hasDeleted(_ record: ImageRecord) async throws(GatewayError) -> Bool {
        try await perform { database throws(DatabaseError) in
            try database.number(
                "SELECT count(*) FROM deletions WHERE id = ? AND mark = ?", [.text(record.id), .text(record.mark)]) > 0
        }
    }

    /// In no order that matters; each once while `number` grows.
    func deletions(
        after number: Int, isWaiting: Bool, limit: Int
    ) async throws(GatewayError) -> [(number: Int, deletion: Deletion)] {
        try await perform { database throws(DatabaseError) in
            var all: [(number: Int, deletion: Deletion)] = []
            try database.run(
                """
                SELECT rowid, id, mark FROM deletions WHERE rowid > ? AND (shared = 0 OR ? = 0) ORDER BY rowid LIMIT ?
                """, [.number(number), .number(isWaiting ? 1 : 0), .number(limit)]
            ) { row in
                if let number = row.number(0), let id = row.text(1), let mark = row.text(2) {
                    all.append((number, Deletion(id: id, mark: mark)))
                }
            }
            return all
        }
    }

    func noteShared(_ deletion: Deletion) async throws(GatewayError) {
        try await perform { database throws(DatabaseError) in
            try database.run(
                "UPDATE deletions SET shared = 1 WHERE id = ? AND mark = ? AND shared = 0",
                [.text(deletion.id), .text(deletion.mark)])
        }
    }

    /// Deletions that all machines have had time to hear of.
    func forgetDeletions(before time: Int) async throws(GatewayError) {
        try await perform { database throws(DatabaseError) in
            try database.run("DELETE FROM deletions WHERE shared = 1 AND time < ?", [.number(time)])
        }
    }

    /// Remembers which content of the shared store was trusted last.
    func noteLife(_ life: String) async throws(GatewayError) {
        try await perform { database throws(DatabaseError) in
            try database.run("INSERT OR REPLACE INTO sharing (number, life) VALUES (1, ?)", [.text(life)])
        }
    }
}
