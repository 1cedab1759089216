/// The six kinds of resource, in the order in which the API's root names them. A raw value is a path segment.
enum SWAPIKind: String, CaseIterable, Sendable {
    case people, planets, films, species, vehicles, starships

    /// One field of a resource on the wire. The stored ones stand in the kind's table, after the id, in the order of `columns`.
    enum Column: Sendable {
        /// JSON text as it stands between the quotes.
        case text(String)
        case number(String)
        /// One id, or none for null.
        case link(String, to: SWAPIKind)
        /// Ids, separated by commas.
        case links(String, to: SWAPIKind)
        /// Worked out, not stored: the resources of `kind` whose `field` names this one.
        case backlinks(String, from: SWAPIKind, field: String)

        var name: String {
            switch self {
            case .text(let name), .number(let name), .link(let name, _), .links(let name, _),
                .backlinks(let name, _, _):
                name
            }
        }

        var isStored: Bool {
            if case .backlinks = self { false } else { true }
        }
    }

    /// The fields in wire order, without the last one, `url`.
    var columns: [Column] { fields + Self.texts("created", "edited") }

    private var fields: [Column] {
        switch self {
        case .people:
            Self.texts("name", "height", "mass", "hair_color", "skin_color", "eye_color", "birth_year", "gender") + [
                .link("homeworld", to: .planets), .backlinks("films", from: .films, field: "characters"),
                .backlinks("species", from: .species, field: "people"),
                .backlinks("vehicles", from: .vehicles, field: "pilots"),
                .backlinks("starships", from: .starships, field: "pilots"),
            ]
        case .planets:
            Self.texts(
                "name", "rotation_period", "orbital_period", "diameter", "climate", "gravity", "terrain",
                "surface_water",
                "population") + [
                    .backlinks("residents", from: .people, field: "homeworld"),
                    .backlinks("films", from: .films, field: "planets"),
                ]
        case .films:
            [.text("title"), .number("episode_id")]
                + Self.texts("opening_crawl", "director", "producer", "release_date") + [
                    .links("characters", to: .people), .links("planets", to: .planets),
                    .links("starships", to: .starships), .links("vehicles", to: .vehicles),
                    .links("species", to: .species),
                ]
        case .species:
            Self.texts(
                "name", "classification", "designation", "average_height", "skin_colors", "hair_colors", "eye_colors",
                "average_lifespan") + [
                    .link("homeworld", to: .planets), .text("language"), .links("people", to: .people),
                    .backlinks("films", from: .films, field: "species"),
                ]
        case .vehicles:
            Self.craft + [
                .text("vehicle_class"), .links("pilots", to: .people),
                .backlinks("films", from: .films, field: "vehicles"),
            ]
        case .starships:
            Self.craft + Self.texts("hyperdrive_rating", "MGLT", "starship_class") + [
                .links("pilots", to: .people), .backlinks("films", from: .films, field: "starships"),
            ]
        }
    }

    /// What vehicles and starships have in common.
    private static let craft = texts(
        "name", "model", "manufacturer", "cost_in_credits", "length", "max_atmosphering_speed", "crew", "passengers",
        "cargo_capacity", "consumables")

    private static func texts(_ names: String...) -> [Column] { names.map { .text($0) } }

    /// The fields that `?search=` looks into.
    var searched: [String] {
        switch self {
        case .people, .planets, .species: ["name"]
        case .films: ["title"]
        case .vehicles, .starships: ["name", "model"]
        }
    }

    /// One row a line, fields separated by `|`, the id first.
    var table: String {
        switch self {
        case .people: Self.peopleTable
        case .planets: Self.planetsTable
        case .films: Self.filmsTable
        case .species: Self.speciesTable
        case .vehicles: Self.vehiclesTable
        case .starships: Self.starshipsTable
        }
    }
}
