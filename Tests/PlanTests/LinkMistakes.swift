import Plan
import Testing

@Suite("Mistakes in links")
struct LinkMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "a link to an unknown operation",
            replace: "x-sluice-link: {to: getShip}",
            with: "x-sluice-link: {to: getShips}",
            #"films.yaml:56:72: /components/schemas/Film/properties/ships/items/x-sluice-link/to: found "getShips", expected an operationId, one of: addShip, getFilm, getShip, listFilms"#
        ),
        Edit(
            "a link to an operation that is no GET",
            replace: "x-sluice-link: {to: getShip}",
            with: "x-sluice-link: {to: addShip}",
            #"films.yaml:56:72: /components/schemas/Film/properties/ships/items/x-sluice-link/to: found "addShip", which is POST, expected a GET operation"#
        ),
        Edit(
            "a link without a target",
            replace: "x-sluice-link: {to: getShip}",
            with: "x-sluice-link: {expand: true}",
            #"films.yaml:56:67: /components/schemas/Film/properties/ships/items/x-sluice-link: found no "to", expected one"#
        ),
        Edit(
            "an unknown key of a link",
            replace: "x-sluice-link: {to: getShip}",
            with: "x-sluice-link: {to: getShip, params: {id: .}, expnad: false}",
            #"films.yaml:56:98: /components/schemas/Film/properties/ships/items/x-sluice-link/expnad: found the unknown key "expnad", expected one of: to, params, href, expand"#
        ),
        Edit(
            "a link to an operation that needs what no address gives",
            replace:
                "        - {name: id, in: path, required: true, schema: {type: integer}}\n      x-sluice: {path: \"/ships/{id}/\"}",
            with:
                "        - {name: id, in: path, required: true, schema: {type: integer}}\n        - {name: mode, in: query, required: true, schema: {type: string}}\n      x-sluice: {path: \"/ships/{id}/\"}",
            #"films.yaml:57:72: /components/schemas/Film/properties/ships/items/x-sluice-link/to: found "getShip", which needs "mode", expected an operation whose upstream path /ships/{id}/ gives it, or "params""#
        ),
        Edit(
            "a link of an array",
            replace: "ships: {type: array, items: {type: string, x-sluice-link: {to: getShip}}}",
            with: "ships: {type: array, items: {type: string}, x-sluice-link: {to: getShip}}",
            "films.yaml:56:68: /components/schemas/Film/properties/ships/x-sluice-link: found a link of an array, expected the link at the array's items"
        ),
        Edit(
            "a link of a number",
            replace: "ships: {type: array, items: {type: string, x-sluice-link: {to: getShip}",
            with: "ships: {type: array, items: {type: integer, x-sluice-link: {to: getShip}",
            #"films.yaml:56:68: /components/schemas/Film/properties/ships/items/x-sluice-link: found a link without "href" and "params" of type integer, expected a text that holds the address"#
        ),
        Edit(
            "an href beside params",
            replace: "title: {type: string}",
            with:
                "title: {type: object, properties: {a: {type: string}}, x-sluice-link: {to: getShip, href: a, params: {id: .}}}",
            #"films.yaml:55:93: /components/schemas/Film/properties/title/x-sluice-link/href: found "href" beside "params", expected one of the two"#
        ),
        Edit(
            "an href that the object doesn't have",
            replace: "title: {type: string}",
            with: "title: {type: object, properties: {a: {type: string}}, x-sluice-link: {to: getShip, href: b}}",
            #"films.yaml:55:99: /components/schemas/Film/properties/title/x-sluice-link/href: found "b", expected one of: a"#
        ),
        Edit(
            "a parameter that the target doesn't have",
            replace: "title: {type: string}",
            with: "title: {type: integer, x-sluice-link: {to: getShip, params: {id: ., mode: .}}}",
            #"films.yaml:55:77: /components/schemas/Film/properties/title/x-sluice-link/params/mode: found "mode", which getShip doesn't have, expected one of: id"#
        ),
        Edit(
            "a parameter of the target that isn't given",
            replace: "title: {type: string}",
            with: "title: {type: integer, x-sluice-link: {to: listFilms, params: {}}}",
            #"films.yaml:55:47: /components/schemas/Film/properties/title/x-sluice-link: found a link without "href" and "params" of type integer, expected a text that holds the address"#
        ),
        Edit(
            "params without what the target needs",
            replace: "title: {type: string}",
            with: "title: {type: integer, x-sluice-link: {to: getShip, params: {mode: .}}}",
            #"films.yaml:55:69: /components/schemas/Film/properties/title/x-sluice-link/params: found no "id", expected one: getShip needs it"#,
            #"films.yaml:55:70: /components/schemas/Film/properties/title/x-sluice-link/params/mode: found "mode", which getShip doesn't have, expected one of: id"#
        ),
        Edit(
            "a template that names no field",
            replace: "title: {type: string}",
            with: #"title: {type: integer, x-sluice-link: {to: getShip, params: {id: "{lat},{url}"}}}"#,
            #"films.yaml:55:74: /components/schemas/Film/properties/title/x-sluice-link/params/id: found "lat", which stands nowhere beside the link, expected one of: title, ships, url"#
        ),
        Edit(
            "a template with bad braces",
            replace: "title: {type: string}",
            with: #"title: {type: integer, x-sluice-link: {to: getShip, params: {id: "{url"}}}"#,
            #"films.yaml:55:74: /components/schemas/Film/properties/title/x-sluice-link/params/id: found "{url", expected ".", a field's name, or text with {names} in it"#
        ),
        Edit(
            "a link to expand that isn't there",
            replace: "expand: [ships]",
            with: "expand: [ships.crew]",
            #"films.yaml:28:49: /paths/~1films~1{id}/get/x-sluice/expand/0: found "ships.crew", in which "crew" is no link, expected one of: films"#
        ),
        Edit(
            "a link to expand that is only rewritten",
            replace: "expand: [ships]",
            with: "expand: [url]",
            #"films.yaml:28:49: /paths/~1films~1{id}/get/x-sluice/expand/0: found "url", in which "url" is no link, expected one of: ships"#
        ),
        Edit(
            "a link to expand that is too deep",
            replace: "expand: [ships]",
            with: "expand: [ships.films.ships.films.ships]",
            #"films.yaml:28:49: /paths/~1films~1{id}/get/x-sluice/expand/0: found "ships.films.ships.films.ships", expected a path of at most 4 links"#
        ),
        Edit(
            "an expand where there is no link",
            edits: [
                (
                    "        films: {type: array, items: {type: string, x-sluice-link: {to: getFilm}}}\n",
                    ""
                ),
                (
                    "        - {name: id, in: path, required: true, schema: {type: integer}}\n      x-sluice: {path: \"/ships/{id}/\"}",
                    "        - {name: id, in: path, required: true, schema: {type: integer}}\n        - {$ref: \"common.yaml#/parameters/expand\"}\n      x-sluice: {path: \"/ships/{id}/\"}"
                ),
            ],
            #"films.yaml:36:11: /paths/~1ships~1{id}/get/parameters/1: found the parameter "expand", expected it only where the answer's schema has a link to follow"#
        ),
    ]
}
