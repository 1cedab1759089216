internal import Glibc
internal import HTTP
internal import Loop
internal import Server
internal import Testing
internal import Threads

@Suite("Listening and draining") struct ListeningTests {
    private static func server() throws -> Server {
        let loop = try EventLoop()
        return Server(loop: loop, responder: Script(loop: loop, body: Script.respond)) { _ in }
    }

    @Test("a free port is found, for literals and names", arguments: ["127.0.0.1", "localhost", "0.0.0.0"])
    func freePort(host: String) throws {
        let address = try Self.server().listen(host: host, port: 0)
        #expect(address.port > 0)
    }

    @Test("an address is written as in a URL")
    func description() throws {
        let server = try Self.server()
        let address = try server.listen(host: "127.0.0.1", port: 0)
        #expect(address.description == "127.0.0.1:\(address.port)")
        let second = try? server.listen(host: "::1", port: 0)
        #expect(second == nil || second?.description == "[::1]:\(second?.port ?? 0)")
    }

    @Test("several servers share a port")
    func sharedPort() throws {
        let (first, second) = (try Self.server(), try Self.server())
        let address = try first.listen(host: "127.0.0.1", port: 0)
        #expect(try second.listen(host: "127.0.0.1", port: address.port) == address)
    }

    @Test("a port that somebody else has is refused")
    func takenPort() throws {
        let other = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(other) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(bind(other, $0, length) == 0 && listen(other, 1) == 0 && getsockname(other, $0, &length) == 0)
            }
        }
        let port = Int(UInt16(bigEndian: address.sin_port))
        #expect(throws: ServerError.cannotListen("127.0.0.1:\(port)", "Address already in use")) {
            try Self.server().listen(host: "127.0.0.1", port: port)
        }
    }

    @Test("a host that there isn't is refused", arguments: ["256.0.0.1", "no host"])
    func unknownHost(host: String) {
        #expect(throws: ServerError.self) { try Self.server().listen(host: host, port: 0) }
    }

    @Test("above the most connections, clients wait until one is closed")
    func fullHouse() async throws {
        var limits = ServerLimits()
        limits.connections = 1
        let running = try RunningServer(limits: limits)
        defer { running.stop() }
        let port = running.port
        try await RawClient.onThread {
            let first = try RawClient(port: port)
            try first.send(get("/"))
            #expect(try first.answer().status == 200)
            let second = try RawClient(port: port)
            try second.send(get("/"))
            try first.send(get("/", "Connection: close\r\n"))
            #expect(try first.answer().status == 200)
            #expect(try first.end() == .closed)
            first.endSending()
            #expect(try second.answer().status == 200)
        }
    }

    @Test("above the most connections, one that is idle makes room, and one at work doesn't")
    func idleMakesRoom() async throws {
        var limits = ServerLimits()
        limits.connections = 1
        limits.leastIdle = .zero
        let running = try RunningServer(limits: limits)
        defer { running.stop() }
        let port = running.port
        try await RawClient.onThread {
            let idle = try RawClient(port: port)
            try idle.send(get("/"))
            #expect(try idle.answer().status == 200)
            let second = try RawClient(port: port)
            try second.send(get("/"))
            #expect(try second.answer().status == 200)
            #expect(try idle.end() == .closed)
            // Nobody waits now.
            try second.send("GET / HTTP/1.1\r\nHost: a\r\n")
            let third = try RawClient(port: port)
            #expect(!second.waitForReset(milliseconds: 300))
            try second.send("\r\n")
            #expect(try second.answer().status == 200)
            try third.send(get("/"))
            #expect(try third.answer().status == 200)
        }
    }

    @Test("without descriptors the server waits quietly and recovers")
    func exhaustion() async {
        await #expect(processExitsWith: .success) {
            let running = try RunningServer()
            let port = running.port
            try await RawClient.onThread {
                var limit = rlimit(rlim_cur: 60, rlim_max: 60)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                let first = try RawClient(port: port)
                try first.send(get("/"))
                #expect(try first.answer().status == 200)
                // Both ends are in this process: the last clients find no descriptor on the server's side.
                let start = ContinuousClock.now
                var clients: [RawClient] = []
                while let client = try? RawClient(port: port) { clients.append(client) }
                for client in clients { try client.send(get("/")) }
                let ticks = clock()
                for _ in 0..<20 { #expect(!first.waitForReset(milliseconds: 50)) }
                #expect(clock() - ticks < CLOCKS_PER_SEC / 2, "it spins")
                let lines = running.logged.withLock { $0 }
                #expect(lines.first == "cannot accept clients: Too many open files")
                #expect(lines.count <= 1 + start.duration(to: .now).components.seconds)
                try first.send(get("/"))
                #expect(try first.answer().status == 200)
                // Each of the rest needs a second descriptor, for the server's end.
                let rest = Array(clients.suffix(clients.count / 3))
                clients.removeAll()
                for client in rest { #expect(try client.answer().status == 200) }
            }
            running.stop()
        }
    }

    // MARK: Drain

    @Test("a drain answers what is at work, tells clients to close, and ends")
    func drain() async throws {
        let (arrived, go) = (Signal(), Signal())
        let running = try RunningServer { request, _ in
            if request.target.path == "/slow" {
                arrived.give()
                await go.wait()
            }
            return Response(body: .bytes(Array("ok".utf8)))
        }
        defer { running.stop() }
        let port = running.port
        async let slow: Void = running.onClient { client in
            try client.send(get("/slow"))
            #expect(try client.answer()["Connection"] == "close")
            #expect(try client.end() == .closed)
        }
        let idle = try await RawClient.onThread {
            let client = try RawClient(port: port)
            try client.send(get("/"))
            #expect(try client.answer()["Connection"] == nil)
            return Kept(client)
        }
        await arrived.wait()
        async let drained: Void = running.onLoop { await $0.drain(grace: .milliseconds(300), limit: .seconds(20)) }
        // Within the grace new clients are still answered.
        try await running.onClient { client in
            var answer = RawClient.Answer(status: 0, fields: [], body: [])
            repeat {
                try client.send(get("/"))
                answer = try client.answer()
            } while answer["Connection"] == nil
            #expect(try client.end() == .closed)
        }
        let end = try await RawClient.onThread { try idle.value.end() }
        #expect(end == .closed)
        await #expect(throws: RawClient.Trouble.cannotConnect) {
            while true { _ = try await RawClient.onThread { Kept(try RawClient(port: port)) } }
        }
        go.give()
        try await slow
        await drained
        #expect(await running.onLoop { $0.connectionCount } == 0)
    }

    @Test("a drain that takes too long resets what is left")
    func hardStop() async throws {
        let arrived = Signal()
        let running = try RunningServer { _, loop in
            arrived.give()
            try? await loop.sleep(for: .seconds(60))
            return Response()
        }
        defer { running.stop() }
        async let client: Void = running.onClient { client in
            try client.send(get("/"))
            #expect(throws: RawClient.Trouble.ended) { try client.answer() }
        }
        await arrived.wait()
        await running.onLoop { await $0.drain(grace: .milliseconds(1), limit: .milliseconds(50)) }
        #expect(await running.onLoop { $0.connectionCount } == 0)
        try await client
    }

    @Test("a drain without clients ends after its grace")
    func emptyDrain() async throws {
        let running = try RunningServer()
        await running.onLoop { await $0.drain(grace: .milliseconds(1), limit: .seconds(20)) }
        running.stop()
    }
}
