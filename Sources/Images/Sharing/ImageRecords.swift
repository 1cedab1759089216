internal import HTTP
internal import Synchronization
internal import Threads

/// The records of images: those in this machine's ``RecordStore``, and where several machines share them, those of all. The store on the disk is
/// written before anybody is told of an image; the others are told before the answer where they can be reached in time, else later.
final class ImageRecords: Sendable {
    let local: RecordStore
    private let shared: (any RecordSharing)?
    private let clock: @Sendable () -> Int
    /// Records and deletions that the others don't know yet, as far as that is known here.
    private let isBehind = Atomic(true)
    /// Values in the shared store that were no records.
    private let unread = Atomic(0)
    var unreadable: Int { unread.load(ordering: .relaxed) }

    /// Whether the others know all, where there are others.
    var isUpToDate: Bool { shared == nil || !isBehind.load(ordering: .relaxed) }

    init(_ local: RecordStore, shared: (any RecordSharing)?, clock: @escaping @Sendable () -> Int) {
        self.local = local
        self.shared = shared
        self.clock = clock
        contents = Locked(SharedContents(former: local.formerLife))
    }

    // MARK: Uploads

    func begin(_ token: String) async throws(GatewayError) {
        if try await local.begin(token) > 0 { isBehind.store(true, ordering: .relaxed) }
    }
    func abandon(_ token: String) async { await local.abandon(token) }
    func note(_ record: ImageRecord, of owner: String?, token: String) async -> Bool {
        await local.note(record, of: owner, token: token)
    }
    func keepLater(_ token: String) { local.keepLater(token) }

    /// The same as ``RecordStore/keep(_:of:token:)`` for the records of all machines.
    func keep(_ record: ImageRecord, of owner: String?, token: String) async throws(GatewayError) -> RecordStore.Keeping
    {
        let kept = try await local.keep(record, of: owner, token: token)
        guard let shared, kept == .written else { return kept }
        switch await shared.put(record.shared(of: owner)) {
        case .done, .known(owner: owner):
            // Where that can't be written it is told once more, which changes nothing.
            try? await local.noteShared(record)
        case .known:
            try? await local.forget(record)
            return .isKnown
        case .taken:
            try? await local.forget(record)
            return .isTaken
        case .deleted, .failed: isBehind.store(true, ordering: .relaxed)
        }
        return .written
    }

    // MARK: Images

    func checkWriting() async throws(GatewayError) { try await local.checkWriting() }

    /// - Throws: 503 where the others' records can't be reached and there is none here: a 404 might be wrong.
    func find(_ id: String, _ scope: RecordScope) async throws(GatewayError) -> ImageRecord? {
        let own = try await local.find(id, scope)
        guard let shared else { return own }
        switch await shared.find(id, mark: own?.mark) {
        case .found(let bytes):
            guard let (record, owner) = ImageRecord.read(bytes), record.id == id else {
                unread.add(1, ordering: .relaxed)
                guard let own else { throw .recordsUnshared }
                return own
            }
            guard scope.owners.contains(owner), !(try await isDeletedHere(record)) else { return nil }
            return record
        case .deleted:
            if let own { try? await local.forget(own) }
            return nil
        case .nothing(let life):
            if let own { return try await missed(own) }
            guard isTrusted(life) else { throw .recordsUnshared }
            return nil
        case .unreadable:
            unread.add(1, ordering: .relaxed)
            guard let own else { throw .recordsUnshared }
            return try await missed(own)
        case .failed:
            guard let own else { throw .recordsUnshared }
            return own
        }
    }

    /// Brings back what the others' store has lost.
    private func missed(_ own: ImageRecord) async throws(GatewayError) -> ImageRecord {
        try await local.noteMissing(own)
        isBehind.store(true, ordering: .relaxed)
        return own
    }

    /// Where the others haven't heard of it yet.
    private func isDeletedHere(_ record: ImageRecord) async throws(GatewayError) -> Bool {
        guard isBehind.load(ordering: .relaxed) else { return false }
        return try await local.hasDeleted(record)
    }

    /// Newest first.
    /// - Throws: 503 where not all records can be told.
    func list(
        _ scope: RecordScope, limit: Int, offset: Int
    ) async throws(GatewayError) -> (count: Int, records: [ImageRecord]) {
        guard let shared else { return try await local.list(scope, limit: limit, offset: offset) }
        if scope == .nobody { return (0, []) }
        // What the others don't know yet would be missing in their list.
        if isBehind.load(ordering: .relaxed), try await local.waiting() > 0 { throw .recordsUnshared }
        guard let page = await shared.list(scope.owners, limit: limit, offset: offset),
            isTrusted(page.life)
        else { throw .recordsUnshared }
        let records = page.records.compactMap { ImageRecord.read($0) }.filter { scope.owners.contains($0.owner) }
        unread.add(page.records.count - records.count, ordering: .relaxed)
        return (page.count, records.map(\.record))
    }

    /// - Returns: whether there was such a record.
    func remove(_ record: ImageRecord) async throws(GatewayError) -> Bool {
        guard let shared else { return try await local.remove(record) }
        try await local.removeEverywhere(record, at: clock())
        if await shared.remove(record.id, mark: record.mark) == .failed {
            isBehind.store(true, ordering: .relaxed)
        } else {
            try? await local.noteShared(RecordStore.Deletion(id: record.id, mark: record.mark))
        }
        // Where it was in neither, the shared store has lost it since it was found there.
        return true
    }

    /// Waits until nobody else deletes this image. Where nobody can tell whether somebody does, it goes on at once.
    /// - Returns: what ends the turn again; nil where there are no others.
    func turn(toDelete id: String, until deadline: ContinuousClock.Instant) async -> (@Sendable () -> Void)? {
        guard let shared else { return nil }
        return await shared.turn(toDelete: id, until: deadline) ?? {}
    }

    // MARK: Bringing the others up to date

    private let contents: Locked<SharedContents>
    private let isWalking = Atomic(false)

    /// How long a deletion is remembered, in seconds.
    private static let deletionTime = 90 * 86_400

    private func isTrusted(_ life: String) -> Bool { contents.withLock { $0.trusted == life } }

    /// Tells the others what they don't know: what is new here, and all where their store has lost something. Does nothing where there is
    /// nothing to do; to be called each second.
    /// - Parameters:
    ///   - shared: in place of the one that requests use, with more patience.
    ///   - connection: another number after each loss of the connection.
    func synchronize(_ shared: any RecordSharing, connection: Int) async {
        guard !isWalking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        defer { isWalking.store(false, ordering: .releasing) }
        guard let life = await shared.life(walked: contents.withLock { $0.walked }) else { return }
        let now = clock()
        if contents.withLock({ $0.isToBeWalked(life.name, connection: connection, at: now) }) {
            // Deletions first: what was deleted while the others could not be told must not be given out again.
            guard await tellDeletions(shared, isWaiting: false), await tellRecords(shared, isWaiting: false) else {
                return
            }
            try? await local.forgetDeletions(before: now - ImageRecords.deletionTime)
            contents.withLock { $0.walk(life.name, connection: connection, at: now) }
            // Whatever was added meanwhile has been told by itself, or waits.
            guard await bringUp(shared), let life = await shared.life(walked: life.name) else { return }
            await see(life, at: now)
        } else {
            if isBehind.load(ordering: .relaxed) { await bringUp(shared) }
            await see(life, at: now)
        }
    }

    private func see(_ life: SharedLife, at now: Int) async {
        if contents.withLock({ $0.see(life, at: now) }) { try? await local.noteLife(life.name) }
    }

    /// Tells what waits.
    /// - Returns: whether the others know all now.
    @discardableResult
    private func bringUp(_ shared: any RecordSharing) async -> Bool {
        // Whatever comes to wait from here on sets it again.
        isBehind.store(false, ordering: .relaxed)
        guard await tellDeletions(shared, isWaiting: true),
            await tellRecords(shared, isWaiting: true), (try? await local.waiting()) == 0
        else {
            isBehind.store(true, ordering: .relaxed)
            return false
        }
        return true
    }

    /// - Returns: whether all went well.
    private func tellDeletions(_ shared: any RecordSharing, isWaiting: Bool) async -> Bool {
        var last = 0
        while true {
            guard let next = try? await local.deletions(after: last, isWaiting: isWaiting, limit: 100) else {
                return false
            }
            for (number, deletion) in next {
                if await shared.remove(deletion.id, mark: deletion.mark) == .failed { return false }
                try? await local.noteShared(deletion)
                last = number
            }
            if next.isEmpty { return true }
        }
    }

    private func tellRecords(_ shared: any RecordSharing, isWaiting: Bool) async -> Bool {
        var last = 0
        while true {
            guard let next = try? await local.journaled(after: last, isWaiting: isWaiting, limit: 100) else {
                return false
            }
            for entry in next {
                switch await shared.put(entry.record.shared(of: entry.owner)) {
                case .done, .known, .taken: if !entry.isShared { try? await local.noteShared(entry.record) }
                case .deleted: try? await local.forget(entry.record)
                case .failed: return false
                }
                last = entry.number
            }
            if next.isEmpty { return true }
        }
    }
}

extension GatewayError {
    /// What other machines know of images can't be had now.
    static var recordsUnshared: GatewayError {
        var error = GatewayError.recordsUnavailable("the Redis that several gateways share can't tell all of them now")
        error.retryAfter = 1
        return error
    }
}
