import Glibc
import HTTP
import Loop
import Testing
import Threads

@testable import Upstream

/// Answers that are handed on while they come.
struct StreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// Sends the head and one chunk, and goes on as `rest` says.
    private static func server(_ rest: @escaping @Sendable (RawServer.Connection) -> Void) -> RawServer {
        RawServer { connection in
            guard connection.receiveHead() != nil else { return }
            connection.send(head + "3\r\nabc\r\n")
            rest(connection)
        }
    }

    private static func stream(_ bench: Bench, _ request: Request = Request(target: Target("/")))
        async
        throws(GatewayError) -> (Response, any BodyStream)?
    {
        let response = try await bench.client.responder(for: 0, as: .streamed).respond(to: request)
        guard case .stream(let stream) = response.body else {
            Issue.record("the answer is no stream")
            return nil
        }
        return (response, stream)
    }

    /// Waits until the upstream has as many requests in flight.
    private static func until(inFlight count: Int, _ bench: Bench) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while bench.counts.inFlight != count, ContinuousClock.now < end {
            try await bench.loop.sleep(for: .milliseconds(5))
        }
        #expect(bench.counts.inFlight == count)
    }

    @Test("content comes as it is sent, and the place is given back at its end")
    func pieces() async throws {
        let go = Flag()
        let server = Self.server { connection in
            go.wait()
            connection.send("3\r\ndef\r\n0\r\n\r\n")
        }
        try await Bench.run(server) { bench in
            guard let (response, stream) = try await Self.stream(bench) else { return }
            #expect(response.status == .ok && stream.length == nil && bench.counts.inFlight == 1)
            #expect(try await stream.next() == Array("abc".utf8))
            go.raise()
            #expect(try await stream.next() == Array("def".utf8))
            #expect(try await stream.next() == nil)
            #expect(bench.counts.inFlight == 0 && bench.counts.failures.isEmpty)
        }
    }

    @Test("content that breaks off is an error behind what came of it")
    func broken() async throws {
        let go = Flag()
        let server = Self.server { connection in
            go.wait()
            connection.end()
        }
        try await Bench.run(server) { bench in
            guard let (_, stream) = try await Self.stream(bench) else { return }
            #expect(try await stream.next() == Array("abc".utf8))
            go.raise()
            let error = await #expect(throws: GatewayError.self) { try await stream.next() }
            #expect(error?.code == "upstream-closed" && bench.counts.failures == ["upstream-closed": 1])
            #expect(bench.counts.inFlight == 0)
        }
    }

    @Test("malformed chunks are an error")
    func malformed() async throws {
        let go = Flag()
        let server = Self.server { connection in
            go.wait()
            connection.send("x\r\n")
        }
        try await Bench.run(server) { bench in
            guard let (_, stream) = try await Self.stream(bench) else { return }
            #expect(try await stream.next() == Array("abc".utf8))
            go.raise()
            let error = await #expect(throws: GatewayError.self) { try await stream.next() }
            #expect(error?.code == "upstream-framing")
        }
    }

    @Test("whoever lets go of the content closes the connection")
    func left() async throws {
        let closed = Flag()
        let server = Self.server { connection in
            while connection.receive() != nil {}
            closed.raise()
        }
        try await Bench.run(server) { bench in
            _ = try await Self.stream(bench)
            try await Self.until(inFlight: 0, bench)
        }
        closed.wait()
    }

    @Test("a reader that takes nothing holds the upstream back, and gets all in the end")
    func slow() async throws {
        let length = 32 << 20
        let sent = Locked(0)
        let server = RawServer { connection in
            guard connection.receiveHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 0..<32 {
                connection.send(piece)
                sent.withLock { $0 += piece.count }
            }
        }
        try await Bench.run(server) { bench in
            guard let (_, stream) = try await Self.stream(bench) else { return }
            #expect(stream.length == length)
            var before = -1
            while before != sent.withLock({ $0 }) {
                before = sent.withLock { $0 }
                try await bench.loop.sleep(for: .milliseconds(200))
            }
            #expect(before < length)
            var count = 0
            while let piece = try await stream.next() {
                #expect(piece.count <= 2 * AnswerStream.window)
                count += piece.count
            }
            #expect(count == length)
        }
    }

    @Test("what is small comes whole, and what may not be so long isn't begun")
    func whole() async throws {
        let server = RawServer(answer: { _ in ok("abc") })
        try await Bench.run(server) { bench in
            let responder = bench.client.responder(for: 0, as: .streamed)
            let response = try await responder.respond(to: Request(target: Target("/")))
            #expect(response.body.length == 3)
            let budget = Budget(deadline: .now + .seconds(20), calls: 3, bytes: 2)
            let error = await #expect(throws: GatewayError.self) {
                try await responder.respond(to: Request(target: Target("/"), budget: budget))
            }
            #expect(error?.code == "budget-exceeded" && bench.counts.inFlight == 0)
        }
    }
}

/// Something that one thread waits for and another does.
private final class Flag: Sendable {
    private let isRaised = Locked(false)
    func raise() { isRaised.withLock { $0 = true } }
    /// Twenty seconds at the most.
    func wait() {
        for _ in 0..<20_000 where !isRaised.withLock({ $0 }) { usleep(1000) }
    }
}
