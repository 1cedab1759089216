import Cache
import GatewayTesting
import HTTP
import Loop
import Plan
import Testing

@testable import Gateway

/// What exchange files can't say of kept answers: many clients at once, purges, memory.
@Suite("Kept answers")
struct ComposedTests {
    private static let contract = """
        openapi: 3.1.0
        info: {title: Films, version: "1"}
        x-sluice-upstreams:
          films: {url: "https://films.example/api", cache: {ttl: 1h}, pass: [Accept-Language]}
        paths:
          /films/{id}:
            get:
              operationId: getFilm
              parameters:
                - {name: id, in: path, required: true, schema: {type: integer}}
                - {name: expand, in: query, style: form, explode: false, schema: {type: string}}
              x-sluice: {upstream: films, path: "/films/{id}"}
              responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Film"}}}}}
          /ships/{id}:
            get:
              operationId: getShip
              parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
              x-sluice: {upstream: films, path: "/ships/{id}"}
              responses: {"200": {content: {application/json: {schema: {type: object}}}}}
          /vessels/{id}:
            get:
              operationId: getVessel
              parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
              x-sluice: {upstream: films, path: "/ships/{id}", cache: {ttl: 5s}}
              responses: {"200": {content: {application/json: {schema: {type: object}}}}}
        components:
          schemas:
            Film: {type: object, properties: {ship: {type: string, x-sluice-link: {to: getShip}}}}
        """

    /// A gateway that keeps answers, for one test, on one loop.
    private final class Bench: @unchecked Sendable {
        let upstream: ScriptedUpstream
        let clock: ManualClock
        let shared = SharedCache(store: CacheStore(capacity: 16 << 20), waiterLimit: 50)
        let gateway: Gateway

        init(_ loop: EventLoop) throws {
            let plan = try PlanLoader().load(sources: [("films.yaml", Array(contract.utf8))], environment: [:])
            clock = ManualClock(loop: loop)
            upstream = ScriptedUpstream(name: "films", clock: clock)
            gateway = Gateway(
                plan: plan, upstreams: [upstream], settings: GatewaySettings(),
                caching: Caching(shared, host: .manual(clock, loop)))
        }

        func film(_ id: Int = 1, delay: Duration = .zero) {
            upstream.answer(
                "GET /films/\(id)", with: .json(#"{"ship":"https://films.example/api/ships/2"}"#, delay: delay))
        }

        func ship(_ name: String, _ cacheControl: String? = nil, delay: Duration = .zero) {
            upstream.answer(
                "GET /ships/2", with: .json(#"{"name":"\#(name)"}"#, cacheControl: cacheControl, delay: delay))
        }

        func fail(_ request: String, delay: Duration = .zero) {
            let error = GatewayError(
                source: .upstream("films"), code: "upstream-refused", status: .badGateway, detail: "No.")
            upstream.answer(request, with: ScriptedUpstream.Answer(.failure(error), delay: delay))
        }

        func get(_ target: String = "/films/1?expand=ship", _ fields: Fields = Fields()) async -> Got {
            do throws(GatewayError) {
                return try await Got(gateway.respond(to: Request(target: Target(target), fields: fields)))
            } catch {
                return Got(status: error.status, text: error.code, cache: "")
            }
        }

        /// The answers of as many clients that ask at the same time.
        func crowd(_ count: Int, _ target: String = "/films/1?expand=ship") async -> [Got] {
            await withTaskGroup(of: Got.self) { group in
                for _ in 0..<count { group.addTask { await self.get(target) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }

        var asked: Int { upstream.log.count }
    }

    private struct Got: Sendable, Equatable {
        var status: Status
        var text: String
        var cache: String

        init(status: Status, text: String, cache: String) {
            self.status = status
            self.text = text
            self.cache = cache
        }

        init(_ response: Response) async throws(GatewayError) {
            status = response.status
            text = String(decoding: try await response.body.collected(limit: 1 << 20), as: UTF8.self)
            cache = response.fields[.cacheStatus] ?? ""
        }
    }

    private static let whole = #"{"ship":{"name":"B"}}"#

    @Test("a crowd on a cold answer asks for each part once, and composes it once")
    func crowd() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.film(delay: .seconds(1))
            bench.ship("B", delay: .seconds(1))
            let got = await bench.crowd(40)
            #expect(bench.asked == 2)
            #expect(Set(got.map(\.text)) == [Self.whole])
            #expect(got.filter { $0.cache == "sluice; fwd=uri-miss; stored; collapsed" }.count == 39)
            #expect(got.filter { $0.cache == "sluice; fwd=uri-miss; stored" }.count == 1)
            let counts = bench.shared.store.counts(of: .composed)
            #expect((counts.collapsed, counts.misses) == (39, 1) && counts.lookups == 40)
            #expect(bench.shared.store.counts(of: .upstream).lookups == 2)
            #expect(await bench.get("/films/1").status == .ok)
            #expect(bench.shared.store.counts(of: .composed).lookups == 41)
        }
    }

    @Test("what is kept is there without a task")
    func ready() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.film()
            bench.ship("B")
            let request = Request(target: Target("/films/1?expand=ship"))
            guard case .later = bench.gateway.begin(request) else {
                Issue.record("nothing can be there yet")
                return
            }
            _ = await bench.get()
            guard case .ready(let response) = bench.gateway.begin(request) else {
                Issue.record("it has to be there")
                return
            }
            #expect(try await Got(response).text == Self.whole)
        }
    }

    @Test("a failure goes to all who waited for it, and to nobody later")
    func failure() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.fail("GET /films/1", delay: .seconds(1))
            bench.film()
            bench.ship("B")
            let got = await bench.crowd(10)
            #expect(bench.asked == 1)
            #expect(got.allSatisfy { $0.status == .badGateway })
            #expect(await bench.get().text == Self.whole)
        }
    }

    @Test("an answer with parts missing goes to all who waited for it, and is not kept")
    func incomplete() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.film(delay: .seconds(1))
            bench.fail("GET /ships/2", delay: .seconds(1))
            bench.ship("B")
            let got = await bench.crowd(10)
            #expect(bench.asked == 2)
            #expect(got.allSatisfy { $0.status == .ok && $0.text.contains("_errors") })
            #expect(await bench.get().text == Self.whole)
        }
    }

    @Test("a client that leaves while others wait hands its place on")
    func leaver() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.film(delay: .seconds(1))
            bench.ship("B", delay: .seconds(1))
            let first = loop.start { _ = await bench.get() }
            let second = Task(executorPreference: loop) { await bench.get() }
            await Task.yield()
            first.cancel()
            #expect(await second.value.text == Self.whole)
            await first.value
        }
    }

    @Test("more than may wait are sent away")
    func crowded() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.film(delay: .seconds(1))
            bench.ship("B")
            let got = await bench.crowd(60)
            #expect(got.filter { $0.status == .serviceUnavailable }.count == 9)
            #expect(got.filter { $0.text == Self.whole }.count == 51)
        }
    }

    @Test(
        "one purge drops a part and all that is made of it, in both layers",
        arguments: ["films", "/ships/{id}", "https://films.example/api/ships/2"])
    func purge(tag: String) async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.film()
            bench.ship("B")
            bench.ship("C")
            _ = await bench.get()
            _ = await bench.get("/films/1")
            let before = bench.asked
            #expect(bench.shared.invalidate(tag: tag) == (tag == "films" ? 2 : 1))
            #expect(await bench.get().text == #"{"ship":{"name":"C"}}"#)
            #expect(bench.asked == before + (tag == "films" ? 2 : 1))
            #expect(bench.shared.invalidate(tag: "nobody") == 0)
        }
    }

    @Test(
        "what nobody but one client may have is composed for each of a crowd",
        arguments: [
            ("max-age=60", 1), ("max-age=0", 1), ("no-cache", 5), ("max-age=60, no-cache", 5), ("private", 5),
            ("no-store", 5),
        ])
    func unshared(cacheControl: String, count: Int) async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.film()
            for number in 1...5 { bench.ship("\(number)", cacheControl, delay: .seconds(1)) }
            let got = await bench.crowd(5)
            #expect(Set(got.map(\.text)).count == count && got.allSatisfy { $0.status == .ok })
            #expect(bench.asked == 1 + count)
        }
    }

    @Test("what is purged while it is composed is not kept")
    func purgeOnTheWay() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.film()
            bench.ship("B", delay: .seconds(1))
            bench.ship("C")
            let first = Task(executorPreference: loop) { await bench.get() }
            await bench.clock.sleep(for: .milliseconds(500))
            bench.shared.invalidate(tag: "/ships/{id}")
            #expect(await first.value.text == Self.whole)
            #expect(await bench.get().text == #"{"ship":{"name":"C"}}"#)
        }
    }

    @Test("what clients hand to an upstream keeps their answers apart")
    func passed() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.upstream.answer("GET /ships/2", with: .json(#"{"name":"one"}"#))
            bench.upstream.answer("GET /ships/2", with: .json(#"{"name":"eins"}"#))
            let german = Fields([("Accept-Language", "de")])
            for _ in 0..<2 {
                #expect(await bench.get("/ships/2").text == #"{"name":"one"}"#)
                #expect(await bench.get("/ships/2", german).text == #"{"name":"eins"}"#)
            }
            #expect(bench.asked == 2)
        }
    }

    @Test("two routes with other rules for one address keep an answer each by its own")
    func policies() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.ship("B")
            for target in ["/ships/2", "/vessels/2"] { _ = await bench.get(target) }
            #expect(bench.asked == 2)
            await bench.clock.sleep(for: .seconds(10))
            #expect(await bench.get("/ships/2").cache == "sluice; hit; ttl=3590")
            #expect(await bench.get("/vessels/2").cache == "sluice; fwd=stale; stored")
            #expect(bench.shared.invalidate(tag: "https://films.example/api/ships/2") == 2)
        }
    }

    @Test("every encoding counts as memory, and a key for each client's host too")
    func memory() async throws {
        try await LoopThread.run { loop in
            let bench = try Bench(loop)
            bench.ship(String(repeating: "abcdefgh", count: 1000))
            _ = await bench.get("/ships/2")
            let plain = bench.shared.store.counts
            _ = await bench.get("/ships/2", Fields([(.acceptEncoding, "gzip")]))
            let coded = bench.shared.store.counts
            #expect(coded.entries == plain.entries && coded.bytes > plain.bytes)
            _ = await bench.get("/ships/2", Fields([(.acceptEncoding, "gzip")]))
            #expect(bench.shared.store.counts.bytes == coded.bytes)
        }
    }
}
