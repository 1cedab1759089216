import Plan
import Testing

@Suite("Mistakes in OpenAPI")
struct OpenAPIMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "OpenAPI 3.0",
            replace: "openapi: 3.1.0",
            with: "openapi: 3.0.3",
            #"films.yaml:1:10: /openapi: found "3.0.3", expected OpenAPI 3.1, such as 3.1.0"#),
        Edit(
            "a version that is a number",
            replace: "openapi: 3.1.0",
            with: "openapi: 3.1",
            "films.yaml:1:10: /openapi: found 3.1, expected text, in quotes"),
        Edit(
            "no version of OpenAPI",
            replace: "openapi: 3.1.0\n",
            with: "",
            #"films.yaml:1:1: found no "openapi", expected one"#),
        Edit(
            "a title that is no text",
            replace: "title: Test",
            with: "title: [Test]",
            "films.yaml:2:15: /info/title: found a list, expected text"),
        Edit(
            "no title",
            replace: "title: Test, ",
            with: "",
            #"films.yaml:2:7: /info: found no "title", expected one"#),
        Edit(
            "a version of the document that is a number",
            replace: #"version: "1""#,
            with: "version: 1",
            "films.yaml:2:30: /info/version: found 1, expected text, in quotes"),
        Edit(
            "an unknown key of OpenAPI",
            replace: "      operationId: getShip\n",
            with: "      operationId: getShip\n      operationID: x\n",
            #"films.yaml:34:7: /paths/~1ships~1{id}/get/operationID: found the unknown key "operationID", expected one of: operationId, tags, summary, description, externalDocs, parameters, requestBody, responses, callbacks, deprecated, security, servers, x-sluice"#
        ),
        Edit(
            "a list in place of a map",
            replace: #"responses: {"201": {description: It was added.}}"#,
            with: "responses: [It was added.]",
            "films.yaml:42:18: /paths/~1ships/post/responses: found a list, expected a map"),
        Edit(
            "no operationId",
            replace: "      operationId: getShip\n",
            with: "",
            #"films.yaml:33:7: /paths/~1ships~1{id}/get: found no "operationId", expected one"#,
            #"films.yaml:55:72: /components/schemas/Film/properties/ships/items/x-sluice-link/to: found "getShip", expected an operationId, one of: addShip, getFilm, listFilms"#
        ),
        Edit(
            "an operationId twice, which leaves a link without its operation",
            replace: "operationId: getShip",
            with: "operationId: addShip",
            #"films.yaml:41:20: /paths/~1ships/post/operationId: found "addShip", expected each operationId once (films.yaml:33 has it already)"#
        ),
        Edit(
            "an operationId twice",
            replace: "operationId: addShip",
            with: "operationId: getShip",
            #"films.yaml:41:20: /paths/~1ships/post/operationId: found "getShip", expected each operationId once (films.yaml:33 has it already)"#
        ),
        Edit(
            "a method that the gateway answers itself",
            replace: "    post:\n",
            with: "    trace:\n",
            #"films.yaml:40:5: /paths/~1ships/trace: found the method "trace", expected one of: get, put, post, delete, patch"#
        ),
        Edit(
            "a status that is none",
            replace: #""201""#,
            with: #""20""#,
            #"films.yaml:42:19: /paths/~1ships/post/responses/20: found "20", expected a status such as 200 or 4XX, or default"#
        ),
        Edit(
            "a path without a slash",
            replace: "  /ships:\n",
            with: "  ships:\n",
            #"films.yaml:39:3: /paths/ships: found "ships", expected a path such as /films/{id}, with braces around whole segments"#
        ),
        Edit(
            "braces around a part of a segment",
            replace: "  /ships/{id}:",
            with: "  /ships/{id}.json:",
            #"films.yaml:31:3: /paths/~1ships~1{id}.json: found "/ships/{id}.json", expected a path such as /films/{id}, with braces around whole segments"#,
            #"films.yaml:56:72: /components/schemas/Film/properties/ships/items/x-sluice-link/to: found "getShip", expected an operationId, one of: addShip, getFilm, listFilms"#
        ),
        Edit(
            "a parameter twice in a path",
            replace: "  /ships/{id}:",
            with: "  /ships/{id}/{id}:",
            #"films.yaml:31:3: /paths/~1ships~1{id}~1{id}: found "/ships/{id}/{id}", expected a path that names each parameter once"#,
            #"films.yaml:56:72: /components/schemas/Film/properties/ships/items/x-sluice-link/to: found "getShip", expected an operationId, one of: addShip, getFilm, listFilms"#
        ),
        Edit(
            "a path of the gateway's own",
            replace: "  /ships:\n",
            with: "  /healthz:\n",
            #"films.yaml:39:3: /paths/~1healthz: found "/healthz", expected a path that isn't the gateway's own"#),
        Edit(
            "two routes that differ in a parameter's name only",
            replace: "  /ships:\n    post:",
            with:
                "  /films/{name}:\n    parameters: [{name: name, in: path, required: true, schema: {type: string}}]\n    get:",
            #"films.yaml:39:3: /paths/~1films~1{name}: found "/films/{name}", expected a path that doesn't collide with /films/{id} (films.yaml:22)"#
        ),
        Edit(
            "two routes that differ in a slash at the end only",
            replace: "  /ships:\n    post:",
            with: "  /films/:\n    get:",
            #"films.yaml:39:3: /paths/~1films~1: found "/films/", expected a path that doesn't collide with /films (films.yaml:10)"#
        ),
        Edit(
            "no paths",
            replace: "paths:\n",
            with: "webhooks:\n",
            "films.yaml:1:1: found no paths in any file, expected at least one path"),
        Edit(
            "nullable of OpenAPI 3.0",
            replace: "title: {type: string}",
            with: "title: {type: string, nullable: true}",
            #"films.yaml:55:31: /components/schemas/Film/properties/title/nullable: found "nullable" of OpenAPI 3.0, expected "null" in the list of types"#
        ),
        Edit(
            "an unknown type",
            replace: "title: {type: string}",
            with: "title: {type: text}",
            #"films.yaml:55:23: /components/schemas/Film/properties/title/type: found "text", expected one of: object, array, string, integer, number, boolean, null"#
        ),
        Edit(
            "a property that is no schema",
            replace: "title: {type: string}",
            with: "title: string",
            #"films.yaml:55:16: /components/schemas/Film/properties/title: found "string", expected a map"#),
    ]
}
