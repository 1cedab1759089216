import Glibc
import Loop
import Plan
import Testing

@testable import Upstream

/// Both ends of a connection, one of which is given away.
private struct Pair {
    let given: Int32
    let peer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, "no sockets")
        (given, peer) = (ends[0], ends[1])
    }

    func send() { _ = Glibc.send(peer, "x", 1, Int32(MSG_NOSIGNAL)) }

    /// Whether the other end was closed, asked once.
    var isEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(peer, &byte, 1, Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno == ECONNRESET
    }
}

@Suite("Sockets that are watched after their answer", .timeLimit(.minutes(1)))
struct SettlingTests {
    /// Runs `body` on a loop with sockets to watch and what is said about them.
    private static func run<Value: Sendable>(
        _ body:
            @escaping @Sendable (SettlingSockets, AsyncStream<(Int, Trust.Verdict)>) async throws -> Value
    ) async throws -> Value {
        try await Bench.run(UpstreamShared(plans: [Bench.plan { _ in }])) { bench in
            let verdicts = AsyncStream.makeStream(of: (Int, Trust.Verdict).self)
            let sockets = SettlingSockets(loop: bench.loop)
            sockets.onVerdict = { verdicts.continuation.yield(($0, $1)) }
            return try await body(sockets, verdicts.stream)
        }
    }

    @Test("are quiet, noisy or ended, and closed then", arguments: [Trust.Verdict.quiet, .noisy, .unknown])
    func verdict(expected: Trust.Verdict) async throws {
        let pair = Pair()
        defer { close(pair.peer) }
        let verdict = try await Self.run { sockets, verdicts in
            #expect(sockets.keep(pair.given, OpenSockets.Kept(serial: 7, upstream: 3)))
            sockets.watch(7, for: expected == .quiet ? .milliseconds(20) : .seconds(50))
            switch expected {
            case .quiet: break
            case .noisy: pair.send()
            case .unknown: shutdown(pair.peer, Int32(SHUT_WR))
            }
            for await (upstream, verdict) in verdicts {
                #expect(upstream == 3 && sockets.count == 0)
                return verdict
            }
            throw CancellationError()
        }
        #expect(verdict == expected)
        #expect(pair.isEnded)
    }

    @Test("are closed when their attempt had no answer, and nothing is said about them")
    func dropped() async throws {
        let pair = Pair()
        defer { close(pair.peer) }
        try await Self.run { sockets, _ in
            #expect(sockets.keep(pair.given, OpenSockets.Kept(serial: 7, upstream: 0)))
            pair.send()
            sockets.drop(7)
            sockets.drop(7)
            sockets.watch(7, for: .zero)
            #expect(sockets.count == 0)
            #expect(pair.isEnded)
        }
    }

    @Test("are closed with the client, whether they are watched already or not")
    func ended() async throws {
        let pairs = [Pair(), Pair()]
        try await Self.run { sockets, _ in
            for (serial, pair) in pairs.enumerated() {
                #expect(sockets.keep(pair.given, OpenSockets.Kept(serial: UInt64(serial), upstream: 0)))
            }
            sockets.watch(1, for: .seconds(50))
        }
        for pair in pairs {
            #expect(pair.isEnded)
            close(pair.peer)
        }
    }

    @Test("are no more than 256")
    func limit() async throws {
        let pairs = (0..<257).map { _ in Pair() }
        try await Self.run { sockets, _ in
            let isKept = pairs.enumerated().map { serial, pair in
                sockets.keep(pair.given, OpenSockets.Kept(serial: UInt64(serial), upstream: 0))
            }
            #expect(isKept.firstIndex(of: false) == 256)
        }
        if let last = pairs.last { close(last.given) }
        for pair in pairs { close(pair.peer) }
    }
}

@Suite("The open sockets")
struct OpenSocketsTests {
    /// Sockets with one that is used for the first time. (The port of a local socket is 0.)
    private static func used() -> (OpenSockets, Pair) {
        let pair = Pair()
        var sockets = OpenSockets()
        sockets.opened(pair.given, upstream: 3)
        #expect(sockets.begin(localPort: 0, isSecure: false) == .clean(serial: 1, requests: 1))
        return (sockets, pair)
    }

    private static func close(_ pair: Pair) {
        Glibc.close(pair.given)
        Glibc.close(pair.peer)
    }

    @Test("count their requests, and are not used where more came in between")
    func requests() {
        var (sockets, pair) = Self.used()
        defer { Self.close(pair) }
        #expect(sockets.end(1, isAnswered: true) == false)
        #expect(sockets.begin(localPort: 0, isSecure: false) == .clean(serial: 1, requests: 2))
        #expect(sockets.end(1, isAnswered: true) == false)
        pair.send()
        #expect(sockets.begin(localPort: 0, isSecure: false) == .noisy)
    }

    @Test("that hold more right after an answer are used no more", arguments: [true, false])
    func more(isAnswered: Bool) {
        var (sockets, pair) = Self.used()
        defer { Self.close(pair) }
        pair.send()
        #expect(sockets.end(1, isAnswered: isAnswered) == isAnswered)
        #expect(pair.isEnded == isAnswered)
    }

    @Test("are watched where libcurl is done with them during the request that asked for it, and not later")
    func kept() {
        for isDuring in [true, false] {
            var (sockets, pair) = Self.used()
            defer { Self.close(pair) }
            sockets.keep(1)
            if !isDuring { #expect(sockets.end(1, isAnswered: true) == false) }
            #expect(sockets.closed(pair.given) == (isDuring ? OpenSockets.Kept(serial: 1, upstream: 3) : nil))
            #expect(sockets.count == 0)
        }
    }

    @Test("of an upstream are taken out of use at once, or after their request; others are not")
    func retired() {
        var (sockets, pair) = Self.used()
        defer { Self.close(pair) }
        sockets.retireAll(of: 2)
        #expect(sockets.end(1, isAnswered: true) == false)
        #expect(!pair.isEnded)
        #expect(sockets.begin(localPort: 0, isSecure: false) == .clean(serial: 1, requests: 2))
        sockets.retireAll(of: 3)
        #expect(!pair.isEnded)
        #expect(sockets.end(1, isAnswered: true) == false)
        #expect(pair.isEnded)
        #expect(sockets.begin(localPort: 0, isSecure: false) == .ended)
    }
}
