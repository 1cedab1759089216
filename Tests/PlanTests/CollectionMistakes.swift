import Plan
import Testing

@Suite("Mistakes in collections")
struct CollectionMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "a collection without items",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {total: /count, page: page, size: 10}",
            #"films.yaml:19:21: /paths/~1films/get/x-sluice/collection: found no "items", expected one"#),
        Edit(
            "a wrong pointer",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: results, page: page, size: 10}",
            #"films.yaml:19:29: /paths/~1films/get/x-sluice/collection/items: found "results", expected a JSON Pointer such as /data/results"#
        ),
        Edit(
            "a place that the schema doesn't declare",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results, total: /total, page: page, size: 10}",
            #"films.yaml:19:46: /paths/~1films/get/x-sluice/collection/total: found "/total", expected a place that the answer's schema declares"#
        ),
        Edit(
            "items that are no array",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /count, page: page, size: 10}",
            #"films.yaml:19:29: /paths/~1films/get/x-sluice/collection/items: found "/count", a place of type integer, expected the place of an array whose items have a schema"#
        ),
        Edit(
            "a page parameter that isn't declared",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results, page: pages, size: 10}",
            #"films.yaml:19:45: /paths/~1films/get/x-sluice/collection/page: found "pages", which isn't declared, expected a query parameter of type integer"#
        ),
        Edit(
            "a page parameter that is no integer",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results, page: all, size: 10}",
            #"films.yaml:19:45: /paths/~1films/get/x-sluice/collection/page: found "all", which is no integer, expected a query parameter of type integer"#
        ),
        Edit(
            "pages without a size",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results, page: page}",
            #"films.yaml:19:21: /paths/~1films/get/x-sluice/collection: found no "size", expected the number of items on a full page"#
        ),
        Edit(
            "a size that is too small",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results, page: page, size: 0}",
            "films.yaml:19:57: /paths/~1films/get/x-sluice/collection/size: found 0, expected a whole number from 1 to 10000"
        ),
        Edit(
            "a size without pages",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results, size: 10}",
            #"films.yaml:19:39: /paths/~1films/get/x-sluice/collection/size: found a size without pages, expected "page", or "offset" and "limit""#
        ),
        Edit(
            "an offset without a limit",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results, offset: page, size: 10}",
            #"films.yaml:19:39: /paths/~1films/get/x-sluice/collection/offset: found it alone, expected both "offset" and "limit""#
        ),
        Edit(
            "pages and offsets",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results, page: page, offset: page, limit: page, size: 10}",
            #"films.yaml:19:51: /paths/~1films/get/x-sluice/collection/offset: found it beside "page", expected "page", or "offset" and "limit""#
        ),
        Edit(
            "all without pages",
            replace:
                "collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}",
            with: "collection: {items: /results}",
            #"films.yaml:15:11: /paths/~1films/get/parameters/1: found the parameter "all", expected it only with a collection that has pages: "page", or "offset" and "limit""#
        ),
        Edit(
            "a collection without a schema",
            replace:
                "        \"200\": {content: {application/json: {schema: {$ref: \"#/components/schemas/FilmList\"}}}}",
            with: #"        "200": {description: Something.}"#,
            "films.yaml:21:9: /paths/~1films/get/responses: found no schema of a JSON answer with status 200, expected one: the collection needs it"
        ),
        Edit(
            "a schema for failures only",
            replace:
                "        \"200\": {content: {application/json: {schema: {$ref: \"#/components/schemas/FilmList\"}}}}",
            with: "        \"404\": {content: {application/json: {schema: {$ref: \"#/components/schemas/FilmList\"}}}}",
            "films.yaml:21:9: /paths/~1films/get/responses: found no schema of a JSON answer with status 200, expected one: the collection needs it"
        ),
    ]
}
