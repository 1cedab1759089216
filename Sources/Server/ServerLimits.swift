public import HTTP

/// What a client may cost: sizes in bytes, rates in bytes a second.
public struct ServerLimits: Sendable {
    /// Sizes of a request; see `RequestLimits`.
    public var request = RequestLimits()
    /// Time for a whole head, from the accept or from its first byte; over it: 408.
    public var headTime: Duration = .seconds(10)
    /// Time before a request's content has to keep its least rate. Only time in which we wait for the client counts.
    public var contentGrace: Duration = .seconds(5)
    /// The least rate of a request's content, on average; under it: 408.
    public var contentRate = 240
    /// Time for the whole content of a request; over it: 408.
    public var contentTime: Duration = .seconds(30)
    /// How long a connection is kept between requests.
    public var idleTime: Duration = .seconds(60)
    /// How long an unread answer waits for the client to take `answerRate` times these seconds; then the connection is reset.
    public var stallTime: Duration = .seconds(30)
    /// The least rate at which a client takes an answer.
    public var answerRate = 240
    /// How long, and for how many bytes, we listen after the last answer, so that a reset doesn't destroy it.
    public var lingerTime: Duration = .seconds(1)
    public var lingerBytes = 64 * 1024
    /// The same after an answer that refuses content for its size: a client that only reads once it has sent everything gets it too.
    public var cutOffTime: Duration = .seconds(5)
    public var cutOffBytes = 32 << 20
    /// Content of a request that is read before somebody waits for it, and at once for somebody who does.
    public var contentBuffer = 16 * 1024
    /// Content that is read to its end though the answer is there without it. Over it a success that took no notice of content is 413,
    /// and every other answer is sent at once.
    public var unwantedContent = 1 << 20
    /// Answers that wait for the client; above it no further request of the connection is begun and no stream is pulled. Also the
    /// size that the kernel is asked to buffer.
    public var answerBuffer = 64 * 1024
    /// Requests of one connection that are answered before other connections have their turn.
    public var requestsInTurn = 100
    /// Connections at once; more wait in the kernel's queue.
    public var connections = 10_000
    /// How long a connection has to be idle before it makes room for another client, where all places are taken.
    public var leastIdle: Duration = .seconds(1)
    /// Pause in accepting where descriptors have run out and no connection closes.
    public var acceptPause: Duration = .milliseconds(100)

    public init() {}
}
