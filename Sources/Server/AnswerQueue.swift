/// Bytes that wait to be sent, in order. Small pieces are collected in one buffer, large ones are kept as they are: the content of
/// an answer is never copied where it is large.
struct AnswerQueue {
    /// Pieces up to this size are copied behind the others.
    static let copyLimit = 16 * 1024

    /// What is sent before `open`.
    private var closed: [[UInt8]] = []
    /// What is still appended to. A loop's connections take turns with one buffer, so that an idle one holds none.
    private var open: [UInt8] = []
    /// Bytes of the first piece that are sent.
    private var offset = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Lets `body` write at the end.
    mutating func write(_ body: (inout [UInt8]) -> Void) {
        let before = open.count
        body(&open)
        count += open.count - before
    }

    mutating func append(_ piece: [UInt8]) {
        if piece.count <= Self.copyLimit { return write { $0.append(contentsOf: piece) } }
        if !open.isEmpty {
            closed.append(open)
            open = []
        }
        closed.append(piece)
        count += piece.count
    }

    /// Borrows `buffer` for the bytes to come, where none are here.
    mutating func borrow(_ buffer: inout [UInt8]) {
        guard isEmpty, open.capacity == 0 else { return }
        swap(&open, &buffer)
    }

    /// Gives the borrowed buffer back, where all is sent.
    mutating func giveBack(_ buffer: inout [UInt8]) {
        guard isEmpty else { return }
        open.removeAll(keepingCapacity: open.capacity <= 256 * 1024)
        if buffer.capacity < open.capacity { swap(&open, &buffer) }
        open = []
    }

    mutating func removeAll() { self = AnswerQueue() }

    /// Calls `body` with the first two pieces that wait; the second one may be empty.
    func withFirstPieces<Result>(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result) -> Result {
        let first = closed.first ?? open
        let second = closed.count > 1 ? closed[1] : closed.isEmpty ? [] : open
        return first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in body(UnsafeRawBufferPointer(rebasing: first.dropFirst(offset)), second) }
        }
    }

    /// `sent` bytes are on their way.
    mutating func drop(_ sent: Int) {
        count -= sent
        offset += sent
        var done = 0
        while done < closed.count, offset >= closed[done].count {
            offset -= closed[done].count
            done += 1
        }
        if done > 0 { closed.removeFirst(done) }
        if closed.isEmpty, offset >= open.count {
            offset = 0
            open.removeAll(keepingCapacity: true)
        }
    }
}
