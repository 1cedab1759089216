import HTTP
import Hashing
import Plan
import Testing

@testable import Upstream

private func plan(_ change: (inout UpstreamPlan) -> Void) throws -> UpstreamPlan {
    var plan = UpstreamPlan(name: "marvel", base: try #require(BaseURL("https://gateway.test/v1/public")))
    change(&plan)
    return plan
}

private func address(_ target: String, timestamp: String = "1", _ change: (inout UpstreamPlan) -> Void = { _ in })
    throws -> String?
{
    Outgoing(try plan(change)).signed(Target(target), timestamp: timestamp)?.address
}

@Suite("A request on its way")
struct OutgoingTests {
    @Test("goes below the base")
    func base() throws {
        #expect(try address("/comics/1?limit=2") == "https://gateway.test/v1/public/comics/1?limit=2")
        #expect(try address("/comics/") == "https://gateway.test/v1/public/comics/")
    }

    @Test("is signed with the MD5 of timestamp, private and public key")
    func md5() throws {
        #expect(Digest.md5.hex(Array("1abcd1234".utf8)) == "ffd275c5130566a2916217b101f26150")
        let signed = try address("/comics?ts=9&apikey=mine&limit=2&hash=x") {
            $0.auth = .md5Query(
                timestamp: "ts", key: "apikey", digest: "hash", publicKey: Secret("1234"), privateKey: Secret("abcd"))
        }
        #expect(
            signed
                == "https://gateway.test/v1/public/comics?limit=2&ts=1&apikey=1234&hash=ffd275c5130566a2916217b101f26150"
        )
    }

    @Test("has its key in the query, encoded, last and once")
    func key() throws {
        let signed = try address("/comics?key=stolen") {
            $0.auth = .query(name: "key", value: Secret("a&b=c d"))
            $0.query = [("format", "json")]
        }
        #expect(signed == "https://gateway.test/v1/public/comics?format=json&key=a%26b%3Dc%20d")
    }

    @Test("gets the fixed parameters that it doesn't name itself")
    func fixed() throws {
        let set: (inout UpstreamPlan) -> Void = { $0.query = [("format", "json"), ("lang", "en")] }
        #expect(try address("/a?lang=de", set)?.hasSuffix("/a?lang=de&format=json") == true)
        #expect(try address("/a", set)?.hasSuffix("/a?format=json&lang=en") == true)
    }

    @Test(
        "is not made from a target that could mean something else",
        arguments: ["/a b", "/a#b", "/a\r\nHost: x", "a", "/é"])
    func targets(target: String) throws { #expect(try address(target) == nil) }

    @Test("says who we are and what we take")
    func plain() throws {
        #expect(
            Outgoing(try plan { _ in }).lines(Fields())
                == ["Accept-Encoding: gzip", "Accept: application/json", "User-Agent: sluice"])
    }

    @Test("has the gateway's fields but for those of the connection, and the contract's win")
    func fields() throws {
        var fields = Fields()
        for (name, value) in [
            ("Accept", "text/plain"), ("Host", "evil.test"), ("Content-Length", "5"), ("Connection", "close"),
            ("Accept-Encoding", "br"), ("authorization", "stolen"), ("X-Own", "theirs"), ("X-Empty", ""),
            ("If-None-Match", "\"x\""),
        ] {
            fields.append(try #require(FieldName(name)), value)
        }
        let outgoing = Outgoing(
            try plan {
                $0.auth = .header(name: .authorization, value: Secret("Client-ID 1"))
                $0.headers = [("X-Own", Secret("ours"))]
            })
        #expect(
            outgoing.lines(fields) == [
                "Accept-Encoding: gzip", "X-Own: ours", "Authorization: Client-ID 1", "Accept: text/plain", "X-Empty;",
                "If-None-Match: \"x\"", "User-Agent: sluice",
            ])
    }

    @Test("has for a mirror what the client sent, and nothing that it didn't")
    func verbatim() throws {
        let outgoing = Outgoing(try plan { $0.headers = [("X-Own", Secret("ours"))] })
        let fields = Fields([(.acceptEncoding, "br"), ("X-Own", "theirs"), (.host, "evil.test"), ("Via", "1.1 a")])
        #expect(outgoing.lines(fields, .verbatim) == ["X-Own: ours", "Accept-Encoding: br", "Via: 1.1 a", "Accept:"])
        #expect(outgoing.lines(Fields(), .verbatim) == ["X-Own: ours", "Accept:"])
        #expect(outgoing.lines(Fields([(.accept, "a/b")]), .verbatim) == ["X-Own: ours", "Accept: a/b"])
        #expect(try address("/a?") == "https://gateway.test/v1/public/a?")
    }

    @Test("has no parameter of the signer's from the client, however it is spelled")
    func encodedNames() throws {
        let signed = try address("/a?k%65y=mine&x=%2f&+key=1&key&other=key") {
            $0.auth = .query(name: "key", value: Secret("ours"))
        }
        #expect(signed == "https://gateway.test/v1/public/a?x=%2f&+key=1&other=key&key=ours")
    }

    @Test("has its fields byte for byte")
    func bytes() throws {
        var fields = Fields()
        fields.append(nameBytes: Array("X-A".utf8), valueBytes: [0x63, 0xE9, 0x80, 0xFF, 0x09, 0x20])
        let line = try #require(FieldLine("X-A", [0x63, 0xE9, 0x80, 0xFF, 0x09, 0x20]))
        #expect(Outgoing(try plan { _ in }).lines(fields)[1] == line)
        var copy = Fields([(.accept, "text/plain")])
        copy.append(copying: "x-a", from: fields)
        #expect(copy.wire.suffix(fields.wire.count) == fields.wire[...])
        #expect(copy.count == 2)
        #expect(FieldLine("X-A", [0x63, 0xE9, 0x07]) == nil)
        #expect(FieldLine("X-A", [0x63, 0x7F]) == nil)
        #expect(FieldLine("X-A", [0x63, 0]) == nil)
    }

    @Test("is not made without its credentials, and the error names the variables")
    func missing() throws {
        let error = try #require(Outgoing(try plan { $0.missingVariables = ["MARVEL_KEY"] }).obstacle)
        #expect(error.status == .serviceUnavailable && error.code == "credential-missing")
        #expect(error.detail.contains("MARVEL_KEY"))
    }

    @Test("is not made with a credential that would begin a new line, and the error doesn't show it")
    func split() throws {
        let outgoing = Outgoing(
            try plan { $0.auth = .header(name: .authorization, value: Secret("canary\r\nX: y")) })
        let error = try #require(outgoing.obstacle)
        #expect(error.status == .serviceUnavailable && !error.detail.contains("canary"))
    }
}
