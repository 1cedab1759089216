/// What a path names.
enum SWAPIRoute: Equatable {
    case root
    case list(SWAPIKind)
    /// The id as it was sent, decoded: `01` and ` 1` are ids too, any other text is an id that no resource has.
    case resource(SWAPIKind, String)
    case schema(SWAPIKind)
    /// One of the above, were it not for the missing slash at the end.
    case withoutSlash
    /// Nothing: answered with a page, not with JSON.
    case nothing

    /// - Parameter path: as it stands in the request target; slashes count even where they are percent-encoded.
    init(path: String) {
        var names = lenientlyDecoded(Substring(path).utf8).utf8
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }[...]
        guard names.popFirst() == "", names.popFirst() == "api" else {
            self = .nothing
            return
        }
        let endsInSlash = names.last == ""
        if endsInSlash { names.removeLast() }
        self = Self.route(Array(names), endsInSlash: endsInSlash)
    }

    private static func route(_ names: [String], endsInSlash: Bool) -> SWAPIRoute {
        guard let first = names.first else { return endsInSlash ? .root : .withoutSlash }
        guard let kind = SWAPIKind(rawValue: first), names.count <= 2, names.last != "" else { return .nothing }
        guard names.count == 2, let id = names.last else { return endsInSlash ? .list(kind) : .withoutSlash }
        guard endsInSlash else { return id == "schema" ? .schema(kind) : .withoutSlash }
        return id.utf8.contains(UInt8(ascii: ".")) ? .nothing : .resource(kind, id)
    }
}
