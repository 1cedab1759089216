/// The six kinds of resource. A raw value is a path segment, a parameter of the other kinds and a member of their resources.
enum MarvelKind: String, CaseIterable, Sendable {
    case comics, characters, creators, events, series, stories

    /// The place in arrays that have an element for each kind.
    var place: Int {
        switch self {
        case .comics: 0
        case .characters: 1
        case .creators: 2
        case .events: 3
        case .series: 4
        case .stories: 5
        }
    }

    /// What the service says that it couldn't find.
    var missingNoun: String {
        switch self {
        case .comics: "comic_issue"
        case .characters: "character"
        case .creators: "creator"
        case .events: "event"
        case .series: "series"
        case .stories: "story"
        }
    }

    /// What the service calls one in its complaints about a list of ids.
    var filterNoun: String { self == .comics ? "issue" : missingNoun }

    /// Whether `/{self}/{id}/{other}` is a route: every pair is but a kind with itself, and a comic's one series.
    func lists(_ other: MarvelKind) -> Bool { self != other && !(self == .comics && other == .series) }
}

/// What a path under `/v1/public` names.
enum MarvelRoute: Equatable {
    case list(MarvelKind)
    /// The id as it was sent, decoded.
    case resource(MarvelKind, String)
    /// The resources of a kind that belong to another one.
    case related(MarvelKind, String, MarvelKind)

    /// Nil where the path names nothing; one that ends in a slash doesn't.
    init?(path: String) {
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { lenientlyDecoded($0) }
        guard (4...6).contains(segments.count), segments[0].isEmpty, segments[1] == "v1", segments[2] == "public",
            let kind = MarvelKind(rawValue: segments[3]), !segments.dropFirst(4).contains("")
        else { return nil }
        switch segments.count {
        case 4: self = .list(kind)
        case 5: self = .resource(kind, segments[4])
        default:
            guard let other = MarvelKind(rawValue: segments[5]), kind.lists(other) else { return nil }
            self = .related(kind, segments[4], other)
        }
    }
}
