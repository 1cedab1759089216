import JSON
import Plan
import Testing

@Suite("Plans")
struct PlanTests {
    private func operation(_ id: String, in plan: Plan) throws -> Operation {
        try #require(plan.operations.first { $0.id == id })
    }

    @Test("the shipped contract has a list and a single route for all six kinds")
    func routes() throws {
        let plan = try shippedPlan()
        #expect(plan.operations.count == 13)
        #expect(
            try operation("mirrorSWAPI", in: plan).mirror == MirrorPlan(prefix: "/mirror/swapi", rewritesLinks: true))
        #expect(plan.upstreams.map(\.name) == ["swapi"])
        for (kind, list, single) in [
            ("films", "listFilms", "getFilm"), ("people", "listPeople", "getPerson"),
            ("planets", "listPlanets", "getPlanet"),
            ("species", "listSpecies", "getSpecies"), ("vehicles", "listVehicles", "getVehicle"),
            ("starships", "listStarships", "getStarship"),
        ] {
            let many = try operation(list, in: plan)
            #expect(many.path.text == "/\(kind)")
            #expect(many.upstreamPath.text == "/\(kind)/")
            #expect(many.collection?.paging == .page(parameter: "page", size: 10))
            #expect(many.collection?.items.description == "/results")
            #expect(many.collection?.total?.description == "/count")
            #expect(many.collection?.next?.description == "/next")
            #expect(many.collection?.previous?.description == "/previous")
            #expect(many.parameters.map(\.name) == ["search", "page", "all", "expand", "fields"])
            #expect(many.parameters.map(\.role) == [.upstream, .upstream, .all, .expand, .fields])
            let one = try operation(single, in: plan)
            #expect(one.path.text == "/\(kind)/{id}")
            #expect(one.upstreamPath.text == "/\(kind)/{id}/")
            #expect(one.collection == nil)
            #expect(one.resource == one.answer)
            #expect(one.resource == many.resource)
            #expect(many.answer != many.resource)
            #expect(one.deadline == .seconds(10))
            #expect(one.upstream == 0)
            let resource = try #require(one.resource)
            let url = try #require(plan.schemas[resource].property("url"))
            #expect(plan.schemas[url].link?.isExpandable == false)
            #expect(plan.schemas[url].link.map { plan.operations[$0.operation].id } == single)
        }
    }

    @Test("the shipped contract declares every field of SWAPI in its order")
    func fields() throws {
        let plan = try shippedPlan()
        func names(_ id: String) throws -> [String] {
            let resource = try #require(try operation(id, in: plan).resource)
            return plan.schemas[resource].properties.map(\.name)
        }
        let craft = [
            "name", "model", "manufacturer", "cost_in_credits", "length", "max_atmosphering_speed", "crew",
            "passengers",
            "cargo_capacity", "consumables",
        ]
        let end = ["created", "edited", "url"]
        #expect(
            try names("getFilm") == [
                "title", "episode_id", "opening_crawl", "director", "producer", "release_date", "characters", "planets",
                "starships",
                "vehicles", "species",
            ] + end)
        #expect(
            try names("getPerson") == [
                "name", "height", "mass", "hair_color", "skin_color", "eye_color", "birth_year", "gender", "homeworld",
                "films",
                "species", "vehicles", "starships",
            ] + end)
        #expect(
            try names("getPlanet") == [
                "name", "rotation_period", "orbital_period", "diameter", "climate", "gravity", "terrain",
                "surface_water", "population",
                "residents", "films",
            ] + end)
        #expect(
            try names("getSpecies") == [
                "name", "classification", "designation", "average_height", "skin_colors", "hair_colors", "eye_colors",
                "average_lifespan", "homeworld", "language", "people", "films",
            ] + end)
        #expect(try names("getVehicle") == craft + ["vehicle_class", "pilots", "films"] + end)
        #expect(
            try names("getStarship") == craft + ["hyperdrive_rating", "MGLT", "starship_class", "pilots", "films"] + end
        )
    }

    @Test("the shipped upstream is swapi.dev, or what SWAPI_URL says, and takes the links of its old addresses")
    func upstream() throws {
        #expect(try shippedPlan().upstreams.first?.base.text == "https://swapi.dev/api")
        let plan = try shippedPlan(["SWAPI_URL": "http://127.0.0.1:8000/api/"])
        #expect(plan.upstreams.first?.base.text == "http://127.0.0.1:8000/api")
        for address in [
            "http://127.0.0.1:8000/api/starships/9/", "https://swapi.co/api/starships/9/",
            "http://swapi.dev/api/starships/9",
        ] {
            let match = try #require(plan.links.match(address, from: 0))
            #expect(plan.operations[match.operation].id == "getStarship")
            #expect(match.parameters == ["id": "9"])
        }
        #expect(
            plan.links.match("https://swapi.dev/api/starships/", from: 0).map { plan.operations[$0.operation].id }
                == "listStarships")
    }

    @Test("the nearest x-sluice wins, key by key")
    func nearest() throws {
        let plan = try smallPlan(
            SmallContract.films.replacing(
                "x-sluice: {upstream: films}", with: "x-sluice: {upstream: films, deadline: 3s, limits: {depth: 2}}"
            )
            .replacing(
                "  /ships/{id}:\n    get:",
                with: "  /ships/{id}:\n    x-sluice: {deadline: 4s, cache: {ttl: 5s}}\n    get:"
            )
            .replacing(
                "x-sluice: {path: \"/films/{id}/\", expand: [ships]}",
                with: "x-sluice: {path: \"/films/{id}/\", deadline: 5s, limits: {links: 7, bytes: 2MB}}"))
        let film = try operation("getFilm", in: plan)
        #expect(film.deadline == .seconds(5))
        #expect(film.limits.links == 7)
        #expect(film.limits.bytes == 2_000_000)
        #expect(film.limits.depth == 4)
        let ship = try operation("getShip", in: plan)
        #expect(ship.deadline == .seconds(4))
        #expect(ship.cache == CachePolicy(ttl: .seconds(5)))
        #expect(ship.limits.depth == 2)
        #expect(try operation("listFilms", in: plan).deadline == .seconds(3))
    }

    @Test("what no contract says comes from the loader")
    func loader() throws {
        var limits = BudgetLimits()
        limits.links = 9
        let plan = try PlanLoader(deadline: .seconds(7), limits: limits).load(
            sources: [
                (
                    "a.yaml",
                    Array(
                        "openapi: 3.1.0\ninfo: {title: A, version: \"1\"}\npaths: {/a: {get: {operationId: a}}}\n".utf8)
                )
            ])
        #expect(plan.operations.first?.deadline == .seconds(7))
        #expect(plan.operations.first?.limits == limits)
        #expect(plan.operations.first?.upstream == nil)
    }

    @Test("an upstream path that isn't given is the local one")
    func samePath() throws {
        let plan = try smallPlan(SmallContract.films.replacing("      x-sluice: {path: \"/ships/{id}/\"}\n", with: ""))
        #expect(try operation("getShip", in: plan).upstreamPath.text == "/ships/{id}")
    }

    @Test("parameters keep what a value must be")
    func parameters() throws {
        let plan = try smallPlan(
            SmallContract.films.replacing(
                "        - {name: all,",
                with: """
                            - {name: mode, in: query, schema: {type: string, enum: [a, b], minLength: 1, maxLength: 3, default: b}}
                            - {name: far, in: query, required: true, schema: {type: number, minimum: -1.5, maximum: 2e3}}
                            - {name: all,
                    """))
        let parameters = try operation("listFilms", in: plan).parameters
        let mode = try #require(parameters.first { $0.name == "mode" })
        #expect(mode.allowed == ["a", "b"])
        #expect(mode.default == "b")
        #expect(mode.minimumLength == 1)
        #expect(mode.maximumLength == 3)
        let far = try #require(parameters.first { $0.name == "far" })
        #expect(far.type == .number)
        #expect(far.isRequired)
        #expect(far.minimum == -1.5)
        #expect(far.maximum == 2000)
        let page = try #require(parameters.first { $0.name == "page" })
        #expect(page.default == "1")
        #expect(page.type == .integer)
    }

    @Test("an operation's own parameter wins over its path item's")
    func ownParameters() throws {
        let plan = try smallPlan(
            SmallContract.films.replacing(
                "  /ships/{id}:\n",
                with: """
                      /ships/{id}:
                        parameters:
                          - {name: id, in: path, required: true, schema: {type: string}}
                          - {name: mode, in: query, schema: {type: string}}

                    """))
        let parameters = try operation("getShip", in: plan).parameters
        #expect(parameters.map(\.name) == ["mode", "id"])
        #expect(parameters.map(\.type) == [.string, .integer])
    }

    @Test("unwrap, offsets, shape, x-sluice-from, href, params and a merge of several are read")
    func everything() throws {
        let text = """
            openapi: 3.1.0
            info: {title: Comics, version: "1"}
            x-sluice-upstreams: {marvel: {url: "https://a.test/v1"}}
            paths:
              /comics:
                get:
                  operationId: listComics
                  parameters:
                    - {name: offset, in: query, schema: {type: integer}}
                    - {name: limit, in: query, schema: {type: integer}}
                    - {name: location, in: query, schema: {type: string}}
                  x-sluice:
                    upstream: marvel
                    shape: true
                    unwrap: /data
                    collection: {items: /results, total: /total, offset: offset, limit: limit, size: 20}
                  responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Page"}}}}}
              /comics/{id}:
                get:
                  operationId: getComic
                  parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
                  x-sluice: {upstream: marvel}
                  responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Comic"}}}}}
              /at/{location}:
                get:
                  operationId: getPlace
                  parameters: [{name: location, in: path, required: true, schema: {type: string}}]
                  x-sluice: {expand: [comics]}
                  responses:
                    "200":
                      content:
                        application/json:
                          schema:
                            type: object
                            properties: {comics: {x-sluice-link: {to: listComics, params: {location: location}}}}
            components:
              schemas:
                Page:
                  type: object
                  properties: {total: {type: integer}, results: {type: array, items: {$ref: "#/components/schemas/Comic"}}}
                Base: {type: object, properties: {id: {type: integer}, name: {type: string, x-sluice-from: areaName/0/value}}}
                Comic:
                  allOf:
                    - {$ref: "#/components/schemas/Base"}
                    - type: object
                      additionalProperties: true
                      properties:
                        variants:
                          type: array
                          items: {$ref: "#/components/schemas/Summary", x-sluice-link: {to: getComic, href: resourceURI}}
                        next: {type: integer, x-sluice-link: {to: getComic, params: {id: "{id}"}}}
                Summary: {type: object, properties: {resourceURI: {type: string}, name: {type: string}}}
            """
        let plan = try PlanLoader().load(sources: [("a.yaml", Array(text.utf8))])
        let list = try operation("listComics", in: plan)
        #expect(list.isShaped)
        #expect(list.unwrap == JSONPointer(["data"]))
        #expect(list.collection?.paging == .offset(parameter: "offset", limit: "limit", size: 20))
        let comic = try #require(try operation("getComic", in: plan).resource)
        #expect(list.resource == comic)
        #expect(plan.schemas[comic].isOpen)
        #expect(plan.schemas[comic].types == [.object])
        #expect(plan.schemas[comic].properties.map(\.name) == ["id", "name", "variants", "next"])
        let name = try #require(plan.schemas[comic].property("name"))
        #expect(plan.schemas[name].sources == [.place(try #require(AnswerPlace("areaName/0/value")))])
        let variant = try #require(plan.schemas[comic].property("variants").flatMap { plan.schemas[$0].items })
        #expect(plan.schemas[variant].link?.href == "resourceURI")
        #expect(plan.schemas[variant].properties.map(\.name) == ["resourceURI", "name"])
        #expect(ExpandPaths.allowed(from: comic, in: plan) == ["variants", "next"])
        let place = try operation("getPlace", in: plan)
        #expect(place.upstream == nil)
        #expect(place.expandByDefault == ["comics"])
        let merged = try #require(place.resource)
        #expect(ExpandPaths.all(from: merged, depth: 2, in: plan) == ["comics", "comics.variants", "comics.next"])
    }
}

@Suite("Paths of links and fields")
struct PathTests {
    @Test("the links of a resource are told in the contract's order, arrays and plain objects looked through")
    func links() throws {
        let plan = try smallPlan(
            SmallContract.films.replacing(
                "        title: {type: string}\n",
                with: """
                            title: {type: string}
                            crew:
                              type: object
                              properties:
                                boss: {type: string, x-sluice-link: {to: getShip}}
                                groups: {type: array, items: {type: object, properties: {ships: {type: array, items: {type: array, items: {type: string, x-sluice-link: {to: getShip}}}}}}}
                                self: {$ref: "#/components/schemas/Film"}

                    """))
        let film = try #require(plan.operations.first { $0.id == "getFilm" }?.resource)
        #expect(ExpandPaths.allowed(from: film, in: plan) == ["crew.boss", "crew.groups.ships", "ships"])
        #expect(
            FieldPaths.allowed(from: film, in: plan) == [
                "title", "crew", "crew.boss", "crew.groups", "crew.groups.ships", "crew.self", "ships", "url",
            ])
    }

    @Test("all paths end at the depth, and none are told where there are too many")
    func all() throws {
        let plan = try shippedPlan()
        func resource(_ id: String) throws -> Int { try #require(plan.operations.first { $0.id == id }?.resource) }
        let film = try resource("getFilm")
        #expect(
            ExpandPaths.allowed(from: film, in: plan) == ["characters", "planets", "starships", "vehicles", "species"])
        #expect(ExpandPaths.all(from: try resource("getStarship"), depth: 1, in: plan) == ["pilots", "films"])
        #expect(ExpandPaths.all(from: film, depth: 0, in: plan) == [])
        let paths = try #require(ExpandPaths.all(from: film, depth: 4, in: plan))
        #expect(paths.count == 253)
        #expect(Set(paths).count == 253)
        #expect(paths.contains("starships.pilots.homeworld.residents"))
        #expect(paths.allSatisfy { $0.split(separator: ".").count <= 4 })
        #expect(ExpandPaths.all(from: film, depth: 4, limit: 253, in: plan)?.count == 253)
        #expect(ExpandPaths.all(from: film, depth: 4, limit: 252, in: plan) == nil)
        #expect(ExpandPaths.all(from: film, depth: 8, in: plan) == nil)
    }
}
