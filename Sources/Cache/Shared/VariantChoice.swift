internal import HTTP

/// Which of the variants of one thing a request wants, or an answer is (RFC 9111, section 4.1): the fields that a variant depends on, and the
/// request's values for them.
public struct VariantChoice: Sendable {
    /// In lower case and in order.
    public let names: [String]
    /// Nil where the request has no such field.
    public let values: [String?]
    private let fields: Fields

    /// That of an answer.
    init(_ selection: Selection) {
        names = selection.names.map { $0.text.lowercased() }
        values = selection.values
        fields = Fields()
    }

    /// That of a request, as far as it is known without an answer.
    init(_ request: Request, passed: [FieldName]) {
        let selection = Selection(passed: passed, of: request.fields)
        names = selection.names.map { $0.text.lowercased() }
        values = selection.values
        fields = request.fields
    }

    /// The same request's choice where variants depend on other fields; nil where these are no names of fields.
    public func among(_ names: [String]) -> VariantChoice? {
        var known: [FieldName] = []
        for name in names {
            guard let name = FieldName(name) else { return nil }
            known.append(name)
        }
        return VariantChoice(names: names, values: known.map { Selection.value($0, of: fields) }, fields: fields)
    }

    private init(names: [String], values: [String?], fields: Fields) {
        self.names = names
        self.values = values
        self.fields = fields
    }

    /// One text for each choice.
    public var text: String {
        zip(names, values).map { name, value in value.map { "\(name)=\($0)" } ?? "\(name)" }.joined(separator: "\n")
    }
}
