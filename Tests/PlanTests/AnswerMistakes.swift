import Plan
import Testing

@Suite("Mistakes in errors, queries and groups")
struct AnswerMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            #"an error without a sign"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", errors: [{status: 404}]}"#)
            ],
            #"films.yaml:36:49: /paths/~1ships~1{id}/get/x-sluice/errors/0: found no sign of the error, expected "at", "contains" or both"#
        ),
        Edit(
            #"an error without a meaning"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", errors: [{contains: gone}]}"#)
            ],
            #"films.yaml:36:49: /paths/~1ships~1{id}/get/x-sluice/errors/0: found no meaning, expected either "status", or "empty: true" for a list without items"#
        ),
        Edit(
            #"an error with two meanings"#,
            edits: [
                (
                    #"x-sluice: {path: "/ships/{id}/"}"#,
                    #"x-sluice: {path: "/ships/{id}/", errors: [{contains: gone, status: 404, empty: true}]}"#
                )
            ],
            #"films.yaml:36:49: /paths/~1ships~1{id}/get/x-sluice/errors/0: found "status" beside "empty", expected either "status", or "empty: true" for a list without items"#
        ),
        Edit(
            #"an empty text as a sign"#,
            edits: [
                (
                    #"x-sluice: {path: "/ships/{id}/"}"#,
                    #"x-sluice: {path: "/ships/{id}/", errors: [{contains: "", status: 404}]}"#
                )
            ],
            #"films.yaml:36:60: /paths/~1ships~1{id}/get/x-sluice/errors/0/contains: found an empty text, expected words of the error"#
        ),
        Edit(
            #"an empty list where there is none"#,
            edits: [
                (
                    #"x-sluice: {path: "/ships/{id}/"}"#,
                    #"x-sluice: {path: "/ships/{id}/", errors: [{contains: gone, empty: true}]}"#
                )
            ],
            #"films.yaml:36:73: /paths/~1ships~1{id}/get/x-sluice/errors/0/empty: found it without "collection", expected true, for an operation that answers a list"#
        ),
        Edit(
            #"a good status as an error"#,
            edits: [
                (
                    #"x-sluice: {path: "/ships/{id}/"}"#,
                    #"x-sluice: {path: "/ships/{id}/", errors: [{contains: gone, status: 200}]}"#
                )
            ],
            #"films.yaml:36:74: /paths/~1ships~1{id}/get/x-sluice/errors/0/status: found 200, expected the status that the answer should have had, from 400 to 599 (404, 403, 429, 503, …)"#
        ),
        Edit(
            #"a wrong place of an error"#,
            edits: [
                (
                    #"x-sluice: {path: "/ships/{id}/"}"#,
                    #"x-sluice: {path: "/ships/{id}/", errors: [{at: code, status: 404}]}"#
                )
            ],
            #"films.yaml:36:54: /paths/~1ships~1{id}/get/x-sluice/errors/0/at: found "code", expected a JSON Pointer such as /data/results"#
        ),
        Edit(
            #"an unknown key of an error"#,
            edits: [
                (
                    #"x-sluice: {path: "/ships/{id}/"}"#,
                    #"x-sluice: {path: "/ships/{id}/", errors: [{at: /code, status: 404, because: x}]}"#
                )
            ],
            #"films.yaml:36:74: /paths/~1ships~1{id}/get/x-sluice/errors/0/because: found the unknown key "because", expected one of: at, contains, status, empty, retry-after"#
        ),
        Edit(
            #"a pause of something else than a limit"#,
            edits: [
                (
                    #"x-sluice: {path: "/ships/{id}/"}"#,
                    #"x-sluice: {path: "/ships/{id}/", errors: [{at: /code, status: 404, retry-after: 5s}]}"#
                )
            ],
            #"films.yaml:36:74: /paths/~1ships~1{id}/get/x-sluice/errors/0/retry-after: found it without the status 429 or 503, expected it with one of them"#
        ),
        Edit(
            #"a pause without a unit"#,
            edits: [
                (
                    #"x-sluice: {path: "/ships/{id}/"}"#,
                    #"x-sluice: {path: "/ships/{id}/", errors: [{at: /code, status: 429, retry-after: "5"}]}"#
                )
            ],
            #"films.yaml:36:87: /paths/~1ships~1{id}/get/x-sluice/errors/0/retry-after: found "5", expected utc-midnight, or a duration such as 500ms, 2s, 5m, 1h or 7d, from 1s to 7d"#
        ),
        Edit(
            #"a wrong error of an upstream"#,
            edits: [
                (#"    timeout: 5s\#n"#, #"    timeout: 5s\#n    errors: [{at: code, status: 404}]\#n"#)
            ],
            #"films.yaml:8:19: /x-sluice-upstreams/films/errors/0/at: found "code", expected a JSON Pointer such as /data/results"#
        ),
        Edit(
            #"a wrong place that is expected"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", expects: [data]}"#)
            ],
            #"films.yaml:36:50: /paths/~1ships~1{id}/get/x-sluice/expects/0: found "data", expected a JSON Pointer such as /data/results"#
        ),
        Edit(
            #"a query with a parameter that isn't there"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", query: {q: "{name}"}}"#)
            ],
            #"films.yaml:36:51: /paths/~1ships~1{id}/get/x-sluice/query/q: found {name}, which no request gives, expected one of: {id}"#
        ),
        Edit(
            #"a query with bad braces"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", query: {q: "{id"}}"#)
            ],
            #"films.yaml:36:51: /paths/~1ships~1{id}/get/x-sluice/query/q: found "{id", expected text, perhaps with parameters in braces: "{query}""#
        ),
        Edit(
            #"a query that is no text"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", query: {q: {a: 1}}}"#)
            ],
            #"films.yaml:36:51: /paths/~1ships~1{id}/get/x-sluice/query/q: found a map, expected text or a number"#),
        Edit(
            #"a query that hides a parameter"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: mode, in: query, schema: {type: string}}"#
                ),
                (#"path: /films/"#, #"path: /films/\#n        query: {mode: fast}"#),
            ],
            #"films.yaml:19:17: /paths/~1films/get/x-sluice/query/mode: found "mode", which is a parameter of the request too, expected a text with {mode} in it, or another name"#
        ),
        Edit(
            #"a group with an unknown parameter"#,
            edits: [
                (#"path: /films/"#, #"path: /films/\#n        require: [[page], [name]]"#)
            ],
            #"films.yaml:19:28: /paths/~1films/get/x-sluice/require/1/0: found "name", expected one of the optional query parameters: page"#
        ),
        Edit(
            #"an empty group"#,
            edits: [
                (#"path: /films/"#, #"path: /films/\#n        require: [[]]"#)
            ],
            #"films.yaml:19:19: /paths/~1films/get/x-sluice/require/0: found an empty group, expected names of parameters"#
        ),
        Edit(
            #"a link without a group of parameters that its target needs"#,
            edits: [
                (#"path: /films/"#, #"path: /films/\#n        require: [[page]]"#),
                (#"title: {type: string}"#, #"title: {type: integer, x-sluice-link: {to: listFilms, params: {}}}"#),
            ],
            #"films.yaml:56:47: /components/schemas/Film/properties/title/x-sluice-link: found a link without "href" and "params" of type integer, expected a text that holds the address"#,
            #"films.yaml:56:52: /components/schemas/Film/properties/title/x-sluice-link/to: found "listFilms", expected "params" with "page""#
        ),
        Edit(
            #"a link with another group than its target needs"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: a, in: query, schema: {type: string}}\#n        - {name: b, in: query, schema: {type: string}}"#
                ),
                (#"path: /films/"#, #"path: /films/\#n        require: [[page], [a, b]]"#),
                (#"title: {type: string}"#, #"title: {type: string, x-sluice-link: {to: listFilms, params: {a: .}}}"#),
            ],
            #"films.yaml:57:70: /components/schemas/Film/properties/title/x-sluice-link/params: found "a", expected "page", or "a" and "b""#
        ),
        Edit(
            #"an address to a target that needs a group"#,
            edits: [
                (#"path: /films/"#, #"path: /films/\#n        require: [[page]]"#),
                (#"title: {type: string}"#, #"title: {type: string, x-sluice-link: {to: listFilms}}"#),
            ],
            #"films.yaml:56:51: /components/schemas/Film/properties/title/x-sluice-link/to: found "listFilms", expected "params" with "page""#
        ),
        Edit(
            #"a list without items"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: ids, in: query, explode: false, schema: {type: array}}"#
                )
            ],
            #"films.yaml:15:58: /paths/~1films/get/parameters/1/schema: found no "items", expected the schema of one value"#
        ),
        Edit(
            #"a list that is repeated"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: ids, in: query, schema: {type: array, items: {type: integer}}}"#
                )
            ],
            #"films.yaml:15:11: /paths/~1films/get/parameters/1: found no "explode", expected explode: false, for a list is one value with commas here"#
        ),
        Edit(
            #"a list of lists"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: ids, in: query, explode: false, schema: {type: array, items: {type: array}}}"#
                )
            ],
            #"films.yaml:15:86: /paths/~1films/get/parameters/1/schema/items/type: found "array", expected one of: string, integer, number, boolean"#
        ),
        Edit(
            #"a list with the wrong number of defaults"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: ids, in: query, explode: false, schema: {type: array, minItems: 2, items: {type: integer}, default: [1]}}"#
                )
            ],
            #"films.yaml:15:118: /paths/~1films/get/parameters/1/schema/default: found 1 values, expected at least 2 values with commas between them"#
        ),
        Edit(
            #"a list with a wrong default"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: ids, in: query, explode: false, schema: {type: array, items: {type: integer}, default: [x]}}"#
                )
            ],
            #"films.yaml:15:106: /paths/~1films/get/parameters/1/schema/default/0: found "x", expected an integer"#),
        Edit(
            #"a list with a default that is no list"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: ids, in: query, explode: false, schema: {type: array, items: {type: integer}, default: 1}}"#
                )
            ],
            #"films.yaml:15:105: /paths/~1films/get/parameters/1/schema/default: found 1, expected a list of values"#),
        Edit(
            #"a list with a word that nobody checks"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: ids, in: query, explode: false, schema: {type: array, uniqueItems: true, items: {type: integer}}}"#
                )
            ],
            #"films.yaml:15:72: /paths/~1films/get/parameters/1/schema/uniqueItems: found the keyword "uniqueItems", expected one of: type, items, minItems, maxItems, default, title, description, example, examples, deprecated"#
        ),
        Edit(
            #"a date as a default that is none"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: day, in: query, schema: {type: string, format: date, default: "2023-02-29"}}"#
                )
            ],
            #"films.yaml:15:80: /paths/~1films/get/parameters/1/schema/default: found "2023-02-29", expected a date such as 2024-05-22"#
        ),
        Edit(
            #"an empty value of a required parameter"#,
            edits: [
                (
                    #"{name: all, in: query, schema: {type: boolean}}"#,
                    #"{name: day, in: query, required: true, allowEmptyValue: true, schema: {type: string}}"#
                )
            ],
            #"films.yaml:15:50: /paths/~1films/get/parameters/1/allowEmptyValue: found it with a parameter that must have a value, expected it with an optional query parameter"#
        ),
        Edit(
            #"a largest page without a limit"#,
            edits: [
                (#"page: page, size: 10"#, #"page: page, size: 10, maximum: 100"#)
            ],
            #"films.yaml:19:110: /paths/~1films/get/x-sluice/collection/maximum: found it without "limit", expected it only beside "offset" and "limit""#
        ),
        Edit(
            #"a wrong place of the attribution"#,
            edits: [
                (#"page: page, size: 10"#, #"page: page, size: 10, attribution: text"#)
            ],
            #"films.yaml:19:123: /paths/~1films/get/x-sluice/collection/attribution: found "text", expected a JSON Pointer such as /data/results"#
        ),
    ]
}
