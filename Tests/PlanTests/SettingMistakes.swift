import Plan
import Testing

@Suite("Mistakes in our keys")
struct SettingMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "an unknown key at the document's root",
            replace: "x-sluice: {upstream: films}\n",
            with: "x-sluice: {upstream: films}\nx-sluice-upstream: {}\n",
            #"films.yaml:9:1: /x-sluice-upstream: found the unknown key "x-sluice-upstream", expected one of: x-sluice-upstreams, x-sluice"#
        ),
        Edit(
            "an unknown key of x-sluice",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, upstraem: films}",
            #"films.yaml:8:29: /x-sluice/upstraem: found the unknown key "upstraem", expected one of: upstream, path, deadline, unwrap, collection, expand, shape, limits, cache, query, require, errors, expects, handler, body, mirror, links"#
        ),
        Edit(
            "a streamed body without content",
            replace: #"x-sluice: {path: "/ships/{id}/"}"#,
            with: #"x-sluice: {path: "/ships/{id}/", body: stream}"#,
            #"films.yaml:36:40: /paths/~1ships~1{id}/get/x-sluice/body: found "body" without content, expected a requestBody too"#
        ),
        Edit(
            "one of our keys where it has no place",
            replace: "title: Test",
            with: "x-sluice-link: 1, title: Test",
            #"films.yaml:2:8: /info/x-sluice-link: found the unknown key "x-sluice-link", expected no key of x-sluice here"#
        ),
        Edit(
            "an unknown upstream",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: film}",
            #"films.yaml:8:22: /x-sluice/upstream: found "film", expected one of: films"#),
        Edit(
            "an upstream path without an upstream",
            replace: "x-sluice: {upstream: films}\n",
            with: "",
            #"films.yaml:17:9: /paths/~1films/get/x-sluice/path: found a path without an upstream, expected the key "upstream" too"#,
            #"films.yaml:27:18: /paths/~1films~1{id}/get/x-sluice/path: found a path without an upstream, expected the key "upstream" too"#,
            #"films.yaml:35:18: /paths/~1ships~1{id}/get/x-sluice/path: found a path without an upstream, expected the key "upstream" too"#,
            #"films.yaml:39:5: /paths/~1ships/post: found POST without an upstream, expected the key "upstream" or "handler" of x-sluice"#
        ),
        Edit(
            "a name in an upstream's list that is no text",
            replace: "aliases: [http://old.test/api]",
            with: "aliases: [{a: 1}]",
            "films.yaml:6:15: /x-sluice-upstreams/films/aliases/0: found a map, expected text or a number"),
        Edit(
            "an upstream path with bad braces",
            replace: #""/ships/{id}/""#,
            with: #""/ships/{id/""#,
            #"films.yaml:36:24: /paths/~1ships~1{id}/get/x-sluice/path: found "/ships/{id/", expected a path such as /films/{id}, with braces around whole segments"#
        ),
        Edit(
            "a parameter of the upstream path that no request gives",
            replace: #""/ships/{id}/""#,
            with: #""/ships/{ship}/""#,
            "films.yaml:36:24: /paths/~1ships~1{id}/get/x-sluice/path: found {ship}, which no request gives, expected one of: {id}"
        ),
        Edit(
            "a deadline without a unit",
            replace: "x-sluice: {upstream: films}",
            with: #"x-sluice: {upstream: films, deadline: "10"}"#,
            #"films.yaml:8:39: /x-sluice/deadline: found "10", expected a duration such as 500ms, 2s, 5m, 1h or 7d, from 1ms to 10m"#
        ),
        Edit(
            "a deadline that is too long",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, deadline: 1h}",
            #"films.yaml:8:39: /x-sluice/deadline: found "1h", expected a duration such as 500ms, 2s, 5m, 1h or 7d, from 1ms to 10m"#
        ),
        Edit(
            "a wrong size",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, limits: {bytes: 10mb}}",
            #"films.yaml:8:45: /x-sluice/limits/bytes: found "10mb", expected a size such as 512B, 8KiB, 10MB or 1GiB, from 1KiB to 1GiB"#
        ),
        Edit(
            "a limit out of its range",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, limits: {depth: 9}}",
            "films.yaml:8:45: /x-sluice/limits/depth: found 9, expected a whole number from 0 to 8"),
        Edit(
            "a limit that is no whole number",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, limits: {links: many}}",
            #"films.yaml:8:45: /x-sluice/limits/links: found "many", expected a whole number"#),
        Edit(
            "a wrong duration of a cache",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, cache: {ttl: 1y}}",
            #"films.yaml:8:42: /x-sluice/cache/ttl: found "1y", expected a duration such as 500ms, 2s, 5m, 1h or 7d, up to 365d"#
        ),
        Edit(
            "a life of a cache that nothing has",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, cache: {ttl: 99999999999d}}",
            #"films.yaml:8:42: /x-sluice/cache/ttl: found "99999999999d", expected a duration such as 500ms, 2s, 5m, 1h or 7d, up to 365d"#
        ),
        Edit(
            "a size and a duration without a unit",
            replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, limits: {body: 64}, cache: {ttl: 60}}",
            "films.yaml:8:44: /x-sluice/limits/body: found 64, expected a size such as 512B, 8KiB, 10MB or 1GiB, from 0B to 1GiB",
            "films.yaml:8:62: /x-sluice/cache/ttl: found 60, expected a duration such as 500ms, 2s, 5m, 1h or 7d, up to 365d"
        ),
        Edit(
            "a wrong pointer in unwrap",
            replace: #"x-sluice: {path: "/ships/{id}/"}"#,
            with: #"x-sluice: {path: "/ships/{id}/", unwrap: data}"#,
            #"films.yaml:36:48: /paths/~1ships~1{id}/get/x-sluice/unwrap: found "data", expected a JSON Pointer such as /data/results"#
        ),
        Edit(
            "a shape without a schema",
            replace: "      operationId: addShip\n",
            with: "      operationId: addShip\n      x-sluice: {shape: true}\n",
            "films.yaml:43:18: /paths/~1ships/post/responses: found no schema of a JSON answer with status 200, expected one: the shape needs it"
        ),
        Edit(
            "a wrong place in x-sluice-from",
            replace: "title: {type: string}",
            with: #"title: {type: string, x-sluice-from: ""}"#,
            #"films.yaml:55:46: /components/schemas/Film/properties/title/x-sluice-from: found "", expected names with slashes between them such as areaName/0/value or dates/type=onsaleDate/date, or a text with such places in braces"#
        ),
    ]
}
