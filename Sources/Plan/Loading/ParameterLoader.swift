internal import HTTP

/// A declared parameter together with where it stands.
struct LoadedParameter {
    /// The entry of the list, a reference perhaps.
    var entry: Place
    /// What the entry is, or leads to.
    var place: Place
    var plan: ParameterPlan
}

/// Reads the parameters of one operation: those of its path item, then its own, which win over them.
struct ParameterLoader {
    let contract: Contract

    private var mistakes: MistakeList { contract.mistakes }

    func load(pathItem: Place, operation: Place) -> [LoadedParameter] {
        var loaded: [LoadedParameter] = []
        for list in [pathItem["parameters"], operation["parameters"]] {
            var own: [LoadedParameter] = []
            for entry in list?.items ?? [] {
                guard let place = contract.resolve(entry), let plan = read(place) else { continue }
                if own.contains(where: { $0.plan.name == plan.name && $0.plan.location == plan.location }) {
                    mistakes.add(at: entry, found: "the parameter \(shown(plan.name)) again", expected: "each once")
                } else {
                    own.append(LoadedParameter(entry: entry, place: place, plan: plan))
                }
            }
            loaded.removeAll { old in
                own.contains { $0.plan.name == old.plan.name && $0.plan.location == old.plan.location }
            }
            loaded += own
        }
        return loaded
    }

    private func read(_ place: Place) -> ParameterPlan? {
        guard let name = place["name"]?.text, let location = readLocation(place) else { return nil }
        var plan = ParameterPlan(name: name, location: location, isRequired: place["required"]?.flag ?? false)
        if location == .path, !plan.isRequired {
            mistakes.add(
                at: place["required"] ?? place, found: "a path parameter that may be missing",
                expected: "required: true")
        }
        if location == .query { plan.role = ParameterPlan.roles[name] ?? .upstream }
        checkStyle(place, plan)
        readEmpty(place, &plan)
        guard let entry = place["schema"] else {
            mistakes.add(at: place, found: "no \"schema\"", expected: "one")
            return plan
        }
        guard let schema = contract.resolve(entry), schema.isMap else { return plan }
        if plan.role == .upstream, schema["type"]?.text == "array" {
            return ParameterListLoader(loader: self, place: place, schema: schema).read(plan)
        }
        guard readType(schema, &plan), plan.role == .upstream || plan.role == .all else { return plan }
        readValue(schema, &plan)
        ParameterDefault(schema: schema, plan: plan, mistakes: mistakes).read(&plan)
        return plan
    }

    private func readEmpty(_ place: Place, _ plan: inout ParameterPlan) {
        guard let entry = place["allowEmptyValue"], entry.flag == true else { return }
        plan.takesNothing = plan.location == .query && plan.role == .upstream && !plan.isRequired
        if plan.takesNothing { return }
        mistakes.add(
            at: entry, atKey: true, found: "it with a parameter that must have a value",
            expected: "it with an optional query parameter")
    }

    /// What one value must be.
    func readValue(_ schema: Place, _ plan: inout ParameterPlan) {
        checkKeywords(schema, ParameterLoader.keywords)
        readBounds(schema, &plan)
        guard let format = schema["format"]?.text, ParameterPlan.checkedFormats.contains(format) else { return }
        if plan.type == .string { plan.format = format }
    }

    private func readLocation(_ place: Place) -> ParameterPlan.Location? {
        guard let entry = place["in"], let text = entry.text else { return nil }
        switch text {
        case "path": return .path
        case "query": return .query
        default:
            mistakes.add(at: entry, found: entry.found, expected: "one of: path, query")
            return nil
        }
    }

    private func checkStyle(_ place: Place, _ plan: ParameterPlan) {
        if let content = place["content"] {
            mistakes.add(at: content, atKey: true, found: "\"content\"", expected: "\"schema\"")
        }
        let only = plan.location == .path ? "simple" : "form"
        if let style = place["style"], style.text != only {
            mistakes.add(
                at: style, found: style.found, expected: "\(only), the only style of a \(plan.location) parameter here")
        }
    }

    /// False where the type is no parameter's, so that nothing else can be said of the values.
    func readType(_ schema: Place, _ plan: inout ParameterPlan) -> Bool {
        guard let entry = schema["type"] else { return true }
        let expected: String
        switch plan.role {
        case .expand, .fields:
            if entry.text == "array" || entry.text == "string" { return true }
            expected = "array or string: \(plan.name) is a list of paths"
        case .all:
            plan.type = .boolean
            if entry.text == "boolean" { return true }
            expected = "boolean: \"all\" asks for every page"
        case .upstream:
            if let known = entry.text.flatMap(ParameterPlan.ValueType.init) {
                plan.type = known
                return true
            }
            expected = "one of: string, integer, number, boolean" + (plan.isList ? "" : ", array")
        }
        mistakes.add(at: entry, found: entry.found, expected: expected)
        return false
    }

    private static let keywords = [
        "type", "format", "enum", "minimum", "maximum", "minLength", "maxLength", "default", "title", "description",
        "example", "examples", "deprecated",
    ]

    /// A keyword that nobody checks would be a promise that isn't kept.
    func checkKeywords(_ schema: Place, _ known: [String]) {
        for (key, place) in schema.entries where !known.contains(key) && !key.hasPrefix("x-") {
            mistakes.add(
                at: place, atKey: true, found: "the keyword \(shown(key))",
                expected: "one of: " + known.joined(separator: ", "))
        }
    }

    private func readBounds(_ schema: Place, _ plan: inout ParameterPlan) {
        if let place = schema["enum"], place.isList {
            if place.items.isEmpty { mistakes.add(at: place, found: "an empty list", expected: "the allowed values") }
            plan.allowed = place.items.filter { plan.type.takes($0, mistakes) }.compactMap(\.scalarText)
        }
        plan.minimum = schema["minimum"]?.number.flatMap { Double($0) }
        plan.maximum = schema["maximum"]?.number.flatMap { Double($0) }
        plan.minimumLength = schema["minLength"]?.whole
        plan.maximumLength = schema["maxLength"]?.whole
        let isNumber = plan.type == .integer || plan.type == .number
        refuse(["minimum", "maximum"], unless: isNumber, "a number's", schema)
        refuse(["minLength", "maxLength"], unless: plan.type == .string, "a text's", schema)
        if let minimum = plan.minimum, let maximum = plan.maximum, minimum > maximum {
            refuse("minimum", "maximum", schema)
        }
        if let least = plan.minimumLength, let most = plan.maximumLength, least > most {
            refuse("minLength", "maxLength", schema)
        }
    }

    private func refuse(_ keys: [String], unless isRight: Bool, _ owner: String, _ schema: Place) {
        for place in keys.compactMap({ schema[$0] }) where !isRight {
            mistakes.add(
                at: place, atKey: true, found: "it with the type \(schema["type"]?.text ?? "string")",
                expected: "it as \(owner) bound only")
        }
    }

    private func refuse(_ least: String, _ most: String, _ schema: Place) {
        guard let least = schema[least], let bound = schema[most] else { return }
        mistakes.add(at: least, found: least.found, expected: "at most \(most), which is \(bound.found)")
    }
}

/// Reads the default of a parameter's schema, which must be a value that a client could give.
struct ParameterDefault {
    let schema: Place
    let plan: ParameterPlan
    let mistakes: MistakeList

    func read(_ result: inout ParameterPlan) {
        guard let place = schema["default"], let text = check(place) else { return }
        result.default = text
        checkIsOptional(place)
    }

    /// The text of one value; nil, and a mistake, where it has another type.
    func check(_ place: Place) -> String? {
        guard plan.type.takes(place, mistakes), let text = place.scalarText else { return nil }
        if let expected = refusal(place, text) { mistakes.add(at: place, found: place.found, expected: expected) }
        return text
    }

    func checkIsOptional(_ place: Place) {
        if plan.isRequired {
            mistakes.add(
                at: place, atKey: true, found: "a default of a required parameter", expected: "none, or required: false"
            )
        }
    }

    /// What the value should have been; nil where it is right.
    private func refusal(_ place: Place, _ text: String) -> String? {
        if let allowed = plan.allowed, !allowed.contains(text) { return "one of: " + allowed.joined(separator: ", ") }
        if let number = place.number.flatMap({ Double($0) }) {
            if let minimum = plan.minimum, number < minimum { return "at least \(schema["minimum"]?.found ?? "")" }
            if let maximum = plan.maximum, number > maximum { return "at most \(schema["maximum"]?.found ?? "")" }
        }
        guard plan.type == .string else { return nil }
        if plan.format != nil, !plan.hasFormat(text) { return plan.formatForm }
        let length = text.unicodeScalars.count
        if let least = plan.minimumLength, length < least { return "at least \(least) characters" }
        if let most = plan.maximumLength, length > most { return "at most \(most) characters" }
        return nil
    }
}

/// Reads a parameter that is a comma list: `schema: {type: array, items: {…}}` with `style: form` and `explode: false`.
struct ParameterListLoader {
    let loader: ParameterLoader
    let place: Place
    let schema: Place

    private var mistakes: MistakeList { loader.contract.mistakes }

    private static let keywords = [
        "type", "items", "minItems", "maxItems", "default", "title", "description", "example", "examples", "deprecated",
    ]

    func read(_ start: ParameterPlan) -> ParameterPlan {
        var plan = start
        plan.isList = true
        loader.checkKeywords(schema, ParameterListLoader.keywords)
        if plan.location == .path {
            mistakes.add(
                at: schema["type"] ?? schema, found: "a list in a path",
                expected: "one of: string, integer, number, boolean")
        } else if place["explode"]?.flag != false {
            mistakes.add(
                at: place["explode"] ?? place, found: place["explode"]?.found ?? "no \"explode\"",
                expected: "explode: false, for a list is one value with commas here")
        }
        guard let entry = schema["items"], let items = loader.contract.resolve(entry), items.isMap else {
            mistakes.add(at: schema, found: "no \"items\"", expected: "the schema of one value")
            return plan
        }
        guard loader.readType(items, &plan) else { return plan }
        loader.readValue(items, &plan)
        plan.minimumItems = schema["minItems"]?.whole
        plan.maximumItems = schema["maxItems"]?.whole
        if let least = schema["minItems"], let most = plan.maximumItems, (plan.minimumItems ?? 0) > most {
            mistakes.add(at: least, found: least.found, expected: "at most maxItems, which is \(most)")
        }
        if let place = items["default"] {
            mistakes.add(
                at: place, atKey: true, found: "a default of one value", expected: "a default of the whole list")
        }
        readDefault(&plan)
        return plan
    }

    private func readDefault(_ plan: inout ParameterPlan) {
        guard let place = schema["default"] else { return }
        let reader = ParameterDefault(schema: schema["items"] ?? schema, plan: plan, mistakes: mistakes)
        guard place.isList, !place.items.isEmpty else {
            mistakes.add(at: place, found: place.found, expected: "a list of values")
            return
        }
        reader.checkIsOptional(place)
        let count = place.items.count
        if count < plan.minimumItems ?? 0 || count > plan.maximumItems ?? .max {
            mistakes.add(at: place, found: "\(count) values", expected: plan.countForm)
        }
        plan.default = place.items.compactMap(reader.check).joined(separator: ",")
    }
}

extension ParameterPlan {
    /// The formats that values are held to.
    static let checkedFormats = ["date", "date-time"]

    /// Whether a text has the declared format.
    public func hasFormat(_ text: String) -> Bool {
        switch format {
        case "date": CivilDate(text) != nil
        case "date-time": CivilMoment(text)?.dateTime == text
        default: true
        }
    }

    /// What the declared format looks like, for messages.
    public var formatForm: String {
        format == "date" ? "a date such as 2024-05-22" : "a time such as 2024-05-22T10:30:00Z"
    }

    /// How many values a list has, for messages.
    public var countForm: String {
        switch (minimumItems, maximumItems) {
        case (let least?, let most?) where least == most: "\(least) values with commas between them"
        case (let least?, let most?): "from \(least) to \(most) values with commas between them"
        case (let least?, nil): "at least \(least) values with commas between them"
        case (nil, let most?): "at most \(most) values with commas between them"
        case (nil, nil): "values with commas between them"
        }
    }

    /// The query parameters that are the gateway's own.
    static let roles: [String: Role] = ["expand": .expand, "fields": .fields, "all": .all]
}

extension ParameterPlan.ValueType {
    /// Whether a value of the contract has this type; a mistake where not.
    func takes(_ place: Place, _ mistakes: MistakeList) -> Bool {
        let (isRight, expected) =
            switch self {
            case .string: (place.text != nil, "text")
            case .integer: (place.whole != nil, "an integer")
            case .number: (place.number != nil, "a number")
            case .boolean: (place.flag != nil, "true or false")
            }
        if !isRight { mistakes.add(at: place, found: place.found, expected: expected) }
        return isRight
    }
}
