internal import HTTP

/// Names that only caching asks for, made once.
extension FieldName {
    static let contentLocation: FieldName = "Content-Location"
    static let contentRange: FieldName = "Content-Range"
    static let ifMatch: FieldName = "If-Match"
    static let ifRange: FieldName = "If-Range"
    static let ifUnmodifiedSince: FieldName = "If-Unmodified-Since"
    static let pragma: FieldName = "Pragma"
    static let range: FieldName = "Range"
    static let setCookie: FieldName = "Set-Cookie"
}
