internal import Testing

@testable internal import Server

@Suite("Answers that wait to be sent") struct AnswerQueueTests {
    /// Everything that waits, taken in pieces of at most `step` bytes.
    private func drain(_ queue: inout AnswerQueue, step: Int) -> [UInt8] {
        var all: [UInt8] = []
        while !queue.isEmpty {
            let piece = queue.withFirstPieces { first, second in Array((Array(first) + Array(second)).prefix(step)) }
            #expect(!piece.isEmpty)
            all += piece
            queue.drop(piece.count)
        }
        return all
    }

    @Test(
        "small and large pieces leave in order, however much is sent at once",
        arguments: [1, 7, 16_384, 20_000, 1_000_000])
    func order(step: Int) {
        var queue = AnswerQueue()
        var expected: [UInt8] = []
        for (index, size) in [3, 20_000, 5, 0, 17_000, 17_001, 40, 16_384].enumerated() {
            let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &+ index) }
            if index % 2 == 0 {
                queue.append(piece)
            } else {
                piece.count > 16_384 ? queue.append(piece) : queue.write { $0 += piece }
            }
            expected += piece
        }
        #expect(queue.count == expected.count)
        #expect(drain(&queue, step: step) == expected)
        queue.append([1, 2, 3])
        #expect(drain(&queue, step: step) == [1, 2, 3])
    }

    @Test("the loop's buffer is borrowed while there is nothing, and given back when all is sent")
    func borrowing() {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(1000)
        var queue = AnswerQueue()
        queue.borrow(&buffer)
        #expect(buffer.capacity == 0)
        queue.append([1, 2, 3])
        queue.giveBack(&buffer)
        #expect(buffer.capacity == 0)
        #expect(drain(&queue, step: 10) == [1, 2, 3])
        queue.giveBack(&buffer)
        #expect(buffer.capacity >= 1000)
        #expect(buffer.isEmpty)
    }
}
