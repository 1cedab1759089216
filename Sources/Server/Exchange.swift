internal import HTTP

/// One request of a connection and its answer, from the head to the last byte. Confined to the connection's loop.
final class Exchange: @unchecked Sendable {
    let client: AnswerPlan.Client
    /// The request's content; nil where it has none.
    let content: IncomingContent?
    /// The request until it is handed to the responder.
    var head: RequestHead?
    /// The client waits for `100 Continue` and hasn't got it.
    var owesContinue: Bool
    /// Whether the rest of the content is read and thrown away, for an answer is ready.
    var isDiscarding = false
    /// Whether that answer stands, though more of the content comes than is thrown away.
    var isAnswerKept = false
    /// Bytes that were thrown away.
    var discardedCount = 0
    /// Whether the answer's head is written: nothing more is read from the client then, unless the answer reads it.
    var isAnswering = false
    var answerReads = false
    var clock = ContentClock()
    /// The responder's work; cancelled when the client goes away.
    var task: Task<Void, Never>?
    /// Waits until the rest of the content is thrown away.
    var discarded: CheckedContinuation<Void, Never>?
    /// Waits until the client has taken enough of a streamed answer.
    var hasRoom: CheckedContinuation<Void, Never>?

    init(head: RequestHead, content: IncomingContent?) {
        self.head = head
        self.content = content
        client = AnswerPlan.Client(
            isHead: head.method == .head, isVersion10: head.isVersion10, keepsAlive: head.keepsAlive)
        owesContinue = head.expectsContinue
    }

    var hasAllContent: Bool { content?.isComplete ?? true }

    /// Whether bytes of the content may be read now. As long as the client waits for `100 Continue`, what it sends all the same is
    /// left alone: what becomes of the request must not depend on how fast its bytes come.
    func wantsContent(_ limits: ServerLimits) -> Bool {
        guard let content, !content.isComplete, !isAnswering || answerReads, !owesContinue else { return false }
        if isDiscarding { return true }
        return (content.isWanted || head != nil) && content.buffer.count < limits.contentBuffer
    }

    /// Lets all who wait go on: the exchange is over.
    func end(_ error: GatewayError) {
        content?.finish(.failure(error))
        resumeDiscarded()
        resumeRoom()
        task?.cancel()
    }

    func resumeDiscarded() {
        discarded?.resume()
        discarded = nil
    }

    func resumeRoom() {
        hasRoom?.resume()
        hasRoom = nil
    }
}
