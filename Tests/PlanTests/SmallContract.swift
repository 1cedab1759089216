import Plan
import Testing

/// A contract of four operations that is right; each test of a mistake changes one thing in it.
enum SmallContract {
    static let films = """
        openapi: 3.1.0
        info: {title: Test, version: "1"}
        x-sluice-upstreams:
          films:
            url: https://films.test/api
            aliases: [http://old.test/api]
            timeout: 5s
        x-sluice: {upstream: films}
        paths:
          /films:
            get:
              operationId: listFilms
              parameters:
                - {name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}
                - {name: all, in: query, schema: {type: boolean}}
                - {$ref: "common.yaml#/parameters/expand"}
              x-sluice:
                path: /films/
                collection: {items: /results, total: /count, next: /next, previous: /previous, page: page, size: 10}
              responses:
                "200": {content: {application/json: {schema: {$ref: "#/components/schemas/FilmList"}}}}
          /films/{id}:
            get:
              operationId: getFilm
              parameters:
                - {name: id, in: path, required: true, schema: {type: integer}}
                - {$ref: "common.yaml#/parameters/expand"}
              x-sluice: {path: "/films/{id}/", expand: [ships]}
              responses:
                "200": {content: {application/json: {schema: {$ref: "#/components/schemas/Film"}}}}
          /ships/{id}:
            get:
              operationId: getShip
              parameters:
                - {name: id, in: path, required: true, schema: {type: integer}}
              x-sluice: {path: "/ships/{id}/"}
              responses:
                "200": {content: {application/json: {schema: {$ref: "#/components/schemas/Ship"}}}}
          /ships:
            post:
              operationId: addShip
              responses: {"201": {description: It was added.}}
        components:
          schemas:
            FilmList:
              type: object
              properties:
                count: {type: integer}
                next: {type: string}
                previous: {type: string}
                results: {type: array, items: {$ref: "#/components/schemas/Film"}}
            Film:
              type: object
              properties:
                title: {type: string}
                ships: {type: array, items: {type: string, x-sluice-link: {to: getShip}}}
                url: {type: string, x-sluice-link: {to: getFilm, expand: false}}
            Ship:
              type: object
              properties:
                name: {type: string}
                films: {type: array, items: {type: string, x-sluice-link: {to: getFilm}}}

        """
    static let common = """
        parameters:
          expand: {name: expand, in: query, schema: {type: array, items: {type: string}}}

        """

    /// What the variables in the edits stand for.
    static let environment = ["FILMS_URL": "ftp://x", "GONE_FILE": "/nowhere"]
}

/// One change of the small contract, and what the loader must say about it.
struct Edit: Sendable, CustomTestStringConvertible {
    var sentence: String
    var edits: [(old: String, new: String)]
    var expected: [String]

    init(_ sentence: String, replace old: String, with new: String, _ expected: String...) {
        self.init(sentence, edits: [(old, new)], expected: expected)
    }

    init(_ sentence: String, edits: [(old: String, new: String)], _ expected: String...) {
        self.init(sentence, edits: edits, expected: expected)
    }

    private init(_ sentence: String, edits: [(old: String, new: String)], expected: [String]) {
        self.sentence = sentence
        self.edits = edits
        self.expected = expected
    }

    var testDescription: String { sentence }

    /// The changed contract.
    func applied() throws -> String {
        var text = SmallContract.films
        for (old, new) in edits {
            let place = try #require(text.firstRange(of: old))
            text.replaceSubrange(place, with: new)
        }
        return text
    }
}

/// Loads `films` together with the shared parts.
func smallPlan(
    _ films: String = SmallContract.films, environment: [String: String] = SmallContract.environment,
    secrets: @escaping FileSource = { _ in .failure(FileFailure(reason: "No such file or directory")) }
) throws(ContractMistakes) -> Plan {
    try PlanLoader().load(
        sources: [("films.yaml", Array(films.utf8)), ("common.yaml", Array(SmallContract.common.utf8))],
        environment: environment, secrets: secrets)
}

/// The lines that the loader says about `films`.
func mistakes(in films: String, environment: [String: String] = SmallContract.environment) -> [String] {
    do {
        _ = try smallPlan(films, environment: environment)
        return []
    } catch {
        return error.all.map(\.description)
    }
}
