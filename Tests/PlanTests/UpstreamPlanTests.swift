import HTTP
import Plan
import Testing

@Suite("Upstreams")
struct UpstreamPlanTests {
    private static let head = """
        openapi: 3.1.0
        info: {title: A, version: "1"}
        paths: {/a: {get: {operationId: a}}}
        x-sluice-upstreams:
          a:

        """

    private func upstream(
        _ lines: String..., environment: [String: String] = [:], files: [String: String] = [:]
    ) throws -> UpstreamPlan {
        let text = UpstreamPlanTests.head + lines.map { "    " + $0 + "\n" }.joined()
        let plan = try PlanLoader().load(
            sources: [("c/a.yaml", Array(text.utf8))], environment: environment,
            secrets: { files[$0].map { .success(Array($0.utf8)) } ?? .failure(FileFailure(reason: "none")) })
        return try #require(plan.upstreams.first)
    }

    @Test("what a contract leaves out has the design's defaults")
    func defaults() throws {
        let upstream = try upstream("url: http://a.test/")
        #expect(upstream.base.text == "http://a.test")
        #expect(upstream.timeout == .seconds(5))
        #expect(upstream.retries == 1)
        #expect(upstream.concurrency == 16)
        #expect(upstream.quota == nil)
        #expect(upstream.cache == nil)
        #expect(upstream.missingVariables.isEmpty)
    }

    @Test("every key is read")
    func keys() throws {
        let upstream = try upstream(
            "url: http://a.test/", "aliases: [https://b.test/x]", "headers: {X-A: b, Accept-Language: en}",
            "query: {format: json, n: 1}",
            "timeout: 1500ms", "retries: 0", "concurrency: 3", "quota: 5/hour",
            "cache: {ttl: 1h, stale-while-revalidate: 1d, stale-if-error: 7d, override: true}",
            "pass: [Accept-Language]",
            "networks: [127.0.0.0/8, \"::1/128\"]", "authorities: certs/ca.pem",
            files: ["c/certs/ca.pem": "-----BEGIN CERTIFICATE-----\n"])
        #expect(upstream.aliases.map(\.text) == ["https://b.test/x"])
        #expect(upstream.headers.map { $0.name.text + "=" + $0.value.reveal() } == ["X-A=b", "Accept-Language=en"])
        #expect(upstream.query.map { $0.name + "=" + $0.value } == ["format=json", "n=1"])
        #expect(upstream.timeout == .milliseconds(1500))
        #expect(upstream.retries == 0)
        #expect(upstream.concurrency == 3)
        #expect(upstream.quota == UpstreamPlan.Quota(count: 5, window: .seconds(3600)))
        #expect(
            upstream.cache
                == CachePolicy(
                    ttl: .seconds(3600), staleWhileRevalidate: .seconds(86_400), staleIfError: .seconds(604_800),
                    override: true))
        #expect(upstream.pass == ["accept-language"])
        #expect(
            upstream.networks == [
                Network(address: [127, 0, 0, 0], prefix: 8),
                Network(address: [UInt8](repeating: 0, count: 15) + [1], prefix: 128),
            ])
        #expect(upstream.authorities == "c/certs/ca.pem")
    }

    @Test("authorities are certificates, in a file that can be read")
    func authorities() {
        let found = #"c/a.yaml:7:18: /x-sluice-upstreams/a/authorities: found "ca.pem" "#
        for (files, reason) in [([:], "(c/ca.pem: none)"), (["c/ca.pem": "hello"], "(no certificate in it)")] {
            let error = #expect(throws: ContractMistakes.self) {
                _ = try upstream("url: http://a.test", "authorities: ca.pem", files: files)
            }
            #expect(error?.description == found + reason + ", expected a file of certificates in PEM")
        }
    }

    @Test("a variable wins over its default, and an empty one doesn't")
    func variables() throws {
        #expect(try upstream("url: ${A:-http://a.test}").base.text == "http://a.test")
        #expect(try upstream("url: ${A:-http://a.test}", environment: ["A": ""]).base.text == "http://a.test")
        #expect(
            try upstream("url: ${A:-http://a.test}", environment: ["A": "http://b.test/x"]).base.text
                == "http://b.test/x")
        #expect(
            try upstream("url: \"http://${H}:${P:-81}/$v1\"", environment: ["H": "h"]).base.text == "http://h:81/$v1")
        #expect(try upstream("url: http://a.test", "retries: ${R:-2}").retries == 2)
        #expect(try upstream("url: http://a.test", "quota: ${Q:-}").quota == nil)
        #expect(try upstream("url: http://a.test", "quota: ${Q:-}", environment: ["Q": "9/day"]).quota?.count == 9)
    }

    @Test("a missing variable is no mistake: the upstream names it")
    func missing() throws {
        let upstream = try upstream(
            "url: ${URL}", "headers: {Authorization: \"Bearer ${TOKEN}\", X-A: \"${TOKEN}\"}",
            "auth: {type: header, name: Authorization, value: \"Client-ID ${ID}\"}")
        #expect(upstream.missingVariables == ["URL", "ID", "TOKEN"])
        #expect(upstream.auth == nil)
    }

    @Test("a secret may come from a file, without one line end")
    func files() throws {
        let auth = "auth: {type: header, name: Authorization, value: \"Client-ID ${ID}\"}"
        func value(_ environment: [String: String], _ files: [String: String]) throws -> String? {
            let upstream = try upstream("url: http://a.test", auth, environment: environment, files: files)
            guard case .header(let name, let value) = upstream.auth else { return nil }
            #expect(name.text == "Authorization")
            return value.reveal()
        }
        #expect(try value(["ID_FILE": "/run/id"], ["/run/id": "abc\n"]) == "Client-ID abc")
        #expect(try value(["ID_FILE": "/run/id"], ["/run/id": "abc\r\n"]) == "Client-ID abc")
        #expect(try value(["ID_FILE": "/run/id"], ["/run/id": "a b "]) == "Client-ID a b ")
        #expect(try value(["ID": "x", "ID_FILE": "/run/gone"], [:]) == "Client-ID x")
        #expect(try value(["ID_FILE": "/run/id"], ["/run/id": ""]) == nil)
        #expect(throws: ContractMistakes.self) { try value(["ID_FILE": "/run/gone"], [:]) }
        #expect(throws: ContractMistakes.self) { try value(["ID_FILE": "/run/id"], ["/run/id": "a\n\n"]) }
    }

    @Test("the three kinds of signing are read")
    func auth() throws {
        let environment = ["A": "a", "B": "b"]
        let query = try upstream(
            "url: http://a.test", "auth: {type: query, name: key, value: \"${A}\"}", environment: environment)
        guard case .query("key", let key) = query.auth else {
            Issue.record("no query")
            return
        }
        #expect(key.reveal() == "a")
        let marvel = try upstream(
            "url: http://a.test",
            "auth: {type: md5-query, timestamp: ts, key: apikey, digest: hash, public: \"${A}\", private: \"${B}\"}",
            environment: environment)
        guard case .md5Query("ts", "apikey", "hash", let publicKey, let privateKey) = marvel.auth else {
            Issue.record("no md5-query")
            return
        }
        #expect([publicKey.reveal(), privateKey.reveal()] == ["a", "b"])
    }

    @Test("a secret is in no message, no description and no dump")
    func secrets() throws {
        var text = ""
        dump(Secret("canary"), to: &text)
        #expect(!"\(Secret("canary")) \(String(reflecting: Secret("canary"))) \(text)".contains("canary"))
        for line in [
            "auth: {type: header, name: X, value: canary}", "url: \"ftp://me:canary@a.test\"", "timeout: \"${C}\"",
            "headers: {Cookie: canary}", "headers: {X: \"canary\\n\"}",
        ] {
            do {
                _ = try upstream(
                    "concurrency: 1", line, line.hasPrefix("url") ? "" : "url: http://a.test",
                    environment: ["C": "canary"])
                Issue.record("\(line) was taken")
            } catch let error as ContractMistakes {
                #expect(!error.description.contains("canary"))
            }
        }
    }
}

@Suite("Networks")
struct NetworkTests {
    @Test("an address and the length of its prefix make a network")
    func networks() {
        #expect(Network("10.0.0.0/8") == Network(address: [10, 0, 0, 0], prefix: 8))
        #expect(Network("0.0.0.0/0") == Network(address: [0, 0, 0, 0], prefix: 0))
        #expect(Network("192.168.1.1/32") == Network(address: [192, 168, 1, 1], prefix: 32))
        #expect(Network("fd00::/8")?.prefix == 8)
        #expect(Network("172.16.0.0/12")?.prefix == 12)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "172.24.0.0/12", "10.0.0/8", "::/129", "::1/127",
            "a/8",
            "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/+8", " 10.0.0.0/8",
        ])
    func none(text: String) {
        #expect(Network(text) == nil)
    }
}
