internal import HTTP
internal import Loop

/// One client's connection: reads requests one after the other, hands each to the responder, writes the answers in order.
/// Confined to its loop.
///
/// The socket is watched edge-triggered, so the connection remembers what it was told (`canRead`, `canWrite`) and ``drive()``
/// does all that can be done: read, parse, answer, send. Everything that happens ends there: news from the kernel, an answer that
/// is ready, content that was taken, a deadline.
final class Connection: @unchecked Sendable {
    enum Phase {
        /// Nothing of a next request has come.
        case waiting(since: Moment, isFirst: Bool)
        /// A head is being read.
        case head(since: Moment)
        case exchange(Exchange)
        /// The last answer is being sent.
        case closing
        /// We have ended our side and wait for the client's end.
        case lingering(until: Moment, bytesLeft: Int)
        case closed
    }

    let server: Server
    var loop: EventLoop { server.loop }
    var limits: ServerLimits { server.limits }
    var phase: Phase
    var parser: RequestParser
    var answers = AnswerQueue()
    var stall = StallClock()
    /// Bytes that are read and not parsed, and how many of them are done with.
    var tail: [UInt8] = []
    var tailStart = 0

    // What the kernel told.
    var canRead = false
    var canWrite = true
    var inputHasEnded = false
    /// The client has ended its side: a short read is not the last one.
    var endIsNear = false
    /// A short read came last: a reset may stand behind the bytes, told by the same edge.
    var mayBeReset = false

    private(set) var socket: Socket?
    private var watch: SocketWatch?
    private var timer: LoopTimer?
    /// When the timer fires; nil where it doesn't run.
    private var timerEnd: Moment?
    private(set) var isDriving = false
    /// Whether the last answer refuses content that is still coming.
    var isCutOff = false
    private var willDrive = false
    private var requestsLeft = 0

    /// - Throws: where the socket can't be watched; it is closed then.
    init(server: Server, socket: consuming Socket, now: Moment) throws(EventLoopError) {
        self.server = server
        parser = RequestParser(limits: server.limits.request, names: server.names)
        phase = .waiting(since: now, isFirst: true)
        let descriptor = socket.descriptor
        self.socket = consume socket
        watch = try SocketWatch(loop: server.loop, descriptor: descriptor) { [unowned self] in self.socketChanged($0) }
        setTimer(now)
    }

    var isOpen: Bool {
        if case .closed = phase { return false }
        return true
    }

    /// Whether a request is in work.
    var isAtWork: Bool {
        if case .exchange = phase { return true }
        return false
    }

    /// Where it waits for a request of which nothing has come: since when, and whether that is the first one.
    private var waiting: (start: Moment, isFirst: Bool)? {
        guard case .waiting(let start, let isFirst) = phase, answers.isEmpty, parser.isBetweenRequests else {
            return nil
        }
        return (start, isFirst)
    }

    /// Whether something has come in that was not read yet: such a request is not lost.
    private var hasUnread: Bool { socket?.hasInput() ?? false }

    /// Since when it waits for a request of which nothing has come; nil where it doesn't.
    var idleSince: Moment? { waiting?.start }

    /// Whether `exchange` is the one that is in work.
    func isCurrent(_ exchange: Exchange) -> Bool {
        if case .exchange(let current) = phase { return current === exchange }
        return false
    }

    // MARK: Events

    private func socketChanged(_ readiness: Readiness) {
        if readiness.contains(.read) { canRead = true }
        if readiness.contains(.write) { canWrite = true }
        if readiness.contains(.closed) {
            canRead = true
            endIsNear = true
        }
        drive()
        // While nothing is read, only a reset says that the client has gone.
        if canRead, isOpen, !wantsInput, socket?.isGone() ?? false { close() }
    }

    private func timerFired() {
        timerEnd = nil
        checkTime(.now)
        drive()
    }

    // MARK: Work

    /// Whether bytes from the client have a place to go.
    var wantsInput: Bool {
        switch phase {
        case .waiting, .head: !inputHasEnded && answers.count < server.limits.answerBuffer
        case .exchange(let exchange): !inputHasEnded && exchange.wantsContent(server.limits)
        case .lingering: !inputHasEnded
        case .closing, .closed: false
        }
    }

    /// Whether another request may begin in this turn.
    func beginsRequest() -> Bool {
        requestsLeft -= 1
        return requestsLeft >= 0
    }

    /// Does all that can be done now. Called again while it runs, it leaves the work to the first call.
    func drive() {
        guard !isDriving, isOpen else { return }
        isDriving = true
        requestsLeft = limits.requestsInTurn
        var reads = 4
        answers.borrow(&server.answerBuffer)
        repeat {
            let hasRead = readOnce()
            reads -= hasRead ? 1 : 0
            sendAnswers()
            checkReset()
            if !isOpen { break }
        } while hasInput && reads > 0 && requestsLeft > 0
        answers.giveBack(&server.answerBuffer)
        isDriving = false
        guard isOpen else { return }
        if hasInput { driveLater() }
        setTimer(.now)
    }

    /// After a short read, looks for a reset that came with the bytes. Not needed where an answer was sent: that would have failed.
    private func checkReset() {
        guard mayBeReset else { return }
        mayBeReset = false
        switch phase {
        case .head, .exchange:
            if wantsInput { canRead = true } else if socket?.isGone() ?? true { close() }
        case .waiting, .closing, .lingering, .closed: break
        }
    }

    private var hasInput: Bool { wantsInput && (canRead || tailStart < tail.count) }

    /// Other connections have their turn first.
    private func driveLater() {
        guard !willDrive else { return }
        willDrive = true
        loop.submit {
            self.willDrive = false
            self.drive()
        }
    }

    // MARK: Time

    private func setTimer(_ now: Moment) {
        if case .exchange(let exchange) = phase {
            exchange.clock.changed(isWaiting: wantsInput, at: now)
        }
        guard let due = nextDeadline(now) else { return }
        if let timerEnd, timerEnd <= due { return }
        if timer == nil { timer = LoopTimer(loop: loop) { [unowned self] in self.timerFired() } }
        timerEnd = due
        timer?.start(after: .milliseconds(max(due.elapsed(since: now), 0) + 4))
    }

    // MARK: Ends

    /// Ends a connection that nobody uses; one that has had no request yet only where `isFirst` says so.
    func closeIfIdle(alsoFirst: Bool) {
        guard let waiting, alsoFirst || !waiting.isFirst, !hasUnread else { return }
        endSending()
        setTimer(.now)
    }

    /// Closes a connection that nobody uses, to make room: no request of which anything has come is lost.
    func dropIfIdle() {
        guard waiting != nil, !hasUnread else { return }
        close(reset: socket?.hasUnsentBytes() ?? false)
    }

    /// Ends at once. What waits for the connection is told, and the responder's work is cancelled.
    func close(reset: Bool = false) {
        guard isOpen else { return }
        let last = phase
        let descriptor = socket?.descriptor
        phase = .closed
        watch?.cancel()
        watch = nil
        timer = nil
        if reset { socket?.resetOnClose() }
        socket = nil
        tail = []
        answers.removeAll()
        if case .exchange(let exchange) = last { exchange.end(.clientGone) }
        if let descriptor { server.connectionClosed(descriptor) }
    }
}
