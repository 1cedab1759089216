/// What one server has done since it was made, and what it is at.
public struct ServerCounts: Sendable {
    /// Connections that came.
    public internal(set) var accepted = 0
    /// Bytes of clients and to clients, heads and framing included.
    public internal(set) var received = 0
    public internal(set) var sent = 0
    /// Requests that the responder never saw (broken, too large, too slow), by the status that they were answered with.
    public internal(set) var refused: [UInt16: Int] = [:]
    /// Open ones.
    public internal(set) var connections = 0
    /// Requests that have begun and whose answer isn't written.
    public internal(set) var requestsInFlight = 0

    public init() {}

    /// Both together, for what several workers did.
    public static func + (left: ServerCounts, right: ServerCounts) -> ServerCounts {
        var sum = left
        sum.accepted += right.accepted
        sum.received &+= right.received
        sum.sent &+= right.sent
        sum.refused.merge(right.refused, uniquingKeysWith: +)
        sum.connections += right.connections
        sum.requestsInFlight += right.requestsInFlight
        return sum
    }
}
