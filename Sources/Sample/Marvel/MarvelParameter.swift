/// What a query parameter means.
enum MarvelParameter: Sendable {
    case limit, offset, order
    /// The text must be in it, at its beginning, or be it.
    case contains(MarvelText)
    case begins(MarvelText)
    case equals(MarvelText)
    /// Texts that may be asked for; what they find depends on the parameter.
    case format, formatType, descriptor
    case range
    /// True: not one that has the number 1.
    case without(MarvelNumber)
    /// True: 1, false: 0.
    case flag(MarvelNumber)
    case number(MarvelNumber)
    /// A number with decimals, which is kept times 100.
    case decimal(MarvelNumber)
    /// That day or later.
    case since(MarvelNumber)
    /// Ids, of which one must be linked, or all.
    case anyOf(MarvelKind)
    case allOf(MarvelKind)
}

extension MarvelKind {
    /// The parameter of this name in lists of this kind; nil where there is none.
    /// - Parameter owner: the kind of the resource that the list belongs to, which can't be asked for once more.
    func parameter(_ name: String, in owner: MarvelKind?) -> MarvelParameter? {
        switch name {
        case "limit": return .limit
        case "offset": return .offset
        case "orderBy": return .order
        case "modifiedSince": return .since(.modified)
        case owner?.rawValue: return nil
        default: break
        }
        if let other = MarvelKind(rawValue: name) { return other == self ? nil : .anyOf(other) }
        switch self {
        case .comics: return Self.ofComics[name]
        case .characters, .events: return Self.ofNamed[name]
        case .creators: return Self.ofCreators[name]
        case .series: return Self.ofSeries[name]
        case .stories: return nil
        }
    }

    private static let ofComics: [String: MarvelParameter] = [
        "format": .format, "formatType": .formatType, "noVariants": .without(.isVariant),
        "dateDescriptor": .descriptor, "dateRange": .range, "title": .contains(.name),
        "titleStartsWith": .begins(.name), "startYear": .number(.year), "issueNumber": .decimal(.issue),
        "diamondCode": .equals(.diamondCode), "digitalId": .number(.digitalId), "upc": .equals(.upc),
        "isbn": .equals(.isbn), "ean": .equals(.ean), "issn": .equals(.issn), "hasDigitalIssue": .flag(.isDigital),
        "sharedAppearances": .allOf(.characters), "collaborators": .allOf(.creators),
    ]
    private static let ofNamed: [String: MarvelParameter] = ["name": .equals(.name), "nameStartsWith": .begins(.name)]
    private static let ofCreators: [String: MarvelParameter] = [
        "firstName": .equals(.firstName), "middleName": .equals(.middleName), "lastName": .equals(.lastName),
        "suffix": .equals(.suffix), "nameStartsWith": .begins(.name), "firstNameStartsWith": .begins(.firstName),
        "middleNameStartsWith": .begins(.middleName), "lastNameStartsWith": .begins(.lastName),
    ]
    private static let ofSeries: [String: MarvelParameter] = [
        "title": .contains(.name), "titleStartsWith": .begins(.name), "startYear": .number(.year),
    ]

    /// What `orderBy` may name.
    var orders: [String: MarvelNumber] {
        switch self {
        case .comics: Self.orderOfComics
        case .characters: ["name": .byName, "modified": .modified]
        case .creators: Self.orderOfCreators
        case .events: ["name": .byName, "startDate": .start, "modified": .modified]
        case .series: ["title": .byName, "startYear": .year, "modified": .modified]
        case .stories: ["id": .id, "modified": .modified]
        }
    }

    private static let orderOfComics: [String: MarvelNumber] = [
        "focDate": .focus, "onsaleDate": .onsale, "title": .byName, "issueNumber": .issue, "modified": .modified,
    ]
    private static let orderOfCreators: [String: MarvelNumber] = [
        "lastName": .byLastName, "firstName": .byFirstName, "middleName": .byMiddleName, "suffix": .bySuffix,
        "modified": .modified,
    ]
}
