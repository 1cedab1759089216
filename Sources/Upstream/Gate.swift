/// Lets a number of requests in at once; the others wait in line. Pure: who waits is an id.
struct Gate: Sendable {
    enum Entry: Sendable, Equatable {
        case inside
        case waiting
        case full
    }

    let capacity: Int
    private let queueLimit: Int
    private(set) var inFlight = 0
    /// The line, first come first; ids that gave up stay in it until their turn.
    private var queue: [UInt64] = []
    private var head = 0
    private var waitingIDs: Set<UInt64> = []

    init(capacity: Int, queueLimit: Int = 1000) {
        self.capacity = max(1, capacity)
        self.queueLimit = queueLimit
    }

    var waiting: Int { waitingIDs.count }

    /// Whether nobody would have to wait.
    var isOpen: Bool { inFlight < capacity && waitingIDs.isEmpty }

    /// Goes in, or takes a place at the end of the line.
    mutating func enter(_ id: UInt64) -> Entry {
        if isOpen {
            inFlight += 1
            return .inside
        }
        guard waitingIDs.count < queueLimit else { return .full }
        if queue.count > 4 * (queueLimit + 1) {
            queue = queue[head...].filter(waitingIDs.contains)
            head = 0
        }
        waitingIDs.insert(id)
        queue.append(id)
        return .waiting
    }

    /// One that was inside leaves; the place goes to the one that is returned, if any.
    mutating func leave() -> UInt64? {
        while head < queue.count {
            let id = queue[head]
            head += 1
            if head > 1024, head * 2 > queue.count {
                queue.removeFirst(head)
                head = 0
            }
            if waitingIDs.remove(id) != nil { return id }
        }
        queue.removeAll(keepingCapacity: true)
        head = 0
        inFlight -= 1
        return nil
    }

    /// One gives up waiting. False where it wasn't waiting (any more).
    mutating func giveUp(_ id: UInt64) -> Bool { waitingIDs.remove(id) != nil }
}
