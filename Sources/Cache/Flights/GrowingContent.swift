internal import HTTP
internal import Threads

/// The content of an answer that is still coming, for any number of readers on any threads, each at its own pace.
///
/// One writer puts pieces in. Up to `limit` bytes all of it stays, so that whoever comes later gets it from the start and a slow reader holds
/// nobody back. Content that gets longer than that is for those who read it already: what all of them have read is let go of, and the writer
/// waits for the slowest. Until then its room stays taken, so that many slow readers of long contents need no more than few.
final class GrowingContent: Sendable {
    /// Bytes that may wait for the slowest reader once not all of the content is held. So much is held without taking room for it too, so that
    /// small contents can be kept however much of others waits for slow readers.
    private static let window = 64 * 1024

    typealias Wait = CheckedContinuation<Void, Never>

    private struct Reader {
        var place = ContentPieces.Place()
        var wait: Wait?
    }

    private struct State {
        var pieces = ContentPieces()
        var isHeld = true
        /// Bytes that room was taken for.
        var taken = 0
        var end: Result<Void, GatewayError>?
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        /// The writer, where it waits for room.
        var writer: Wait?
        /// Who waits for the end.
        var waiters: [Wait] = []

        /// Whether the slowest reader has nearly all.
        var hasRoom: Bool {
            readers.values.allSatisfy { pieces.total - $0.place.bytes <= GrowingContent.window }
        }

        /// Takes room for all that is held.
        mutating func takeRoom(of growth: Growth) -> Bool {
            guard pieces.total > GrowingContent.window else { return true }
            guard growth.take(pieces.total - taken) else { return false }
            taken = pieces.total
            return true
        }

        /// Lets go of what all have read and nobody can begin to read any more, and of its room.
        mutating func dropRead(givingTo growth: Growth) {
            guard !isHeld else { return }
            pieces.drop(before: readers.values.map(\.place))
            let rest = min(taken, pieces.count)
            growth.give(taken - rest)
            taken = rest
        }

        mutating func takeWriter() -> Wait? {
            guard hasRoom else { return nil }
            defer { writer = nil }
            return writer
        }

        mutating func takeReaders() -> [Wait] {
            readers.keys.compactMap { id in
                defer { readers[id]?.wait = nil }
                return readers[id]?.wait
            }
        }
    }

    /// As the upstream said it.
    let length: Int?
    private let limit: Int
    private let growth: Growth
    private let state = Locked(State())

    /// - Parameter growth: where room is taken for what is held.
    init(length: Int?, limit: Int, growth: Growth) {
        self.length = length
        self.limit = limit
        self.growth = growth
    }

    deinit { growth.give(state.withLock { $0.taken }) }

    // MARK: The writer's side

    /// Whether anybody reads it or waits for its end.
    var isWanted: Bool { state.withLock { !$0.readers.isEmpty || !$0.waiters.isEmpty } }

    /// Bytes that have come.
    var count: Int { state.withLock { $0.pieces.total } }

    /// - Returns: whether all of it is still held.
    @discardableResult
    func put(_ bytes: [UInt8]) -> Bool {
        let (all, isHeld) = state.withLock { state -> ([Wait], Bool) in
            state.pieces.append(bytes)
            var all = state.takeReaders()
            if !state.isHeld || state.pieces.total > limit || !state.takeRoom(of: growth) {
                state.isHeld = false
                state.dropRead(givingTo: growth)
                all += state.waiters
                state.waiters = []
            }
            return (all, state.isHeld)
        }
        for wait in all { wait.resume() }
        return isHeld
    }

    /// Waits until the slowest reader has read enough of what isn't held.
    func room() async {
        await withCheckedContinuation { (wait: Wait) in
            let hasRoom = state.withLock { state in
                if state.isHeld || state.hasRoom { return true }
                state.writer = wait
                return false
            }
            if hasRoom { wait.resume() }
        }
    }

    func end(_ result: Result<Void, GatewayError>) {
        let all = state.withLock { state in
            state.end = result
            defer { state.waiters = [] }
            return state.takeReaders() + state.waiters
        }
        for wait in all { wait.resume() }
    }

    /// Ends it where nobody wants it, so that nobody begins to read it any more.
    /// - Returns: whether nobody did.
    func giveUp() -> Bool {
        state.withLock { state in
            guard state.readers.isEmpty, state.waiters.isEmpty else { return false }
            state.isHeld = false
            return true
        }
    }

    /// Whether all that has come is still here.
    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// All that has come, in one piece; nil where it isn't held.
    var held: [UInt8]? { state.withLock { $0.isHeld ? $0.pieces : nil }?.joined() }

    // MARK: The readers' side

    /// A reader from the start; nil where not all of it is here any more.
    func reader() -> (any BodyStream)? {
        let id = state.withLock { state -> Int? in
            guard state.isHeld else { return nil }
            if case .failure = state.end { return nil }
            state.lastReader += 1
            state.readers[state.lastReader] = Reader()
            return state.lastReader
        }
        return id.map { GrowingReader(self, $0) }
    }

    /// Waits for the end.
    /// - Returns: all of it; nil where it has become too long to be held.
    /// - Throws: why it isn't complete.
    func collected() async throws(GatewayError) -> [UInt8]? {
        await withCheckedContinuation { (wait: Wait) in
            let isOver = state.withLock { state in
                if state.end != nil || !state.isHeld { return true }
                state.waiters.append(wait)
                return false
            }
            if isOver { wait.resume() }
        }
        if case .failure(let error) = state.withLock({ $0.end }) { throw error }
        return held
    }

    /// What a reader gets without waiting: a piece, or nil at the end.
    fileprivate func next(_ id: Int) -> Result<[UInt8]?, GatewayError>? {
        let (result, writer) = state.withLock { state -> (Result<[UInt8]?, GatewayError>?, Wait?) in
            guard var reader = state.readers[id] else { return (.success(nil), nil) }
            guard let bytes = state.pieces.read(&reader.place) else { return (state.end.map { $0.map { nil } }, nil) }
            state.readers[id] = reader
            state.dropRead(givingTo: growth)
            return (.success(bytes), state.takeWriter())
        }
        writer?.resume()
        return result
    }

    /// - Parameter wait: resumed once there may be more.
    fileprivate func wait(_ id: Int, _ wait: Wait) {
        let isWaiting = state.withLock { state in
            guard let reader = state.readers[id], state.end == nil, reader.place.bytes == state.pieces.total else {
                return false
            }
            state.readers[id]?.wait = wait
            return true
        }
        if !isWaiting { wait.resume() }
    }

    fileprivate func wake(_ id: Int) {
        let wait = state.withLock { state in
            defer { state.readers[id]?.wait = nil }
            return state.readers[id]?.wait
        }
        wait?.resume()
    }

    fileprivate func leave(_ id: Int) {
        let writer = state.withLock { state in
            state.readers[id] = nil
            state.dropRead(givingTo: growth)
            return state.takeWriter()
        }
        writer?.resume()
    }
}

/// One reader of a content that is still coming. Letting go of it is leaving.
private final class GrowingReader: BodyStream, Sendable {
    private let content: GrowingContent
    private let id: Int

    init(_ content: GrowingContent, _ id: Int) {
        self.content = content
        self.id = id
    }

    deinit { content.leave(id) }

    var length: Int? { content.length }

    func next() async throws(GatewayError) -> [UInt8]? {
        while true {
            if let result = content.next(id) { return try result.get() }
            if Task.isCancelled { throw .givenUp }
            await withTaskCancellationHandler {
                await withCheckedContinuation { wait in
                    content.wait(id, wait)
                    // Whoever was cancelled before it waited is told by nobody else.
                    if Task.isCancelled { content.wake(id) }
                }
            } onCancel: {
                content.wake(id)
            }
        }
    }
}
