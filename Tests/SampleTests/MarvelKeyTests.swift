import HTTP
import Hashing
import JSON
import Testing

@testable import Sample

@Suite("The sample Marvel's keys")
struct MarvelKeyTests {
    static let vector = SampleMarvel.Keys(publicKey: "1234", privateKey: "abcd")
    static let wrongHash =
        #"{"code":"InvalidCredentials","message":"That hash, timestamp and key combination is invalid."}"#
    static let wrongKey = #"{"code":"InvalidCredentials","message":"The passed API key is invalid."}"#
    static func missing(_ what: String) -> String {
        #"{"code":"MissingParameter","message":"You must provide a \#(what)."}"#
    }

    private static let sample = SampleMarvel(keys: vector, now: { thursday })

    @Test(
        "the hash has to be that of timestamp, private and public key",
        arguments: [
            // printf 1abcd1234 | md5sum, as the service's own page has it.
            ("ts=1&apikey=1234&hash=ffd275c5130566a2916217b101f26150", 200, nil),
            ("hash=ffd275c5130566a2916217b101f26150&apikey=1234&ts=1", 200, nil),
            ("ts=1&apikey=1234&hash=FFD275C5130566A2916217B101F26150", 401, wrongHash),
            ("ts=2&apikey=1234&hash=ffd275c5130566a2916217b101f26150", 401, wrongHash),
            // 11234abcd: the public key first.
            ("ts=1&apikey=1234&hash=988c7ad7c0b32efc5293be2241692c65", 401, wrongHash),
            ("ts=1&apikey=1234&hash=", 401, wrongHash), ("ts=1&apikey=1234&hash=x", 401, wrongHash),
            ("ts=1&apikey=12345&hash=ffd275c5130566a2916217b101f26150", 401, wrongKey),
            ("ts=1&apikey=&hash=ffd275c5130566a2916217b101f26150", 401, wrongKey),
            ("ts=1&hash=ffd275c5130566a2916217b101f26150", 409, missing("user key")), ("", 409, missing("user key")),
            ("ts=1&apikey=1234", 409, missing("hash")),
            ("apikey=1234&hash=ffd275c5130566a2916217b101f26150", 409, missing("timestamp")),
        ] as [(String, UInt16, String?)])
    func hashes(query: String, status: UInt16, body: String?) {
        let response = askMarvelPlainly("/v1/public/comics/118003?" + query, of: Self.sample)
        #expect(response.status.code == status)
        if let body {
            #expect(response.text == body)
            #expect(response.fields[.contentType] == "application/json; charset=utf-8")
        }
    }

    @Test("an empty timestamp is refused even with the hash that fits it")
    func emptyTimestamp() {
        let response = askMarvelPlainly(signed("/comics/118003", ts: ""))
        #expect(response.status == .unauthorized)
        #expect(response.text == Self.wrongHash)
    }

    @Test(
        "any text is a timestamp, hashed as it was before it was encoded",
        arguments: ["0", "1716000000.123", "2024-05-16T12:00:00+02:00", "a b&c=d%", "日"])
    func timestamps(ts: String) {
        #expect(askMarvelPlainly(signed("/comics/118003", ts: ts)).status == .ok)
    }

    @Test("the answer to a missing key is the recorded 68 bytes")
    func recordedLength() {
        #expect(askMarvelPlainly("/v1/public/comics").bytes.count == 68)
    }

    @Test(
        "a Referer is let in where it is registered, and none always",
        arguments: [
            (nil, 200), ("http://app.test", 200), ("https://app.test/page", 200), ("http://app.test.evil/", 401),
            ("http://other.test/", 401), ("", 401),
        ] as [(String?, UInt16)])
    func referers(value: String?, status: UInt16) {
        let sample = SampleMarvel(referers: ["app.test"], now: { thursday })
        let response = askMarvel(
            "/comics/118003", value.map { [("Referer" as FieldName, $0)] } ?? [], of: sample)
        #expect(response.status.code == status)
        if status == 401 { #expect(response.text.contains("Referer")) }
    }

    @Test("signed requests are counted, refused ones too, others not")
    func throttled() {
        let sample = SampleMarvel(limit: RequestLimit(count: 2, window: .seconds(86_400)), now: { thursday })
        #expect(askMarvelPlainly("/v1/public/comics", of: sample).status.code == 409)
        #expect(askMarvel("/comics/118003", of: sample).status == .ok)
        #expect(askMarvel("/comics/1", of: sample).status == .notFound)
        let refused = askMarvel("/comics/118003", of: sample)
        #expect(refused.status == .tooManyRequests)
        #expect(!refused.fields.contains(.retryAfter))
        #expect(refused.text.hasPrefix(#"{"code":"RequestThrottled","message":"You have exceeded your rate limit."#))
    }

    @Test("a refused request that counts keeps the window shut")
    func stubborn() {
        var window = SlidingWindow(RequestLimit(count: 2, window: .seconds(10)), countsRefused: true)
        let start = ContinuousClock.now
        #expect(window.wait(at: start) == nil)
        #expect(window.wait(at: start) == nil)
        #expect(window.wait(at: start + .seconds(8)) == 2)
        // Of the last two, one stands at 8 and is counted until 18.
        #expect(window.wait(at: start + .seconds(9)) == 9)
        #expect(window.wait(at: start + .seconds(17)) == 2)
        #expect(window.wait(at: start + .seconds(30)) == nil)
    }

    @Test(
        "the whole service may be gone, or full",
        arguments: [
            (SampleMarvel.Fault.retired, UInt16(500), ["/comics", "/comics/118003", "/nothing"]),
            (.throttled, 429, ["/comics", "/comics/118003"]),
        ])
    func faults(fault: SampleMarvel.Fault, status: UInt16, paths: [String]) {
        let sample = SampleMarvel(fault: { _ in fault }, now: { thursday })
        for path in paths { #expect(askMarvel(path, of: sample).status.code == status) }
        let partly = SampleMarvel(fault: { $0.target.path.hasSuffix("/comics") ? fault : nil }, now: { thursday })
        #expect(askMarvel("/comics", of: partly).status.code == status)
        #expect(askMarvel("/characters", of: partly).status == .ok)
    }

    @Test("what the delay throws is the answer")
    func delay() async throws {
        let failing = SampleMarvel(delay: { _ throws(GatewayError) in throw .contentTooLarge(limit: 1) })
        await #expect(throws: GatewayError.self) {
            _ = try await failing.respond(to: Request(target: Target("/v1/public/comics")))
        }
        let response = try await marvel.respond(to: Request(target: Target(signed("/comics/118003"))))
        #expect(response.bytes == askMarvel("/comics/118003").bytes)
    }

    @Test("addresses of pages carry the public key, nothing the private one")
    func canary() throws {
        let keys = SampleMarvel.Keys(publicKey: "CANARY/PUBLIC", privateKey: "CANARYPRIVATE")
        let sample = SampleMarvel(keys: keys, now: { thursday })
        let hash = Digest.md5.hex(Array(("1" + keys.privateKey + keys.publicKey).utf8)) ?? ""
        let target = "/v1/public/comics?limit=100&ts=1&apikey=CANARY%2FPUBLIC&hash=\(hash)"
        let text = askMarvelPlainly(target, of: sample).text
        #expect(text.contains("utm_source=CANARY%2FPUBLIC\""))
        #expect(!text.contains("CANARYPRIVATE"))
    }
}
