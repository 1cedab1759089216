import HTTP
import Testing

@testable import Sample

@Suite("A sample's limits")
struct RequestLimitTests {
    @Test("a window lets its count pass, then says when there is room again")
    func window() {
        var window = SlidingWindow(RequestLimit(count: 2, window: .seconds(10)))
        let start = ContinuousClock.now
        #expect(window.wait(at: start) == nil)
        #expect(window.wait(at: start + .seconds(4)) == nil)
        #expect(window.wait(at: start + .seconds(4)) == 6)
        #expect(window.wait(at: start + .milliseconds(9_100)) == 1)
        #expect(window.wait(at: start + .seconds(10)) == nil)
        #expect(window.wait(at: start + .seconds(10)) == 4)
        #expect(window.wait(at: start + .seconds(14)) == nil)
    }

    @Test("a long run keeps the count exact")
    func longRun() {
        var window = SlidingWindow(RequestLimit(count: 100, window: .seconds(1)))
        let start = ContinuousClock.now
        let passed = (0..<10_000).filter { window.wait(at: start + .milliseconds($0)) == nil }.count
        #expect(passed == 1_000)
    }

    @Test("past the limit a request is answered with 429 and the time to wait")
    func throttled() throws {
        let limited = SampleSWAPI(limit: RequestLimit(count: 1, window: .seconds(3600)))
        #expect(ask("/api/people/1/", of: limited).status == .ok)
        let response = ask("/api/people/1/", of: limited)
        #expect(response.status == .tooManyRequests)
        #expect(response.fields[.retryAfter] == "3600")
        #expect(
            response.text == #"{"detail":"Request was throttled. Expected available in 3600 seconds."}"#)
        #expect(ask("/api/people/1", of: limited).status == .movedPermanently)
        let soon = SampleSWAPI(limit: RequestLimit(count: 0, window: .milliseconds(10)))
        #expect(ask("/api/", of: soon).text == #"{"detail":"Request was throttled. Expected available in 1 second."}"#)
    }

    @Test("what the delay throws is the answer")
    func delay() async throws {
        let failing = SampleSWAPI(delay: { _ throws(GatewayError) in throw .contentTooLarge(limit: 1) })
        await #expect(throws: GatewayError.self) {
            _ = try await failing.respond(to: Request(target: Target("/api/")))
        }
        let response = try await swapi.respond(to: Request(target: Target("/api/"), authority: "api.test"))
        #expect(response.bytes == ask("/api/").bytes)
    }
}
