public import HTTP

/// Finds the operation of a request by its decoded path segments: literal segments before parameters, one step a segment. A path
/// with and without a slash at its end is the same route.
public struct Router: Sendable {
    public enum Match: Sendable {
        /// Index into `Plan.operations` and the path's parameters.
        case found(operation: Int, parameters: [String: String])
        /// The path is known, with these methods.
        case otherMethods([Method])
        case none
    }

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var operations: [(method: Method, operation: Int, names: [String])] = []
        /// Of all that is below, where no other route answers.
        var mirror: Int?
    }
    private var nodes = [Node()]

    public init() {}

    /// Adds a route.
    /// - Returns: nil, or the operation that already answers the same method and path (whatever its parameters are called).
    public mutating func add(_ template: PathTemplate, method: Method, operation: Int) -> Int? {
        let current = node(for: template.segments)
        if let taken = nodes[current].operations.first(where: { $0.method == method }) { return taken.operation }
        nodes[current].operations.append((method, operation, template.parameterNames))
        return nil
    }

    /// Adds a mirror of all that is below the template's fixed segments.
    /// - Returns: nil, or the mirror that is there already.
    public mutating func addMirror(_ template: PathTemplate, operation: Int) -> Int? {
        let current = node(for: template.segments.dropLast())
        if let taken = nodes[current].mirror { return taken }
        nodes[current].mirror = operation
        return nil
    }

    /// The mirror that a path is below, the deepest of several, with the rest of the path as it was sent; nil where there is none.
    public func mirror(_ path: String) -> (operation: Int, rest: Substring)? {
        var rest = path.dropFirst()
        var current = 0
        var found = nodes[0].mirror.map { ($0, rest) }
        while let next = Percent.decoded(rest.prefix { $0 != "/" }.utf8).flatMap({ nodes[current].literals[$0] }) {
            current = next
            rest = rest.drop { $0 != "/" }.dropFirst()
            if let mirror = nodes[current].mirror { found = (mirror, rest) }
        }
        return found
    }

    /// The place of a path, made where there is none.
    private mutating func node(for segments: some Sequence<PathTemplate.Segment>) -> Int {
        var current = 0
        for segment in segments {
            let existing: Int? =
                switch segment {
                case .literal(let text): nodes[current].literals[text]
                case .parameter: nodes[current].parameter
                }
            if let existing {
                current = existing
                continue
            }
            nodes.append(Node())
            switch segment {
            case .literal(let text): nodes[current].literals[text] = nodes.count - 1
            case .parameter: nodes[current].parameter = nodes.count - 1
            }
            current = nodes.count - 1
        }
        return current
    }

    /// - Parameter segments: as `Target.segments` gives them.
    public func match(_ method: Method, _ segments: [String]) -> Match {
        var segments = segments[...]
        if segments.last == "" { segments = segments.dropLast() }
        guard let (node, values) = find(segments, from: 0) else { return .none }
        let operations = nodes[node].operations
        guard let found = operations.first(where: { $0.method == method }) else {
            return .otherMethods(operations.map(\.method))
        }
        return .found(
            operation: found.operation, parameters: Dictionary(zip(found.names, values)) { first, _ in first })
    }

    /// The deepest node for `segments` that has operations. It goes back to a parameter where a literal leads nowhere; the depth of this
    /// recursion is bounded by the longest route, not by the request.
    private func find(_ segments: ArraySlice<String>, from node: Int) -> (node: Int, values: [String])? {
        guard let first = segments.first else { return nodes[node].operations.isEmpty ? nil : (node, []) }
        if let next = nodes[node].literals[first], let found = find(segments.dropFirst(), from: next) { return found }
        guard let next = nodes[node].parameter, !first.isEmpty, let found = find(segments.dropFirst(), from: next)
        else { return nil }
        return (found.node, [first] + found.values)
    }
}
