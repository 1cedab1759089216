import Plan
import Testing

@Suite("Mistakes in parameters")
struct ParameterMistakeTests {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "a parameter of the path that isn't declared",
            replace:
                "    get:\n      operationId: getShip\n      parameters:\n        - {name: id, in: path, required: true, schema: {type: integer}}\n      x-sluice: {path: \"/ships/{id}/\"}\n",
            with: "    get:\n      operationId: getShip\n      x-sluice: {path: /ships/1}\n",
            #"films.yaml:31:3: /paths/~1ships~1{id}: found {id} without a declaration, expected a parameter "id" with in: path"#
        ),
        Edit(
            "a declared parameter that the path hasn't",
            replace: "  /ships:\n    post:\n",
            with:
                "  /ships:\n    parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n    post:\n",
            #"films.yaml:40:18: /paths/~1ships/parameters/0: found the path parameter "id", expected none: the path has no braces"#
        ),
        Edit(
            "a path parameter that may be missing",
            replace:
                "        - {name: id, in: path, required: true, schema: {type: integer}}\n      x-sluice: {path: \"/ships/{id}/\"}\n",
            with: "        - {name: id, in: path, schema: {type: integer}}\n      x-sluice: {path: \"/ships/{id}/\"}\n",
            "films.yaml:35:11: /paths/~1ships~1{id}/get/parameters/0: found a path parameter that may be missing, expected required: true"
        ),
        Edit(
            "a parameter in a header",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: X-Mode, in: header, schema: {type: string}}",
            #"films.yaml:15:30: /paths/~1films/get/parameters/1/in: found "header", expected one of: path, query"#),
        Edit(
            "a parameter without a schema",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query}",
            #"films.yaml:15:11: /paths/~1films/get/parameters/1: found no "schema", expected one"#),
        Edit(
            "a parameter without a name",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {in: query, schema: {type: string}}",
            #"films.yaml:15:11: /paths/~1films/get/parameters/1: found no "name", expected one"#),
        Edit(
            "a parameter twice",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: page, in: query, schema: {type: integer}}",
            #"films.yaml:15:11: /paths/~1films/get/parameters/1: found the parameter "page" again, expected each once"#),
        Edit(
            "a style that isn't supported",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: tags, in: query, style: pipeDelimited, schema: {type: string}}",
            #"films.yaml:15:42: /paths/~1films/get/parameters/1/style: found "pipeDelimited", expected form, the only style of a query parameter here"#
        ),
        Edit(
            "a type that no parameter has",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: tags, in: query, schema: {type: object}}",
            #"films.yaml:15:50: /paths/~1films/get/parameters/1/schema/type: found "object", expected one of: string, integer, number, boolean, array"#
        ),
        Edit(
            "a keyword that nobody would check",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query, schema: {type: string, pattern: a+}}",
            #"films.yaml:15:58: /paths/~1films/get/parameters/1/schema/pattern: found the keyword "pattern", expected one of: type, format, enum, minimum, maximum, minLength, maxLength, default, title, description, example, examples, deprecated"#
        ),
        Edit(
            "a least that is more than the most",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with: "{name: page, in: query, schema: {type: integer, minimum: 9, maximum: 1}}",
            "films.yaml:14:68: /paths/~1films/get/parameters/0/schema/minimum: found 9, expected at most maximum, which is 1"
        ),
        Edit(
            "a least length that is more than the most",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query, schema: {type: string, minLength: 3, maxLength: 2}}",
            "films.yaml:15:69: /paths/~1films/get/parameters/1/schema/minLength: found 3, expected at most maxLength, which is 2"
        ),
        Edit(
            "a bound of a text's value",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query, schema: {type: string, minimum: 1}}",
            "films.yaml:15:58: /paths/~1films/get/parameters/1/schema/minimum: found it with the type string, expected it as a number's bound only"
        ),
        Edit(
            "a length of a number",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with: "{name: page, in: query, schema: {type: integer, maxLength: 1}}",
            "films.yaml:14:59: /paths/~1films/get/parameters/0/schema/maxLength: found it with the type integer, expected it as a text's bound only"
        ),
        Edit(
            "a default of the wrong type",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with: #"{name: page, in: query, schema: {type: integer, default: "1"}}"#,
            #"films.yaml:14:68: /paths/~1films/get/parameters/0/schema/default: found "1", expected an integer"#),
        Edit(
            "a default below the least",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 0}}",
            "films.yaml:14:80: /paths/~1films/get/parameters/0/schema/default: found 0, expected at least 1"),
        Edit(
            "a default above the most",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with: "{name: page, in: query, schema: {type: integer, maximum: 5, default: 6}}",
            "films.yaml:14:80: /paths/~1films/get/parameters/0/schema/default: found 6, expected at most 5"),
        Edit(
            "a default that isn't allowed",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query, schema: {type: string, enum: [a, b], default: c}}",
            #"films.yaml:15:81: /paths/~1films/get/parameters/1/schema/default: found "c", expected one of: a, b"#),
        Edit(
            "a default that is too long",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query, schema: {type: string, maxLength: 2, default: abc}}",
            #"films.yaml:15:81: /paths/~1films/get/parameters/1/schema/default: found "abc", expected at most 2 characters"#
        ),
        Edit(
            "a default of a required parameter",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query, required: true, schema: {type: string, default: c}}",
            "films.yaml:15:74: /paths/~1films/get/parameters/1/schema/default: found a default of a required parameter, expected none, or required: false"
        ),
        Edit(
            "an allowed value of the wrong type",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query, schema: {type: string, enum: [a, 1]}}",
            "films.yaml:15:68: /paths/~1films/get/parameters/1/schema/enum/1: found 1, expected text"),
        Edit(
            "no allowed value",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: mode, in: query, schema: {type: string, enum: []}}",
            "films.yaml:15:64: /paths/~1films/get/parameters/1/schema/enum: found an empty list, expected the allowed values"
        ),
        Edit(
            "an expand that is no list of paths",
            replace: "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}",
            with:
                "{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}\n        - {name: fields, in: query, schema: {type: integer}}",
            #"films.yaml:15:52: /paths/~1films/get/parameters/1/schema/type: found "integer", expected array or string: fields is a list of paths"#
        ),
        Edit(
            "an all that is no flag",
            replace: "{name: all, in: query, schema: {type: boolean}}",
            with: "{name: all, in: query, schema: {type: string}}",
            #"films.yaml:15:49: /paths/~1films/get/parameters/1/schema/type: found "string", expected boolean: "all" asks for every page"#
        ),
    ]
}
