internal import HTTP
internal import JSON

extension GatewayError {
    /// An upstream's failure; `rest` continues a sentence that begins with the upstream's name.
    static func upstream(_ name: String, _ code: String, _ status: Status, _ rest: String) -> GatewayError {
        GatewayError(source: .upstream(name), code: code, status: status, detail: "The upstream \(name) \(rest)")
    }

    /// A part that wasn't asked for because the request's budget of upstream calls or bytes was used up.
    static let budgetExceeded = GatewayError(
        source: .client, code: "budget-exceeded", status: .serviceUnavailable,
        detail: "The request's budget was used up before this part; ask for fewer links or fields.")

    /// An answer that is made of parts alone, and none of them is there: what happened to all alike, or 502.
    static func nothingLeft(_ failures: PartFailures) -> GatewayError {
        if let first = failures.named.first, first.status == first.error.status,
            failures.named.allSatisfy({ $0.status == first.status })
        {
            return first.error
        }
        return GatewayError(
            source: .gateway, code: "incomplete", status: .badGateway,
            detail: "None of the answer's parts could be fetched.")
    }

    /// Asked for so many parts that they can't be within the budget, known before any of them was fetched.
    static func overBudget(_ count: Int, _ what: String, limit: Int) -> GatewayError {
        GatewayError(
            source: .client, code: "budget-exceeded", status: .badRequest,
            detail:
                "This needs \(count) \(what); one request may follow \(limit). Ask for fewer links, fields or pages.")
    }
}

extension Gateway {
    /// What is wrong with a text that should be JSON, as the end of a sentence that begins with the upstream's name.
    static func explain(_ error: JSONError) -> String {
        switch error {
        case .syntax: "answers something that is no JSON."
        case .invalidUTF8: "answers JSON that is no UTF-8."
        case .tooDeep: "answers JSON that is nested too deeply."
        case .tooManyValues: "answers JSON with too many values."
        case .tooLarge: "answers more than is read."
        }
    }
}

/// A link that was asked for and not followed: it stays in its slot, and the answer's `_errors` name it.
struct PartFailure: Sendable {
    /// Where the link stands, from the answer's root.
    var pointer: JSONPointer
    /// The link's address at this gateway; nil where it has none.
    var href: String?
    var error: GatewayError

    /// 502 where an upstream has nothing to say in the place of a link: an answer without content is good only as a whole answer.
    var status: Status { error.status == .noContent ? .badGateway : error.status }

    /// The same failure, seen from further up.
    func below(_ parent: JSONPointer) -> PartFailure {
        PartFailure(pointer: parent.appending(pointer), href: href, error: error)
    }

    /// Writes an entry of `_errors`.
    func write(to array: inout JSONWriter) {
        array.object { object in
            object.member("pointer", pointer.description)
            if let href { object.member("href", href) } else { object.null("href") }
            object.member("status", Int(status.code))
            object.member("code", error.code)
            object.member("detail", error.detail)
        }
    }
}
