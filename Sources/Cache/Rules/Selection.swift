public import HTTP

/// The request fields that selected an answer, by its `Vary` (RFC 9111, section 4.1), each in one form for all spellings that mean the same.
public struct Selection: Sendable, Hashable {
    /// In lower-case order, each once.
    let names: [FieldName]
    /// The values of the request that the answer was for; nil where it had no such field, which only matches a request without one.
    let values: [String?]
    /// The same as they stood in the request: most clients say the same thing in the same words.
    private let spellings: [String?]

    /// The fields that were handed to upstreams, and so may have changed what was made of their answers.
    public init(passed names: [FieldName], of request: Fields) {
        self.init(names: Array(Set(names)).sorted { $0.text.lowercased() < $1.text.lowercased() }, request)
    }

    /// Nil for `Vary: *`, which fits no request.
    /// - Parameter passed: further fields that may have changed the answer.
    public init?(of response: Fields, to request: Fields, passed: [FieldName] = []) {
        guard let named = Selection.names(response) else { return nil }
        let names = Array(Set(named + passed)).sorted { $0.text.lowercased() < $1.text.lowercased() }
        self.init(names: names, request)
    }

    public static func == (left: Selection, right: Selection) -> Bool {
        left.names == right.names && left.values == right.values
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(names)
        hasher.combine(values)
    }

    /// Whether a request with these fields would have selected the same answer.
    public func matches(_ request: Fields) -> Bool {
        for (index, name) in names.enumerated() {
            if request.list(name) != spellings[index], Selection.value(name, of: request) != values[index] {
                return false
            }
        }
        return true
    }

    /// The same names with the values of another request.
    func values(of request: Fields) -> Selection {
        Selection(names: names, request)
    }

    private init(names: [FieldName], _ request: Fields) {
        self.names = names
        spellings = names.map { request.list($0) }
        values = names.map { Selection.value($0, of: request) }
    }

    /// The names in `Vary`, or nil where one of them is `*`; what is no name is left out.
    static func names(_ response: Fields) -> [FieldName]? {
        guard let value = response.list(.vary) else { return [] }
        let members = value.split(separator: ",").map { String(ASCII.trimmed($0)) }
        return members.contains("*") ? nil : members.compactMap { FieldName($0) }
    }

    /// All lines as one list, without blanks around commas; where case or order mean nothing, in lower case or sorted (RFC 9110, sections
    /// 12.5.1 to 12.5.4).
    static func value(_ name: FieldName, of request: Fields) -> String? {
        guard let value = request.list(name) else { return nil }
        if whole.contains(name) { return String(ASCII.trimmed(value[...])) }
        let isFolded = folded.contains(name)
        var members = split(isFolded ? value.lowercased() : value, isFolded: isFolded)
        if name == .acceptEncoding { members.sort() }
        return members.joined(separator: ",")
    }

    private static let folded: Set<FieldName> = [.accept, .acceptEncoding, "Accept-Language", "Accept-Charset"]
    /// Fields whose value is no list: a comma in them is a character like others.
    private static let whole: Set<FieldName> = [
        .userAgent, .authorization, "Cookie", "Referer", "Origin", .host, .ifModifiedSince, "From", "Date",
    ]

    /// The members of a list, trimmed, without empty ones; commas in quotes don't count.
    private static func split(_ text: String, isFolded: Bool) -> [String] {
        var members: [String] = []
        var member = ""
        var isQuoted = false
        var isEscaped = false
        for character in text.unicodeScalars {
            if character == "," && !isQuoted {
                members.append(String(ASCII.trimmed(member[...])))
                member = ""
                continue
            }
            if isQuoted {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isQuoted = false
                }
            } else if character == "\"" {
                isQuoted = true
            } else if isFolded, character == " " || character == "\t" {
                // Blanks mean nothing anywhere in these.
                continue
            }
            member.unicodeScalars.append(character)
        }
        members.append(String(ASCII.trimmed(member[...])))
        return members.filter { !$0.isEmpty }
    }
}
