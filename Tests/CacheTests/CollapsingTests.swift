import HTTP
import Testing
import Threads

@testable import Cache

struct CollapsingTests {
    /// An upstream whose answers wait until they are let go.
    private final class Gate: Sendable {
        private let state = Locked<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))
        let arrived = Counter()

        func pass() async {
            _ = arrived.add(1)
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isOpen = true
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private func crowd(_ count: Int, _ bench: Bench, _ text: String = "") -> [Task<Bench.Reply, Never>] {
        (0..<count).map { _ in Task { await bench.ask(text) } }
    }

    @Test("a thousand clients of a cold or expired thing cause one request")
    func collapses() async {
        let gates = [Gate(), Gate()]
        let origin = ScriptedOrigin { _, turn in
            await gates[min(turn, 1)].pass()
            return response("Cache-Control: max-age=60", body: "turn \(turn)")
        }
        let bench = Bench(origin)
        for turn in 0..<2 {
            let clients = crowd(1000, bench)
            await until { bench.shared.flying == (1, 999) }
            gates[turn].open()
            var collapsed = 0
            for client in clients {
                let reply = await client.value
                #expect(reply.code == 200 && reply.body == "turn \(turn)")
                if reply.status.contains("; collapsed") { collapsed += 1 }
            }
            #expect(collapsed == 999 && origin.requests.count == turn + 1)
            bench.pass(61)
        }
        let counts = bench.shared.store.counts
        #expect((counts.collapsed, counts.misses) == (1998, 2) && counts.lookups == 2000)
        #expect(bench.shared.flying == (0, 0))
    }

    @Test("a failure reaches those who wait, and the next client asks anew")
    func failure() async {
        let gate = Gate()
        let origin = ScriptedOrigin { _, turn throws(GatewayError) in
            await gate.pass()
            if turn == 0 {
                throw GatewayError(source: .upstream("x"), code: "upstream-closed", status: .badGateway, detail: "")
            }
            return response("Cache-Control: max-age=60", body: "good")
        }
        let bench = Bench(origin)
        let clients = crowd(50, bench)
        await until { bench.shared.flying == (1, 49) }
        gate.open()
        for client in clients { #expect(await client.value.description == "502 upstream-closed ()") }
        #expect(origin.requests.count == 1)
        #expect(await bench.ask().body == "good")
    }

    @Test("an error of the upstream is one for all who asked, and isn't kept")
    func errorStatus() async {
        let gate = Gate()
        let origin = ScriptedOrigin { _, turn in
            await gate.pass()
            return response("X: y", 503, body: "down \(turn)")
        }
        let bench = Bench(origin)
        let clients = crowd(50, bench)
        await until { bench.shared.flying == (1, 49) }
        gate.open()
        for client in clients { #expect(await client.value.body == "down 0") }
        #expect(await bench.ask().body == "down 1")
    }

    @Test("an error with a cookie is for the one who asked, and each that waited asks for itself")
    func errorWithCookie() async {
        let gate = Gate()
        let origin = ScriptedOrigin { _, turn in
            await gate.pass()
            return response("Set-Cookie: session=S\(turn)", 503, body: "down \(turn)")
        }
        let bench = Bench(origin)
        let clients = crowd(5, bench)
        await until { bench.shared.flying == (1, 4) }
        gate.open()
        var bodies: Set<String> = []
        for client in clients { bodies.insert(await client.value.body) }
        #expect(bodies == ["down 0", "down 1", "down 2", "down 3", "down 4"])
    }

    @Test("while the upstream fails, each that waited gets what is kept")
    func staleForAll() async {
        let gate = Gate()
        let origin = ScriptedOrigin { _, turn in
            guard turn > 0 else { return response("Cache-Control: max-age=60, stale-if-error=600", body: "one") }
            await gate.pass()
            return response("X: y", 500, body: "down")
        }
        let bench = Bench(origin)
        _ = await bench.ask()
        bench.pass(61)
        let clients = crowd(50, bench)
        await until { bench.shared.flying == (1, 49) }
        gate.open()
        for client in clients { #expect(await client.value.body == "one") }
        #expect(origin.requests.count == 2)
    }

    @Test("what may not be shared is fetched by each for itself, and nobody waits for it the next time")
    func unshared() async {
        let gate = Gate()
        let origin = ScriptedOrigin { _, turn in
            await gate.pass()
            return response("Cache-Control: private", body: "turn \(turn)")
        }
        let bench = Bench(origin)
        let clients = crowd(20, bench)
        await until { bench.shared.flying == (1, 19) }
        gate.open()
        var bodies: Set<String> = []
        for client in clients { bodies.insert(await client.value.body) }
        #expect(bodies.count == 20)
        #expect(bench.shared.unshared.contains(CacheKey(bench.cache.url(of: Target("/a"))), at: now))
    }

    @Test("a leader whose client goes hands over, and the upstream is asked again for the others")
    func leaderCancelled() async {
        let gate = Gate()
        let origin = ScriptedOrigin { _, turn throws(GatewayError) in
            await gate.pass()
            if Task.isCancelled {
                throw GatewayError(source: .client, code: "cancelled", status: .serviceUnavailable, detail: "")
            }
            return response("Cache-Control: max-age=60", body: "turn \(turn)")
        }
        let bench = Bench(origin)
        let leader = Task { await bench.ask() }
        await until { gate.arrived.value == 1 }
        let clients = crowd(10, bench)
        await until { bench.shared.flying == (1, 10) }
        leader.cancel()
        gate.open()
        #expect(await leader.value.body == "cancelled")
        for client in clients { #expect(await client.value.body == "turn 1") }
        #expect(origin.requests.count == 2)
    }

    @Test("a leader looks into the store once more: another flight may just have landed")
    func secondLook() async throws {
        let bench = Bench(response("Cache-Control: max-age=60", body: "one"))
        _ = await bench.ask()
        let key = CacheKey(bench.cache.url(of: Target("/a")))
        let lease = try #require(bench.shared.flights.lead(bench.cache.flightKey(request(), key)))
        let follower = Task { await bench.ask("Cache-Control: max-age=0") }
        await until { bench.shared.flying == (1, 1) }
        let answer = try await bench.cache.lead(request(), key, lease)
        #expect(answer.status.isHit)
        // Who wanted it checked gets it checked.
        #expect(await follower.value.status.hasPrefix("sluice; fwd=request"))
        #expect(bench.origin.requests.count == 2)
    }

    @Test("a client that waits is gone when its own time is up")
    func deadline() async {
        let gate = Gate()
        let origin = ScriptedOrigin { _, _ in
            await gate.pass()
            return response("Cache-Control: max-age=60")
        }
        let bench = Bench(origin)
        let leader = Task { await bench.ask() }
        await until { gate.arrived.value == 1 }
        // The bench's alarms ring at once.
        let budget = Budget(deadline: .now + .seconds(60), calls: 9, bytes: 1 << 20)
        #expect(await bench.ask(budget: budget).description == "504 upstream-timeout ()")
        gate.open()
        #expect(await leader.value.code == 200)
    }

    @Test("no more than the limit wait")
    func crowded() async {
        let gate = Gate()
        let origin = ScriptedOrigin { _, _ in
            await gate.pass()
            return response("Cache-Control: max-age=60")
        }
        let bench = Bench(origin, waiterLimit: 5)
        let clients = crowd(6, bench)
        await until { bench.shared.flying == (1, 5) }
        #expect(await bench.ask().description == "503 crowded ()")
        gate.open()
        for client in clients { #expect(await client.value.code == 200) }
    }

    @Test("who asks after a change doesn't get an answer from before it")
    func change() async {
        let gate = Gate()
        let origin = ScriptedOrigin { request, turn in
            if request.method == .put { return response("", 204, body: "") }
            if turn == 0 { await gate.pass() }
            return response("Cache-Control: max-age=60", body: "turn \(turn)")
        }
        let bench = Bench(origin)
        let early = Task { await bench.ask() }
        await until { gate.arrived.value == 1 }
        _ = await bench.ask("", .put)
        #expect(await bench.ask().body == "turn 2")
        gate.open()
        #expect(await early.value.body == "turn 0")
        // What came late wasn't kept.
        #expect(await bench.ask().description == "200 turn 2 (sluice; hit; ttl=60)")
    }

    @Test("a gateway shares an answer that nobody may keep among those who asked at once, a mirror doesn't")
    func uselessAnswers() async {
        for (rules, expected) in [(CacheRules.gateway, 1), (.exact, 20)] {
            let gate = Gate()
            let origin = ScriptedOrigin { _, _ in
                await gate.pass()
                return response("X: y")
            }
            let bench = Bench(origin, rules: rules)
            let clients = crowd(20, bench)
            await until { bench.shared.flying == (1, 19) }
            gate.open()
            for client in clients { #expect(await client.value.code == 200) }
            #expect(origin.requests.count == expected)
            #expect(bench.shared.store.counts.entries == 0)
        }
    }

    @Test("variants don't get each other's answers")
    func variants() async {
        let gate = Gate()
        let origin = ScriptedOrigin { request, _ in
            await gate.pass()
            return response("Cache-Control: max-age=60\nVary: Foo", body: request.fields["Foo"] ?? "-")
        }
        let bench = Bench(origin)
        let clients = ["1", "2", "3"].flatMap { value in crowd(5, bench, "Foo: \(value)").map { (value, $0) } }
        await until { bench.shared.flying == (1, 14) }
        gate.open()
        for (value, client) in clients { #expect(await client.value.body == value) }
    }

    @Test("clients with credentials never wait for each other")
    func credentials() async {
        let gate = Gate()
        let origin = ScriptedOrigin { request, _ in
            await gate.pass()
            return response("Cache-Control: max-age=60", body: request.fields[.authorization] ?? "-")
        }
        let bench = Bench(origin)
        let clients = ["a", "b"].map { name in (name, Task { await bench.ask("Authorization: \(name)") }) }
        await until { gate.arrived.value == 2 }
        gate.open()
        for (name, client) in clients { #expect(await client.value.body == name) }
        #expect(bench.shared.store.counts.entries == 0)
    }
}
