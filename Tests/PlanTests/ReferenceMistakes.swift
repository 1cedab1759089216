import Plan
import Testing

@Suite("Mistakes in references")
struct ReferenceMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "a reference to nowhere",
            replace: "#/components/schemas/FilmList",
            with: "#/components/schemas/Films",
            "films.yaml:21:61: /paths/~1films/get/responses/200/content/application~1json/schema/$ref: found \"#/components/schemas/Films\", expected a place that exists in films.yaml"
        ),
        Edit(
            "references in a circle",
            replace: "title: {type: string}",
            with: "title: {$ref: \"#/components/schemas/Film/properties/title\"}",
            "films.yaml:55:23: /components/schemas/Film/properties/title/$ref: found \"#/components/schemas/Film/properties/title\", expected a reference that ends: this one leads back to itself"
        ),
        Edit(
            "a reference out of the folder",
            replace: "common.yaml#/parameters/expand\"}\n      x-sluice:\n        path",
            with: "../common.yaml#/parameters/expand\"}\n      x-sluice:\n        path",
            #"films.yaml:16:18: /paths/~1films/get/parameters/2/$ref: found "../common.yaml#/parameters/expand", expected a file inside the contract's folder"#
        ),
        Edit(
            "a reference to an absolute path",
            replace: "common.yaml#/parameters/expand\"}\n      x-sluice:\n        path",
            with: "/etc/passwd\"}\n      x-sluice:\n        path",
            #"films.yaml:16:18: /paths/~1films/get/parameters/2/$ref: found "/etc/passwd", expected a file inside the contract's folder"#
        ),
        Edit(
            "a reference to another machine",
            replace: "common.yaml#/parameters/expand\"}\n      x-sluice:\n        path",
            with: "https://files.test/common.yaml#/expand\"}\n      x-sluice:\n        path",
            #"films.yaml:16:18: /paths/~1films/get/parameters/2/$ref: found "https://files.test/common.yaml#/expand", expected a place in this file or in a file beside it, no address"#
        ),
        Edit(
            "a reference to a file that isn't there",
            replace: "common.yaml#/parameters/expand\"}\n      x-sluice:\n        path",
            with: "comon.yaml#/parameters/expand\"}\n      x-sluice:\n        path",
            #"films.yaml:16:18: /paths/~1films/get/parameters/2/$ref: found "comon.yaml#/parameters/expand" (comon.yaml: No such file or directory), expected a file that can be read"#
        ),
        Edit(
            "a reference without a pointer",
            replace: "#/components/schemas/FilmList",
            with: "#components",
            "films.yaml:21:61: /paths/~1films/get/responses/200/content/application~1json/schema/$ref: found \"#components\", expected a JSON Pointer behind \"#\""
        ),
        Edit(
            "a reference that is no text",
            replace: "{$ref: \"#/components/schemas/FilmList\"}",
            with: "{$ref: 1}",
            "films.yaml:21:61: /paths/~1films/get/responses/200/content/application~1json/schema/$ref: found 1, expected text such as \"#/components/schemas/Film\""
        ),
    ]
}
