import HTTP
import Testing
import Threads

@testable import Images

/// What machines share, in memory, as long as a test lets it be reached.
private final class Shelf: RecordSharing {
    struct State {
        var life: String? = "1"
        var records: [String: SharedRecord] = [:]
        var order: [String] = []
        var deleted: Set<String> = []
    }
    let state = Locked(State())

    func put(_ record: SharedRecord) async -> SharedPut {
        state.withLock { state in
            guard state.life != nil else { return .failed }
            if state.deleted.contains(record.id + record.mark) { return .deleted }
            if let old = state.records[record.id] {
                return old.mark == record.mark ? .known(owner: old.owner) : .taken
            }
            state.records[record.id] = record
            state.order.append(record.id)
            return .done
        }
    }
    func find(_ id: String, mark: String?) async -> SharedFinding {
        state.withLock { state in
            guard let life = state.life else { return .failed }
            if let record = state.records[id] { return .found(record.bytes) }
            return state.deleted.contains(id + (mark ?? "")) ? .deleted : .nothing(life: life)
        }
    }
    func list(_ owners: [String?], limit: Int, offset: Int) async -> SharedPage? {
        state.withLock { state in
            guard let life = state.life else { return nil }
            let all = state.order.reversed().compactMap { state.records[$0] }.filter { owners.contains($0.owner) }
            return SharedPage(life: life, count: all.count, records: all.dropFirst(offset).prefix(limit).map(\.bytes))
        }
    }
    func remove(_ id: String, mark: String) async -> SharedRemoval {
        state.withLock { state in
            guard state.life != nil else { return .failed }
            state.deleted.insert(id + mark)
            guard state.records[id]?.mark == mark else { return .wasNotThere }
            state.records[id] = nil
            return .done
        }
    }
    func life(walked: String?) async -> SharedLife? {
        state.withLock { state in state.life.map { SharedLife(name: $0, age: 100, members: []) } }
    }
    func turn(toDelete id: String, until deadline: ContinuousClock.Instant) async -> (@Sendable () -> Void)? { nil }

    func lose() { state.withLock { $0 = State(life: "2") } }
    func cut(_ isCut: Bool) { state.withLock { $0.life = isCut ? nil : "1" } }
}

@Suite("Records that several machines share")
struct SharedRecordTests {
    private let shelf = Shelf()

    private func record(_ id: String, hash: String? = nil) -> ImageRecord {
        ImageRecord(
            id: id, deleteHash: hash ?? "hash-" + id, link: "https://i.imgur.com/\(id).png", type: "image/png",
            width: 1,
            height: nil, size: 10, title: "T \"ü\"", uploaded: 1_800_000_000)
    }

    /// A machine with records in memory, and a time that stands still.
    private func machine() throws -> ImageRecords {
        ImageRecords(try RecordStore(folder: nil), shared: shelf, clock: { 1_800_000_000 })
    }

    private func ids(_ machine: ImageRecords, _ scope: RecordScope = .unowned) async throws -> [String] {
        try await machine.list(scope, limit: 100, offset: 0).records.map(\.id)
    }

    @Test("a record is read as it was written, with its owner, and nothing else is a record")
    func bytes() throws {
        for owner in ["someone", nil] {
            let read = try #require(ImageRecord.read(record("a").shared(of: owner).bytes))
            #expect(read.record == record("a") && read.owner == owner)
        }
        let bytes = record("a").shared(of: nil).bytes
        for end in bytes.indices { #expect(ImageRecord.read(Array(bytes[..<end])) == nil) }
        for text in ["", "[]", "{}", "{\"form\":2}", String(repeating: "[", count: 9000)] {
            #expect(ImageRecord.read(Array(text.utf8)) == nil)
        }
        #expect(record("a").mark != record("a", hash: "other").mark)
        #expect(!record("a").mark.contains("hash"))
    }

    @Test("what one keeps the other lists, finds and removes")
    func shared() async throws {
        let (one, two) = (try machine(), try machine())
        for machine in [one, two] { await machine.synchronize(shelf, connection: 1) }
        #expect(try await one.keep(record("a"), of: nil, token: "1") == .written)
        #expect(try await two.keep(record("b"), of: "someone", token: "2") == .written)
        for machine in [one, two] {
            #expect(try await ids(machine) == ["a"])
            #expect(try await ids(machine, .owner("someone")) == ["b", "a"])
            #expect(try await machine.find("b", .owner("someone")) == record("b"))
            #expect(try await machine.find("b", .unowned) == nil)
            #expect(try await machine.find("c", .unowned) == nil)
        }
        #expect(try await two.remove(record("a")))
        #expect(try await ids(one) == [])
        #expect(try await one.find("a", .unowned) == nil)
        #expect(try await one.local.find("a", .unowned) == nil, "it has heard of it")
    }

    @Test("an id of another machine's image is taken, and its record is not touched")
    func taken() async throws {
        let (one, two) = (try machine(), try machine())
        _ = try await one.keep(record("a"), of: nil, token: "1")
        #expect(try await two.keep(record("a", hash: "other"), of: nil, token: "2") == .isTaken)
        #expect(try await two.keep(record("a"), of: "someone", token: "3") == .isKnown)
        #expect(try await two.local.find("a", .owner("someone")) == nil)
        await one.synchronize(shelf, connection: 1)
        #expect(try await one.find("a", .unowned) == record("a"))
    }

    @Test("without the others nothing is told that might be wrong, and all is told them later")
    func apart() async throws {
        let (one, two) = (try machine(), try machine())
        _ = try await one.keep(record("a"), of: nil, token: "1")
        _ = try await two.keep(record("b"), of: nil, token: "2")
        for machine in [one, two] { await machine.synchronize(shelf, connection: 1) }
        #expect(one.isUpToDate)
        shelf.cut(true)
        _ = try await one.keep(record("c"), of: nil, token: "3")
        #expect(try await one.remove(record("a")))
        #expect(!one.isUpToDate)
        await #expect(throws: GatewayError.self) { try await ids(one) }
        await #expect(throws: GatewayError.self) { try await one.find("b", .unowned) }
        #expect(try await one.find("c", .unowned) == record("c"))
        shelf.cut(false)
        await #expect(throws: GatewayError.self, "the others don't know all of it yet") { try await ids(one) }
        #expect(try await one.find("a", .unowned) == nil, "deleted here")
        await one.synchronize(shelf, connection: 1)
        #expect(one.isUpToDate)
        for machine in [one, two] { #expect(try await ids(machine) == ["c", "b"]) }
    }

    @Test("what the shared store has lost is brought back by those who have it, but for what was deleted")
    func lost() async throws {
        let (one, two) = (try machine(), try machine())
        for id in ["a", "b", "c"] { _ = try await one.keep(record(id), of: nil, token: id) }
        for machine in [one, two] { await machine.synchronize(shelf, connection: 1) }
        #expect(try await two.remove(record("b")))
        shelf.lose()
        await #expect(throws: GatewayError.self, "nobody knows whether that is all") { try await ids(two) }
        await #expect(throws: GatewayError.self) { try await two.find("a", .unowned) }
        for machine in [two, one] { await machine.synchronize(shelf, connection: 1) }
        for machine in [one, two] { #expect(try await ids(machine) == ["c", "a"]) }
        // A single one.
        shelf.state.withLock { $0.records["a"] = nil }
        #expect(try await one.find("a", .unowned) == record("a"))
        #expect(!one.isUpToDate)
        await one.synchronize(shelf, connection: 1)
        #expect(try await two.find("a", .unowned) == record("a"))
        // An older state of it, after a loss of the connection.
        shelf.state.withLock { state in
            state.records["c"] = nil
            state.deleted = []
            state.records["b"] = record("b").shared(of: nil)
        }
        for machine in [one, two] { await machine.synchronize(shelf, connection: 2) }
        #expect(try await two.find("c", .unowned) == record("c"))
        #expect(try await one.find("b", .unowned) == nil)
    }

    @Test("what is no record in the shared store is told as missing knowledge, or as it is known here")
    func garbage() async throws {
        let (one, two) = (try machine(), try machine())
        _ = try await one.keep(record("a"), of: nil, token: "1")
        for machine in [one, two] { await machine.synchronize(shelf, connection: 1) }
        shelf.state.withLock { $0.records["a"]?.bytes = [0, 1, 2] }
        #expect(try await one.find("a", .unowned) == record("a"))
        await #expect(throws: GatewayError.self) { try await two.find("a", .unowned) }
        #expect(try await ids(two) == [])
        #expect(two.unreadable == 2)
        // A record of another id in its place is none of this one.
        shelf.state.withLock { $0.records["a"]?.bytes = record("b").shared(of: nil).bytes }
        #expect(try await one.find("a", .unowned) == record("a"))
    }

    @Test("deletions made without other machines are told them where they knew the record")
    func deletedAlone() async throws {
        let store = try RecordStore(folder: nil)
        let one = ImageRecords(store, shared: shelf, clock: { 1_800_000_000 })
        let two = try machine()
        _ = try await one.keep(record("a"), of: nil, token: "1")
        let alone = ImageRecords(store, shared: nil, clock: { 1_800_000_000 })
        _ = try await alone.keep(record("b"), of: nil, token: "2")
        for id in ["a", "b"] { #expect(try await alone.remove(record(id))) }
        #expect(try await store.deletions(after: 0, isWaiting: true, limit: 9).map(\.deletion.id) == ["a"])
        await two.synchronize(shelf, connection: 1)
        #expect(try await ids(two) == ["a"])
        await one.synchronize(shelf, connection: 1)
        #expect(try await ids(two) == [])
    }
}

@Suite("What is missing in the shared store")
struct SharedContentsTests {
    private func life(_ name: String, _ members: String..., age: Int = 0) -> SharedLife {
        SharedLife(name: name, age: age, members: Set(members))
    }

    @Test("proves nothing before this machine has told all that it knows")
    func own() {
        var contents = SharedContents(former: nil)
        #expect(sees(&contents, life("1"), 100) == nil && contents.isToBeWalked("1", connection: 1, at: 100))
        contents.walk("1", connection: 1, at: 100)
        #expect(contents.trusted == nil)
        #expect(sees(&contents, life("1"), 100) == "1" && !contents.isToBeWalked("1", connection: 1, at: 101))
        #expect(
            contents.isToBeWalked("1", connection: 2, at: 101) && contents.isToBeWalked("2", connection: 1, at: 101))
        #expect(contents.isToBeWalked("1", connection: 1, at: 1000) && contents.isToBeWalked("1", connection: 1, at: 1))
    }

    @Test("proves nothing after a loss until all who were there have told theirs, or are dead")
    func others() {
        var contents = SharedContents(former: nil)
        contents.walk("1", connection: 1, at: 100)
        #expect(sees(&contents, life("1", "b"), 100) == "1")
        #expect(sees(&contents, life("1", "b", "c"), 101) == "1")
        contents.walk("2", connection: 1, at: 200)
        #expect(sees(&contents, life("2"), 200) == "1")
        #expect(sees(&contents, life("2", "b"), 201) == "1")
        #expect(sees(&contents, life("2", "c"), 202) == "2")
        contents.walk("3", connection: 2, at: 300)
        #expect(sees(&contents, life("3"), 300 + SharedContents.patience - 1) == "2")
        #expect(sees(&contents, life("3"), 300 + SharedContents.patience) == "3")
        contents.walk("4", connection: 2, at: 400)
        #expect(sees(&contents, life("4"), 400) == "4", "nobody was there")
    }

    @Test("proves nothing to a new process for a while where an earlier one has known another content")
    func former() {
        var contents = SharedContents(former: "1")
        contents.walk("1", connection: 1, at: 100)
        #expect(sees(&contents, life("1", age: 1), 100) == "1", "it is the same")
        var other = SharedContents(former: "1")
        other.walk("2", connection: 1, at: 100)
        #expect(sees(&other, life("2", age: SharedContents.patience - 1), 100) == nil)
        #expect(sees(&other, life("2", age: SharedContents.patience), 101) == "2")
    }

    private func sees(_ contents: inout SharedContents, _ life: SharedLife, _ now: Int) -> String? {
        let before = contents.trusted
        #expect(contents.see(life, at: now) == (contents.trusted != before))
        return contents.trusted
    }
}
