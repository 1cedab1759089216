/// What a text filter looks into.
enum MarvelText: Int, CaseIterable, Sendable {
    /// Title or name; of a comic the title of its series.
    case name
    case format, diamondCode, upc, isbn, ean, issn
    case firstName, middleName, lastName, suffix
}

/// What is filtered by number, or sorted by.
enum MarvelNumber: Int, CaseIterable, Sendable {
    /// Days since 1970.
    case onsale, focus, modified, start
    /// Times 100.
    case issue
    case digitalId, year, id
    /// 1 for yes.
    case isVariant, isCollection, isDigital
    /// Places in alphabetical order.
    case byName, byFirstName, byMiddleName, byLastName, bySuffix
}

/// One resource as it is looked for.
struct MarvelEntry: Sendable {
    let id: Int
    /// The resources that it names, as places in the lists of each kind.
    var links: [[Int]]
    /// What each of the linked creators did.
    var roles: [String] = []
    private var texts = [[UInt8]](repeating: [], count: MarvelText.allCases.count)
    private var numbers = [Int](repeating: .min, count: MarvelNumber.allCases.count)

    init(id: Int) {
        self.id = id
        links = [[Int]](repeating: [], count: MarvelKind.allCases.count)
        self[.id] = id
    }

    /// In lower case.
    subscript(text: MarvelText) -> [UInt8] {
        get { texts[text.rawValue] }
        set { texts[text.rawValue] = newValue }
    }

    /// `Int.min` where there is none.
    subscript(number: MarvelNumber) -> Int {
        get { numbers[number.rawValue] }
        set { numbers[number.rawValue] = newValue }
    }

    subscript(kind: MarvelKind) -> [Int] {
        get { links[kind.place] }
        set { links[kind.place] = newValue }
    }
}

/// `text` as it is compared.
func folded(_ text: String) -> [UInt8] { Array(text.lowercased().utf8) }
