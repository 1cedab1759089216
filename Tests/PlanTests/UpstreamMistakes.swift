import Plan
import Testing

@Suite("Mistakes in upstreams")
struct UpstreamMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "no url",
            replace: "    url: https://films.test/api\n",
            with: "",
            #"films.yaml:5:5: /x-sluice-upstreams/films: found no "url", expected one"#),
        Edit(
            "a url that is none",
            replace: "url: https://films.test/api",
            with: "url: films.test/api",
            #"films.yaml:5:10: /x-sluice-upstreams/films/url: found "films.test/api", expected an http or https address without user, query and fragment"#
        ),
        Edit(
            "a url with a user",
            replace: "url: https://films.test/api",
            with: "url: https://me:secret@films.test/api",
            #"films.yaml:5:10: /x-sluice-upstreams/films/url: found a value with "@", expected an http or https address without user, query and fragment"#
        ),
        Edit(
            "a url from the environment that is none",
            replace: "url: https://films.test/api",
            with: "url: ${FILMS_URL}",
            #"films.yaml:5:10: /x-sluice-upstreams/films/url: found what "${FILMS_URL}" stands for, expected an http or https address without user, query and fragment"#
        ),
        Edit(
            "braces that aren't closed",
            replace: "url: https://films.test/api",
            with: "url: ${FILMS_URL",
            #"films.yaml:5:10: /x-sluice-upstreams/films/url: found a "${" that names no variable, expected ${NAME} or ${NAME:-default}"#
        ),
        Edit(
            "a variable with a bad name",
            replace: "url: https://films.test/api",
            with: "url: ${FILMS-URL}",
            #"films.yaml:5:10: /x-sluice-upstreams/films/url: found a "${" that names no variable, expected ${NAME} or ${NAME:-default}"#
        ),
        Edit(
            "a variable's file that can't be read",
            replace: "url: https://films.test/api",
            with: "url: ${GONE}",
            #"films.yaml:5:10: /x-sluice-upstreams/films/url: found GONE_FILE="/nowhere" (No such file or directory), expected a file that can be read"#
        ),
        Edit(
            "certificate authorities that aren't there",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    authorities: /nope.pem\n",
            #"films.yaml:8:18: /x-sluice-upstreams/films/authorities: found "/nope.pem" (No such file or directory), expected a file of certificates in PEM"#
        ),
        Edit(
            "a life of an upstream's answers that nothing has",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    cache: {ttl: 99999999999d}\n",
            #"films.yaml:8:18: /x-sluice-upstreams/films/cache/ttl: found "99999999999d", expected a duration such as 500ms, 2s, 5m, 1h or 7d, up to 365d"#
        ),
        Edit(
            "an unknown key of an upstream",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    retry: 2\n",
            #"films.yaml:8:5: /x-sluice-upstreams/films/retry: found the unknown key "retry", expected one of: url, aliases, auth, headers, query, timeout, retries, concurrency, quota, cache, pass, networks, authorities, errors"#
        ),
        Edit(
            "two upstreams with one address",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n  series:\n    url: https://series.test\n    aliases: [https://old.test/api/]\n",
            #"films.yaml:10:15: /x-sluice-upstreams/series/aliases/0: found "https://old.test/api", expected an address that isn't the upstream "films" already"#
        ),
        Edit(
            "a name of an upstream with a blank",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n  my films:\n    url: https://a.test\n",
            #"films.yaml:8:3: /x-sluice-upstreams/my films: found "my films", expected a name of letters, digits, dots, dashes and underscores"#
        ),
        Edit(
            "a timeout that is none",
            replace: "timeout: 5s",
            with: "timeout: soon",
            #"films.yaml:7:14: /x-sluice-upstreams/films/timeout: found "soon", expected a duration such as 500ms, 2s, 5m, 1h or 7d, from 1ms to 10m"#
        ),
        Edit(
            "too many retries",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    retries: 4\n",
            "films.yaml:8:14: /x-sluice-upstreams/films/retries: found 4, expected a whole number from 0 to 3"),
        Edit(
            "no concurrency",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    concurrency: 0\n",
            "films.yaml:8:18: /x-sluice-upstreams/films/concurrency: found 0, expected a whole number from 1 to 10000"),
        Edit(
            "a quota that is none",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    quota: 100 a day\n",
            #"films.yaml:8:12: /x-sluice-upstreams/films/quota: found "100 a day", expected a number and a window such as 10000/day (second, minute, hour or day)"#
        ),
        Edit(
            "a network that is none",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    networks: [10.0.0.0/33]\n",
            #"films.yaml:8:16: /x-sluice-upstreams/films/networks/0: found "10.0.0.0/33", expected a network such as 10.0.0.0/8 or fd00::/8"#
        ),
        Edit(
            "a network with bits behind its prefix",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    networks: [10.1.0.0/8]\n",
            #"films.yaml:8:16: /x-sluice-upstreams/films/networks/0: found "10.1.0.0/8", expected a network such as 10.0.0.0/8 or fd00::/8"#
        ),
        Edit(
            "a header with a bad name",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    headers: {Bad Name: x}\n",
            #"films.yaml:8:15: /x-sluice-upstreams/films/headers/Bad Name: found "Bad Name", expected a header's name"#),
        Edit(
            "a header of the connection",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    headers: {Transfer-Encoding: chunked}\n",
            #"films.yaml:8:15: /x-sluice-upstreams/films/headers/Transfer-Encoding: found "Transfer-Encoding", expected a header that isn't the gateway's own"#
        ),
        Edit(
            "a header with a line end in its value",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    headers: {X-A: \"a\\r\\nb\"}\n",
            "films.yaml:8:20: /x-sluice-upstreams/films/headers/X-A: found a value with control characters, expected one line of text"
        ),
        Edit(
            "a credential among the headers",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    headers: {authorization: Bearer abc}\n",
            "films.yaml:8:30: /x-sluice-upstreams/films/headers/authorization: found a secret in the contract, expected ${NAME}, a variable of the environment"
        ),
        Edit(
            "a header to pass that isn't one",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    pass: [Accept Language]\n",
            #"films.yaml:8:12: /x-sluice-upstreams/films/pass/0: found "Accept Language", expected a header's name"#),
        Edit(
            "an unknown kind of auth",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    auth: {type: basic}\n",
            #"films.yaml:8:18: /x-sluice-upstreams/films/auth/type: found "basic", expected one of: header, query, md5-query"#
        ),
        Edit(
            "a secret in the contract",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    auth: {type: header, name: Authorization, value: Client-ID abc}\n",
            "films.yaml:8:54: /x-sluice-upstreams/films/auth/value: found a secret in the contract, expected ${NAME}, a variable of the environment"
        ),
        Edit(
            "a secret as a default",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    auth: {type: query, name: key, value: \"${KEY:-abc}\"}\n",
            "films.yaml:8:43: /x-sluice-upstreams/films/auth/value: found a secret as a default, expected ${NAME}, a variable of the environment"
        ),
        Edit(
            "an auth without one of its keys",
            replace: "    timeout: 5s\n",
            with:
                "    timeout: 5s\n    auth: {type: md5-query, timestamp: ts, key: apikey, public: \"${A}\", private: \"${B}\"}\n",
            #"films.yaml:8:11: /x-sluice-upstreams/films/auth: found no "digest", expected one: the type md5-query needs it"#
        ),
        Edit(
            "a key of another kind of auth",
            replace: "    timeout: 5s\n",
            with: "    timeout: 5s\n    auth: {type: query, name: key, value: \"${KEY}\", digest: hash}\n",
            #"films.yaml:8:53: /x-sluice-upstreams/films/auth/digest: found the key "digest", expected one of: type, name, value"#
        ),
    ]
}
