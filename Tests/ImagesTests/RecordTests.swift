import Glibc
import HTTP
import Testing

@testable import Images

@Suite("Records")
struct RecordTests {
    private func mistake(_ folder: String?) -> String? {
        do throws(RecordsUnusable) {
            try RecordStore(folder: folder).close()
            return nil
        } catch {
            return error.description
        }
    }

    @Test("what is written is there after the next start, newest first")
    func restart() async throws {
        let folder = RecordFolder()
        let store = try RecordStore(folder: folder.path)
        for id in ["a", "b", "c"] {
            _ = try await store.begin(id)
            _ = try await store.keep(record(id), of: nil, token: id)
        }
        store.close()
        let again = try RecordStore(folder: folder.path)
        defer { again.close() }
        #expect(again.unfinished == 0)
        let page = try await again.list(.unowned, limit: 2, offset: 0)
        #expect(page.count == 3 && page.records == [record("c"), record("b")])
        #expect(try await again.list(.unowned, limit: 2, offset: 2).records == [record("a")])
        #expect(try await again.find("b", .unowned) == record("b"))
        #expect(try await again.remove(record("b")))
        #expect(try await !again.remove(record("b")))
        #expect(try await again.find("b", .unowned) == nil)
    }

    @Test("records belong to the key that made them")
    func owners() async throws {
        let store = try RecordStore(folder: nil)
        defer { store.close() }
        for (id, owner) in [("a", "one"), ("b", "two"), ("c", nil)] as [(String, String?)] {
            _ = try await store.keep(record(id), of: owner, token: id)
        }
        #expect(try await store.list(.owner("one"), limit: 9, offset: 0).records.map(\.id) == ["c", "a"])
        #expect(try await store.find("b", .owner("one")) == nil)
        #expect(try await store.list(.unowned, limit: 9, offset: 0).records.map(\.id) == ["c"])
        #expect(try await store.list(.nobody, limit: 9, offset: 0).count == 0)
    }

    @Test("the first record of an id stays")
    func twice() async throws {
        let store = try RecordStore(folder: nil)
        defer { store.close() }
        #expect(try await store.keep(record("a"), of: "one", token: "1") == .written)
        #expect(try await store.keep(record("a"), of: "two", token: "2") == .isKnown)
        var other = record("a")
        other.deleteHash = "other"
        #expect(try await store.keep(other, of: "two", token: "3") == .isTaken)
        #expect(try await store.find("a", .owner("one")) == record("a"))
        #expect(try await store.find("a", .owner("two")) == nil)
    }

    @Test("a file of records that was deleted or replaced is noticed")
    func replaced() throws {
        let folder = RecordFolder()
        let store = try RecordStore(folder: folder.path)
        defer { store.close() }
        #expect(store.isInPlace)
        unlink(folder.file)
        #expect(!store.isInPlace)
        folder.write([1])
        #expect(!store.isInPlace)
    }

    @Test("files that are no records of this version stop the start and say what to do")
    func unusable() {
        let damaged = RecordFolder()
        damaged.write(Array(repeating: 0x41, count: 8192))
        #expect(mistake(damaged.path)?.contains("is damaged: put a copy of it back") == true)
        let newer = RecordFolder()
        #expect(mistake(newer.path) == nil)
        newer.run("PRAGMA user_version = 99")
        #expect(mistake(newer.path)?.contains("written by a newer Sluice (schema 99") == true)
        newer.run("PRAGMA user_version = -3")
        #expect(mistake(newer.path) != nil)
        let other = RecordFolder()
        other.run("CREATE TABLE songs (name TEXT)")
        #expect(mistake(other.path)?.contains("another program") == true)
        let torn = RecordFolder()
        #expect(mistake(torn.path) == nil)
        torn.run("PRAGMA journal_mode = DELETE")
        torn.write(Array(repeating: 0xEE, count: 3000), at: 4096 + 500)
        torn.write(Array(repeating: 0xEE, count: 100), at: 4096)
        #expect(mistake(torn.path) != nil)
        #expect(mistake("/proc/nowhere")?.contains("can't be opened") == true)
    }

    @Test("an older version is brought to this one")
    func migration() async throws {
        let folder = RecordFolder()
        folder.write([])
        #expect(mistake(folder.path) == nil)
        #expect(mistake(folder.path) == nil)
        let database = try Database(path: folder.file)
        #expect(try database.number("PRAGMA user_version") == RecordSchema.steps.count)
    }

    @Test("the file is its owner's alone")
    func mode() throws {
        let folder = RecordFolder()
        let store = try RecordStore(folder: folder.path)
        defer { store.close() }
        for name in ["images.db", "images.db-wal", "images.lock"] {
            var facts = stat()
            #expect(stat(folder.path + "/" + name, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        }
    }

    @Test("two processes that write take turns")
    func busy() async throws {
        let folder = RecordFolder()
        let one = try RecordStore(folder: folder.path)
        let two = try RecordStore(folder: folder.path)
        defer {
            one.close()
            two.close()
        }
        for number in 0..<20 {
            async let first: RecordStore.Keeping = one.keep(record("a\(number)"), of: nil, token: "a")
            async let second: RecordStore.Keeping = two.keep(record("b\(number)"), of: nil, token: "b")
            _ = try await (first, second)
        }
        #expect(try await two.list(.unowned, limit: 1, offset: 0).count == 40)
    }

    @Test("while another process holds the records nobody waits for all who came before")
    func held() async throws {
        let folder = RecordFolder()
        let store = try RecordStore(folder: folder.path, patience: 200)
        let other = try Database(path: folder.file)
        try other.run("BEGIN EXCLUSIVE")
        func why(_ body: () async throws(GatewayError) -> Void) async -> String? {
            do throws(GatewayError) {
                try await body()
                return nil
            } catch {
                return error.detail
            }
        }
        let reasons = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<40 {
                group.addTask { await why { () throws(GatewayError) in try await store.checkWriting() } }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(reasons.count { $0?.contains("another process holds it") == true } > 0)
        #expect(reasons.count { $0?.contains("too much waits for it") == true } > 0)
        #expect(!reasons.contains(nil))
        // What Imgur has is written down however long that takes.
        let keeping = await withTaskGroup(of: String?.self) { group in
            for number in 0..<5 {
                group.addTask {
                    await why { () throws(GatewayError) in
                        _ = try await store.keep(record("a\(number)"), of: nil, token: "a\(number)")
                    }
                }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(keeping.allSatisfy { $0?.contains("another process holds it") == true })
        try other.run("ROLLBACK")
        _ = try await store.keep(record("b"), of: nil, token: "b")
        #expect(try await store.list(.unowned, limit: 9, offset: 0).records == [record("b")])
        store.close()
    }

    @Test("a newer version that came meanwhile is not taken back")
    func newer() throws {
        let folder = RecordFolder()
        #expect(mistake(folder.path) == nil)
        let database = try Database(path: folder.file)
        for version in [RecordSchema.steps.count + 1, -1] {
            try database.run("PRAGMA user_version = \(version)")
            try RecordSchema.migrate(database)
            #expect(try database.number("PRAGMA user_version") == version)
        }
    }

    @Test(
        "a file that is taken away lets nothing be deleted", arguments: ["images.db", "images.db-wal"], [false, true])
    func moved(file: String, wasThere: Bool) async throws {
        let folder = RecordFolder()
        if wasThere { try RecordStore(folder: folder.path).close() }
        let store = try RecordStore(folder: folder.path)
        defer { store.close() }
        try await store.checkWriting()
        unlink(folder.path + "/" + file)
        await #expect(throws: GatewayError.self) { try await store.checkWriting() }
    }

    @Test("what can't be written any more is 503 and leaves the rest readable")
    func full() async throws {
        let folder = RecordFolder()
        let store = try RecordStore(folder: folder.path)
        defer { store.close() }
        _ = try await store.keep(record("a"), of: nil, token: "a")
        // SQLite's own measure of a full disk.
        try await store.limit(pages: 1)
        var code: String?
        for number in 0..<200 where code == nil {
            do throws(GatewayError) {
                var long = record("long\(number)")
                long.title = String(repeating: "x", count: 500)
                _ = try await store.keep(long, of: nil, token: "long\(number)")
            } catch {
                code = error.code
                #expect(
                    error.detail.contains("its disk is full") && error.status == .serviceUnavailable
                        && error.retryAfter != nil)
            }
        }
        #expect(code == "records-unavailable")
        #expect(try await store.find("a", .unowned) == record("a"))
    }
}

extension RecordStore {
    /// Lets the file grow to no more than it is, or to `pages`.
    fileprivate func limit(pages: Int) async throws(GatewayError) {
        try await perform { database throws(DatabaseError) in try database.run("PRAGMA max_page_count = \(pages)") }
    }
}
