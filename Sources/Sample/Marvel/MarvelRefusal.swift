internal import HTTP

/// An answer that says no, in one of the service's two shapes: the code a number and the text in `status`, or the code a word and the
/// text in `message`.
struct MarvelRefusal: Error {
    let status: Status
    let body: [UInt8]
    let contentType: String

    /// - Parameter text: the client's own words may be in it.
    private init(_ status: Status, text: String) {
        var json = JSONBytes()
        json.object { json in
            json.member("code", Int(status.code))
            json.member("status", text)
        }
        (self.status, body, contentType) = (status, json.bytes, "application/json")
    }

    private init(_ status: Status, word: String, message: String) {
        var json = JSONBytes()
        json.object { json in
            json.member("code", word)
            json.member("message", message)
        }
        (self.status, body, contentType) = (status, json.bytes, "application/json; charset=utf-8")
    }

    /// The message repeats the query, and with it key and hash.
    static func noRoute(_ target: Target) -> MarvelRefusal {
        MarvelRefusal(.notFound, word: "ResourceNotFound", message: "\(target.text) does not exist")
    }

    static func noMethod(_ method: Method) -> MarvelRefusal {
        MarvelRefusal(.methodNotAllowed, word: "MethodNotAllowed", message: "\(method.rawValue) is not allowed")
    }

    static func missing(_ what: String) -> MarvelRefusal {
        MarvelRefusal(conflict, word: "MissingParameter", message: "You must provide a \(what).")
    }

    static let unknownKey = MarvelRefusal(
        .unauthorized, word: "InvalidCredentials", message: "The passed API key is invalid.")
    static let wrongHash = MarvelRefusal(
        .unauthorized, word: "InvalidCredentials", message: "That hash, timestamp and key combination is invalid.")
    static let wrongReferer = MarvelRefusal(
        .unauthorized, word: "InvalidCredentials", message: "Invalid Referer: that site is not registered for the key.")
    static let throttled = MarvelRefusal(
        .tooManyRequests, word: "RequestThrottled",
        message: "You have exceeded your rate limit. Please try again later.")
    static let retired = MarvelRefusal(.internalServerError, text: "Internal Server Error")

    static func noResource(_ kind: MarvelKind) -> MarvelRefusal {
        MarvelRefusal(.notFound, text: "We couldn't find that \(kind.missingNoun)")
    }

    static let limitTooLarge = conflicting("You may not request more than 100 items.")
    static let limitTooSmall = conflicting("You must pass an integer limit greater than 0.")

    static func unknownParameter(_ name: String) -> MarvelRefusal {
        conflicting("We don't recognize the parameter \(name)")
    }

    static func blank(_ name: String) -> MarvelRefusal { conflicting("\(name) cannot be blank if it is set") }

    static func unknownOrder(_ value: String) -> MarvelRefusal {
        conflicting("\(value) is not a valid ordering parameter.")
    }

    static func tooManyIds(_ kind: MarvelKind) -> MarvelRefusal {
        conflicting("You may not submit more than 10 \(kind.filterNoun) ids.")
    }

    static func noId(_ kind: MarvelKind) -> MarvelRefusal {
        let noun = kind == .comics ? "issue id" : kind.filterNoun
        return conflicting("You must pass at least one valid \(noun) if you set the \(kind.filterNoun) filter.")
    }

    /// A value of another type than the parameter's; the wording is ours.
    static func badValue(_ name: String, expected: String) -> MarvelRefusal {
        conflicting("You must pass \(expected) for \(name).")
    }

    private static func conflicting(_ text: String) -> MarvelRefusal { MarvelRefusal(conflict, text: text) }

    private static let conflict = Status(code: 409) ?? .badRequest
}
