import Glibc
import HTTP
import Testing

@testable import Images

@Suite("Uploads under way")
struct UploadJournalTests {
    /// Opens the records as the next process does.
    private func start(_ folder: RecordFolder, _ body: (RecordStore) async throws -> Void) async throws {
        let store = try RecordStore(folder: folder.path)
        try await body(store)
        store.close()
    }

    @Test("uploads that were under way when the process ended are counted once")
    func unfinished() async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            _ = try await store.begin("x")
            // Another process that starts meanwhile leaves them alone.
            let second = try RecordStore(folder: folder.path)
            #expect(second.unfinished == 0)
            second.close()
        }
        #expect(folder.uploads == ["x"])
        try await start(folder) { #expect($0.unfinished == 1 && $0.completed == 0) }
        #expect(folder.uploads == [])
        try await start(folder) { #expect($0.unfinished == 0) }
    }

    @Test("what a process has left is settled though others live, and what is theirs is not")
    func others() async throws {
        let folder = RecordFolder()
        try await start(folder) { living in
            _ = try await living.begin("living")
            do {
                let journal = UploadJournal(folder: folder.path, process: ProcessMark(folder.path))
                for token in ["cut", "noted"] { try journal.begin(token) }
                #expect(journal.note("noted", record("a"), of: nil))
            }
            // One of a version that gave them no names may belong to another of that version.
            try UploadJournal(folder: folder.path, process: nil).begin("old")
            try await start(folder) { #expect($0.unfinished == 1 && $0.completed == 1) }
            let found = try await living.find("a", .unowned)
            #expect(found == record("a"))
            #expect(folder.uploads.sorted() == ["living", "old"])
        }
        // Of processes that have ended nothing is left.
        #expect(Directory.names(folder.path).filter { $0.contains("process") } == [])
        try await start(folder) { #expect($0.unfinished == 2 && $0.completed == 0) }
    }

    @Test("what is no file of an upload is left alone, and stops nobody")
    func strange() async throws {
        let folder = RecordFolder()
        let uploads = folder.path + "/uploads"
        mkdir(uploads, 0o700)
        for name in ["pipe", "x.pipe"] { mkfifo(uploads + "/" + name, 0o600) }
        symlink("/dev/zero", uploads + "/zero")
        mkdir(uploads + "/folder", 0o700)
        try await start(folder) { #expect($0.unfinished == 0 && $0.completed == 0) }
        rmdir(uploads + "/folder")
    }

    @Test("the folder of uploads is made again where somebody has cleared up")
    func cleared() async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            rmdir(folder.path + "/uploads")
            _ = try await store.begin("x")
            #expect(folder.uploads == ["x"])
        }
    }

    @Test("an upload that came to its end leaves nothing", arguments: [true, false])
    func ended(isKept: Bool) async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            _ = try await store.begin("x")
            if isKept { _ = try await store.keep(record("a"), of: nil, token: "x") } else { await store.abandon("x") }
        }
        #expect(folder.uploads == [])
        try await start(folder) { #expect($0.unfinished == 0 && $0.completed == 0) }
    }

    @Test("a process that was killed between the record and the end of its upload has lost nothing")
    func killedAfterRecord() async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            _ = try await store.keep(record("a"), of: nil, token: "x")
            // The file is still there.
            _ = try await store.begin("x")
        }
        try await start(folder) { store in
            #expect(store.unfinished == 0 && store.completed == 0)
            let page = try await store.list(.unowned, limit: 9, offset: 0)
            #expect(page.records == [record("a")])
        }
        #expect(folder.uploads == [])
    }

    @Test("a record that was only noted is written at the next start")
    func nextStart() async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            for token in ["x", "y"] { _ = try await store.begin(token) }
            // As where another program holds the database.
            folder.run("CREATE TRIGGER refuse BEFORE INSERT ON images BEGIN SELECT RAISE(ABORT, 'no'); END")
            await #expect(throws: GatewayError.self) { _ = try await store.keep(record("a"), of: "one", token: "x") }
            #expect(await store.note(record("a"), of: "one", token: "x"))
        }
        // It still can't be.
        try await start(folder) { #expect($0.completed == 0 && $0.unfinished == 1) }
        #expect(folder.uploads == ["x"])
        folder.run("DROP TRIGGER refuse")
        try await start(folder) { store in
            #expect(store.completed == 1 && store.unfinished == 0)
            let mine = try await store.list(.owner("one"), limit: 9, offset: 0)
            #expect(mine.records == [record("a")])
            let theirs = try await store.find("a", .owner("two"))
            #expect(theirs == nil)
        }
        #expect(folder.uploads == [])
    }

    @Test("a record that was only noted is written before the next upload")
    func nextUpload() async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            _ = try await store.begin("x")
            #expect(await store.note(record("a"), of: nil, token: "x"))
            // As long as its image may still be taken back, it is not.
            #expect(try await store.begin("y") == 0)
            store.keepLater("x")
            #expect(try await store.begin("z") == 1)
            #expect(try await store.find("a", .unowned) == record("a"))
            for token in ["y", "z"] { await store.abandon(token) }
        }
        #expect(folder.uploads == [])
    }

    @Test("an image whose id is another's by now is kept under a name of ours")
    func taken() async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            _ = try await store.keep(record("a"), of: nil, token: "w")
            _ = try await store.begin("x")
            var other = record("a")
            other.deleteHash = "other"
            #expect(await store.note(other, of: nil, token: "x"))
        }
        try await start(folder) { store in
            #expect(store.completed == 1)
            let first = try await store.find("a", .unowned)
            #expect(first == record("a"))
            let second = try await store.find("x", .unowned)
            #expect(second?.deleteHash == "other")
        }
    }

    @Test("a note that is cut or no record counts as none", arguments: ["", "{\"form\":1,\"id\":\"a", "[]"])
    func cut(text: String) async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            _ = try await store.begin("x")
            let descriptor = open(folder.path + "/uploads/x", O_WRONLY)
            _ = pwrite(descriptor, text, text.utf8.count, 0)
            close(descriptor)
        }
        try await start(folder) { #expect($0.unfinished == 1 && $0.completed == 0) }
    }

    @Test("the longest record has room in its file")
    func longest() async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            var long = record(String(repeating: "i", count: 32))
            long.deleteHash = String(repeating: "h", count: 128)
            long.link = "https://" + String(repeating: "\"", count: 2040)
            long.title = String(repeating: "\\", count: 512)
            _ = try await store.begin("x")
            #expect(await store.note(long, of: String(repeating: "o", count: 64), token: "x"))
            store.keepLater("x")
            #expect(try await store.begin("y") == 1)
            #expect(try await store.find(long.id, .owner(String(repeating: "o", count: 64))) == long)
        }
    }

    @Test("where no file can be made for it, no upload begins")
    func noFolder() async throws {
        let folder = RecordFolder()
        try await start(folder) { store in
            rmdir(folder.path + "/uploads")
            symlink("/proc/nowhere", folder.path + "/uploads")
            defer { unlink(folder.path + "/uploads") }
            await #expect(throws: GatewayError.self) { _ = try await store.begin("x") }
            #expect(await !store.note(record("a"), of: nil, token: "x"))
        }
    }

    @Test("an older version's uploads are told of, and its records stay", arguments: [1, 2])
    func migration(version: Int) async throws {
        let folder = RecordFolder()
        let old = try Database(path: folder.file)
        for step in RecordSchema.steps.prefix(version).joined() { try old.run(step) }
        try old.run("PRAGMA application_id = \(RecordSchema.application)")
        try old.run("PRAGMA user_version = \(version)")
        try old.run(
            "INSERT INTO images (id, deletehash, link, type, size, uploaded) VALUES ('a', 'h', 'l', 't', 1, 2)")
        try old.run("INSERT INTO uploads VALUES ('x', 1)")
        try await start(folder) { store in
            #expect(store.unfinished == 1)
            let kept = try await store.find("a", .unowned)
            #expect(kept?.deleteHash == "h")
            #expect(try await store.keep(record("b"), of: nil, token: "y") == .written)
        }
    }
}
