internal import HTTP

/// The forms in which an answer can be had.
enum SWAPIForm {
    case json
    case page
    /// JSON with its letters replaced, the syntax' own words too, so that it is JSON no more.
    case wookiee

    /// What a request asks for, or nil where it accepts nothing that we have. As in the original the most exact range wins, the
    /// first of several; a weight only matters where it is 0.
    init?(accept: String?, format: String?) {
        let wookiee = format == "wookiee"
        var best: (form: SWAPIForm, isExact: Bool)?
        for range in (accept ?? "*/*").utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let parts = range.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
                .map { ASCII.trimmed(Substring($0)).lowercased() }
            guard let name = parts.first, !parts.dropFirst().contains(where: Self.isZeroWeight) else { continue }
            let isExact = !name.isEmpty && !name.utf8.contains(UInt8(ascii: "*"))
            if let best, best.isExact || !isExact { continue }
            switch name {
            case "", "*/*", "application/*", "application/json": best = (wookiee ? .wookiee : .json, isExact)
            case "text/html" where !wookiee, "text/*" where !wookiee: best = (.page, isExact)
            default: continue
            }
        }
        guard let best else { return nil }
        self = best.form
    }

    /// A weight that isn't above zero, or isn't a number.
    private static func isZeroWeight(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q=") else { return false }
        guard let weight = Double(ASCII.trimmed(parameter.dropFirst(2))) else { return true }
        return !(weight > 0)
    }

    var contentType: String {
        switch self {
        case .json, .wookiee: "application/json"
        case .page: "text/html; charset=utf-8"
        }
    }

    /// `json` in this form.
    func rendered(_ json: [UInt8]) -> [UInt8] {
        switch self {
        case .json: json
        case .wookiee: json.flatMap { Self.letters[$0] ?? [$0] }
        case .page: SWAPIPage.bytes(json: json)
        }
    }

    /// What stands for a to z.
    private static let letters: [UInt8: [UInt8]] = {
        let words = "ra rh oa wa wo ww rr ac ah sh or an sc wh oo ak rq rc c ao hu ho oh k ro uf".split(separator: " ")
        return Dictionary(
            uniqueKeysWithValues: zip(UInt8(ascii: "a")...UInt8(ascii: "z"), words.map { Array($0.utf8) }))
    }()
}
