internal import HTTP
internal import JSON
internal import Plan

/// Where a link leads.
enum LinkTarget {
    /// Nothing is linked: the address is empty, or a value that it is made from is missing. It stays as it is.
    case nowhere
    /// To something that the contract doesn't declare: it is left alone and never fetched.
    case foreign
    case local(LocalLink)
}

/// A link to a declared operation.
struct LocalLink {
    /// Index into `Plan.operations`.
    var operation: Int
    /// The address at this gateway, as a JSON string.
    var json: [UInt8]
    /// The names of `values`, where they aren't those of the operation's upstream path.
    var names: [String]?
    var values: [String]
    var query: String?
}

/// What links in an answer begin with.
struct LinkBase: Sendable {
    let text: String
    private let escaped: [UInt8]

    init(_ text: String) {
        self.text = text
        escaped = Array(JSONText.quoted(text).dropFirst().dropLast())
    }

    /// An address as a JSON string; `path` appends what follows, visible ASCII that needs no escape.
    func json(_ path: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(escaped.count + 64)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: escaped)
        path(&bytes)
        bytes.append(UInt8(ascii: "\""))
        return bytes
    }

    /// The address in a JSON string that `json` made.
    func text(_ json: [UInt8]) -> String {
        text + String(decoding: json.dropFirst(escaped.count + 1).dropLast(), as: UTF8.self)
    }
}

extension Survey {
    /// - Parameters:
    ///   - node: the link's value; nil for a property that the upstream's object doesn't have.
    ///   - object: the object that the link's parameters are taken from.
    func target(of shape: Shape, _ node: JSONNode?, in object: JSONNode?) -> LinkTarget {
        guard let link = shape.link else { return .nowhere }
        if !link.parameters.isEmpty { return parameterTarget(of: link, node, in: object) }
        guard
            let node = link.href == nil
                ? node : object.flatMap({ document.member(link.href ?? "", of: $0) })
        else {
            return .nowhere
        }
        let text = document.bytes(of: node)
        // An address longer than this gateway takes in a request leads nowhere.
        if text.count > Survey.longestAddress { return .foreign }
        switch document.kind(of: node) {
        case .null: return .nowhere
        case .string where text.count == 2: return .nowhere
        case .string: break
        default: return .foreign
        }
        let address = text.dropFirst().dropLast()
        guard address.contains(UInt8(ascii: "\\")) else { return addressTarget(of: link, address) }
        return addressTarget(of: link, Array((document.string(of: node) ?? "").utf8)[...])
    }

    /// The request line that a server takes is 8 KiB at the most, here as elsewhere.
    private static let longestAddress = 8000

    private func addressTarget(of link: SchemaNode.Link, _ address: ArraySlice<UInt8>) -> LinkTarget {
        guard let match = index.plan.links.match(address, from: upstream, preferring: link.operation),
            let form = index.forms[match.operation], let values = form.accepted(match.values)
        else { return .foreign }
        let query = match.query.flatMap { index.plan.declaredQuery($0, of: match.operation) }
        let json = linkBase.json { bytes in
            form.append(values, endsInSlash: match.endsInSlash, to: &bytes)
            if let query { bytes += ("?" + query).utf8 }
        }
        return .local(
            LocalLink(operation: match.operation, json: json, values: values, query: query))
    }

    private func parameterTarget(
        of link: SchemaNode.Link, _ node: JSONNode?, in object: JSONNode?
    ) -> LinkTarget {
        var values: [String: String] = [:]
        for (name, template) in link.parameters {
            guard let value = fill(template, node, in: object), !value.isEmpty else { return .nowhere }
            values[name] = value
        }
        let operation = index.plan.operations[link.operation]
        for parameter in operation.parameters {
            guard let value = values[parameter.name] else { continue }
            guard let checked = try? parameter.checked(value) else { return .foreign }
            values[parameter.name] = checked
        }
        guard let path = operation.path.filled(values) else { return .foreign }
        let inPath = operation.path.parameterNames
        let pairs = link.parameters.map(\.name).filter { !inPath.contains($0) }
            .compactMap { name in values[name].map { (name: name, value: $0) } }
        let target = Target(path: path, query: Target.query(pairs))
        return .local(
            LocalLink(
                operation: link.operation, json: linkBase.json { $0 += target.text.utf8 },
                names: Array(values.keys),
                values: Array(values.values)))
    }

    /// The upstream request behind a link; nil where a value can't be one segment of a path.
    func address(of link: LocalLink) -> Address? {
        if link.names == nil, link.query == nil,
            let plain = index.forms[link.operation]?.target(link.values)
        {
            return Address(operation: link.operation, upstream: plain.upstream, target: plain.target)
        }
        let names = link.names ?? index.forms[link.operation]?.names ?? []
        var values = Dictionary(zip(names, link.values)) { first, _ in first }
        for (name, value) in Target(path: "/", query: link.query).pairs ?? [] where values[name] == nil {
            values[name] = value
        }
        return index.plan.address(link.operation, values)
    }

    /// A template's text: `.` is the value itself, `{name}` a scalar member of the object, a bare name such a member as a whole.
    private func fill(_ template: String, _ node: JSONNode?, in object: JSONNode?) -> String? {
        if template == "." { return node.flatMap(scalar) }
        guard template.contains("{") else { return member(template, of: object) }
        var result = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = member(name, of: object), !value.isEmpty else { return nil }
            result += value
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    private func member(_ name: String, of object: JSONNode?) -> String? {
        object.flatMap { document.member(name, of: $0) }.flatMap(scalar) ?? context[name]
    }

    private func scalar(_ node: JSONNode) -> String? {
        switch document.kind(of: node) {
        // Half of a surrogate pair is no text that anybody could be asked with.
        case .string: document.string(of: node).flatMap { $0.unicodeScalars.contains("\u{FFFD}") ? nil : $0 }
        case .number, .true, .false: String(decoding: document.bytes(of: node), as: UTF8.self)
        case .object, .array, .null: nil
        }
    }
}

extension Plan {
    /// What of an address' query the operation declares, as it was written: an undeclared parameter would be refused where the link
    /// is followed, and never goes to an upstream. Nil where nothing is left.
    fileprivate func declaredQuery(_ query: String, of operation: Int) -> String? {
        let pairs = query.split(separator: "&").filter { pair in
            guard
                let name = Percent.decoded(pair.utf8.prefix { $0 != UInt8(ascii: "=") }, plusIsSpace: true),
                Target(path: "/", query: String(pair)).pairs != nil
            else { return false }
            return operations[operation].parameters.contains {
                $0.name == name && $0.location == .query && $0.role == .upstream
            }
        }
        guard !pairs.isEmpty else { return nil }
        return pairs.joined(separator: "&").unicodeScalars.reduce(into: "") { text, scalar in
            let isPlain = scalar.value > 0x20 && scalar.value < 0x7F && scalar != "\"" && scalar != "\\"
            text += isPlain ? String(scalar) : Percent.encoded(String(scalar))
        }
    }
}
