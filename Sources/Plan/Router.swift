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
    }
    private var nodes = [Node()]

    public init() {}

    /// Adds a route.
    /// - Returns: nil, or the operation that already answers the same method and path (whatever its parameters are called).
    public mutating func add(_ template: PathTemplate, method: Method, operation: Int) -> Int? {
        var current = 0
        for segment in template.segments {
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
        if let taken = nodes[current].operations.first(where: { $0.method == method }) { return taken.operation }
        nodes[current].operations.append((method, operation, template.parameterNames))
        return nil
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
