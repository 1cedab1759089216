internal import HTTP
internal import Plan

/// The checked values of a request's parameters.
struct Arguments: Sendable {
    /// Path and query parameters by their names, in canonical form, defaults filled in.
    var values: [String: String] = [:]
    /// The paths of `expand`, split; nil where the client gave none.
    var expand: [[String]]?
    /// The paths of `fields`, split; nil where the client gave none.
    var fields: [[String]]?
    /// Whether every page was asked for; nil where the client says nothing.
    var all: Bool?
}

extension Gateway {
    /// Checks each parameter against its declaration.
    ///
    /// - Throws: 400 for an undeclared, repeated, missing or wrong parameter, naming it and what is known or expected.
    func validate(
        _ request: Request, _ operation: Operation, pathParameters: [String: String]
    ) throws(GatewayError) -> Arguments {
        guard let pairs = request.target.pairs else {
            throw .badParameter("bad-query", "The query holds a percent-encoding that stands for no UTF-8 text.")
        }
        var arguments = Arguments()
        for (name, value) in pathParameters {
            guard let parameter = operation.parameters.first(where: { $0.name == name && $0.location == .path }) else {
                continue
            }
            arguments.values[name] = try parameter.checked(value)
        }
        for (name, value) in pairs { try take(name, value, operation, &arguments) }
        if arguments.all == true, let name = operation.collection?.paging.position,
            arguments.values[name] != nil
        {
            throw .badParameter(
                "bad-parameter", "\"all\" reads every page, so \"\(name)\" can't be given with it.", "all")
        }
        try checkAlternatives(operation, arguments)
        for parameter in operation.parameters
        where parameter.role == .upstream && arguments.values[parameter.name] == nil {
            if let value = parameter.default {
                arguments.values[parameter.name] = value
            } else if parameter.isRequired {
                throw .badParameter(
                    "missing-parameter", "The parameter \"\(parameter.name)\" is required.", parameter.name)
            }
        }
        return arguments
    }

    /// A request must have exactly one of the declared groups of parameters, and that one whole.
    private func checkAlternatives(_ operation: Operation, _ arguments: Arguments) throws(GatewayError) {
        guard !operation.alternatives.isEmpty else { return }
        let names = operation.alternatives.joined().reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        let given = names.filter { arguments.values[$0] != nil }
        guard !operation.alternatives.contains(where: { Set($0) == Set(given) }) else { return }
        let groups = operation.alternatives.map { $0.map { "\"\($0)\"" }.joined(separator: " and ") }
        let code = given.isEmpty ? "missing-parameter" : "bad-parameter"
        let end = given.isEmpty ? "." : ", one of them alone and whole."
        var error = GatewayError.badParameter(code, "This needs either \(groups.joined(separator: " or "))\(end)")
        error.lists.append(("parameters", given.isEmpty ? names : given))
        error.lists.append(("allowed", operation.alternatives.map { $0.joined(separator: ",") }))
        throw error
    }

    private func take(
        _ name: String, _ value: String, _ operation: Operation, _ arguments: inout Arguments
    ) throws(GatewayError) {
        guard let parameter = operation.parameters.first(where: { $0.name == name && $0.location == .query }) else {
            let known = operation.parameters.filter { $0.location == .query }.map(\.name).sorted()
            var error = GatewayError.badParameter(
                "unknown-parameter", "The query has a parameter that this route doesn't know.", shown(name))
            error.lists.append(("allowed", known))
            throw error
        }
        switch parameter.role {
        case .expand: arguments.expand = (arguments.expand ?? []) + (try readPaths(value, parameter: name))
        case .fields: arguments.fields = (arguments.fields ?? []) + (try readPaths(value, parameter: name))
        case .all:
            guard arguments.all == nil else { throw repeated(name) }
            arguments.all = try parameter.checked(value) == "true"
        case .upstream:
            guard arguments.values[name] == nil else {
                throw repeated(name)
            }
            arguments.values[name] = value.isEmpty && parameter.takesNothing ? "" : try parameter.checked(value)
        }
    }

    private func repeated(_ name: String) -> GatewayError {
        .badParameter("repeated-parameter", "The parameter \"\(name)\" is given twice.", name)
    }

    /// A name from outside, cut so that an error stays short.
    private func shown(_ name: String) -> String { String(name.prefix(64)) }
}

extension CollectionPlan.Paging {
    /// The query parameter that says where a page begins.
    fileprivate var position: String? {
        switch self {
        case .none: nil
        case .page(let parameter, _), .offset(let parameter, _, _): parameter
        }
    }
}

extension ParameterPlan {
    /// `value` in canonical form (`01` → `1` for an integer).
    ///
    /// - Throws: 400 where it isn't of the declared type, range or list.
    func checked(_ value: String) throws(GatewayError) -> String {
        guard isList else { return try checkedOne(value) }
        let items = value.split(separator: ",", omittingEmptySubsequences: false)
        guard items.count >= minimumItems ?? 0, items.count <= maximumItems ?? .max else { throw refused(countForm) }
        var checked: [String] = []
        for item in items { checked.append(try checkedOne(String(item))) }
        return checked.joined(separator: ",")
    }

    private func checkedOne(_ value: String) throws(GatewayError) -> String {
        switch type {
        case .string: return try checkedText(value)
        case .boolean:
            guard value == "true" || value == "false" else { throw refused("true or false") }
            return value
        case .integer:
            let digits = value.hasPrefix("-") ? value.dropFirst() : value[...]
            guard let magnitude = ASCII.decimal(digits.utf8) else { throw refused(rangeText("an integer")) }
            let number = value.hasPrefix("-") ? -magnitude : magnitude
            try check(Double(number), "an integer")
            return try checkedText(String(number))
        case .number:
            guard let number = Double(value), number.isFinite, value.utf8.allSatisfy(ParameterPlan.isNumberByte) else {
                throw refused(rangeText("a number"))
            }
            try check(number, "a number")
            return value
        }
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E || byte | 0x20 == 0x65
    }

    private func checkedText(_ value: String) throws(GatewayError) -> String {
        if let allowed, !allowed.contains(value) {
            var error = refused("one of the listed values")
            error.lists.append(("allowed", allowed))
            throw error
        }
        if format != nil, !hasFormat(value) { throw refused(formatForm) }
        let length = value.unicodeScalars.count
        if let minimumLength, length < minimumLength { throw refused("at least \(minimumLength) characters") }
        if let maximumLength, length > maximumLength { throw refused("at most \(maximumLength) characters") }
        return value
    }

    private func check(_ number: Double, _ kind: String) throws(GatewayError) {
        if let minimum, number < minimum { throw refused(rangeText(kind)) }
        if let maximum, number > maximum { throw refused(rangeText(kind)) }
    }

    private func rangeText(_ kind: String) -> String {
        switch (minimum, maximum) {
        case (let low?, let high?): "\(kind) from \(plain(low)) to \(plain(high))"
        case (let low?, nil): "\(kind) of at least \(plain(low))"
        case (nil, let high?): "\(kind) of at most \(plain(high))"
        case (nil, nil): kind
        }
    }

    private func plain(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? String(number) }

    private func refused(_ expected: String) -> GatewayError {
        let place = location == .path ? "path" : "query"
        let subject = isList && expected != countForm ? "Each value of the" : "The"
        return .badParameter("bad-parameter", "\(subject) \(place) parameter \"\(name)\" must be \(expected).", name)
    }
}

extension GatewayError {
    /// A 400 about one parameter.
    static func badParameter(_ code: String, _ detail: String, _ parameter: String? = nil) -> GatewayError {
        var error = GatewayError(source: .client, code: code, status: .badRequest, detail: detail)
        if let parameter { error.texts = [("parameter", parameter)] }
        return error
    }
}
