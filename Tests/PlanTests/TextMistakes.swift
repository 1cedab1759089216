import Plan
import Testing

@Suite("Mistakes in the text")
struct TextMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "a tab",
            replace: "    get:\n      operationId: listFilms",
            with: "\tget:\n      operationId: listFilms",
            "films.yaml:11:1: found a tab, expected blanks: YAML is indented with blanks only"),
        Edit(
            "broken YAML",
            replace: #"info: {title: Test, version: "1"}"#,
            with: #"info: {title: Test, version: "1""#,
            "films.yaml:3:1: found broken YAML (did not find expected ',' or '}'), expected well-formed YAML"),
        Edit(
            "a duplicate key",
            replace: "      operationId: getFilm\n",
            with: "      operationId: getFilm\n      operationId: getMovie\n",
            #"films.yaml:25:7: /paths/~1films~1{id}/get/operationId: found the key "operationId" again, expected each key once (it stands in line 24 already)"#
        ),
        Edit(
            "a second document",
            replace: "components:\n",
            with: "---\ncomponents:\n",
            "films.yaml:43:1: found a second document, expected one document a file"),
        Edit(
            "a merge key",
            replace: "    Ship:\n      type: object",
            with: "    Ship:\n      <<: {a: 1}\n      type: object",
            #"films.yaml:59:7: /components/schemas/Ship: found the merge key "<<", expected an alias or $ref: YAML 1.2 has no merge keys"#
        ),
        Edit(
            "an unknown alias",
            replace: "title: {type: string}",
            with: "title: *text",
            "films.yaml:55:16: /components/schemas/Film/properties/title: found *text, expected an anchor &text before it"
        ),
        Edit(
            "an alias inside its own value",
            replace: "    Film:\n      type: object",
            with: "    Film: &film\n      not: *film\n      type: object",
            "films.yaml:53:12: /components/schemas/Film/not: found *film inside &film, expected an alias of a value that has ended"
        ),
        Edit(
            "a tag",
            replace: "title: {type: string}",
            with: "title: !python {type: string}",
            #"films.yaml:55:16: found the tag "!python", expected no tag"#),
        Edit(
            "a number that JSON can't hold",
            replace: "count: {type: integer}",
            with: "count: {type: integer, example: .inf}",
            "films.yaml:48:41: /components/schemas/FilmList/properties/count/example: found .inf, expected a number that JSON can hold"
        ),
        Edit(
            "a list as a key",
            replace: "title: {type: string}",
            with: "? [a]\n        : {type: string}",
            "films.yaml:55:11: /components/schemas/Film/properties: found a list or map as a key, expected text"),
    ]
}
