import HTTP

@testable import Cache

/// The time of all tables.
let now = Moment(seconds: 1_700_000_000, uptime: 5_000_000)

func later(_ seconds: Int) -> Moment { now.advanced(milliseconds: seconds * 1000) }
func date(_ seconds: Int) -> String { HTTPDate.text(now.seconds + seconds) }

/// Fields from lines of text: `Name: value`.
func fields(_ text: String) -> Fields {
    var fields = Fields()
    for line in text.split(separator: "\n") {
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        guard let name = FieldName(String(line[..<colon])) else { continue }
        fields.append(name, String(ASCII.trimmed(line[colon...].dropFirst())))
    }
    return fields
}

func request(_ text: String = "", _ method: HTTP.Method = .get, path: String = "/a") -> Request {
    Request(method: method, target: Target(path), fields: fields(text))
}

func response(_ text: String = "", _ code: Int = 200, body: String = "content") -> Response {
    Response(status: Status(code: code) ?? .ok, fields: fields(text), body: .bytes(Array(body.utf8)))
}

extension CacheRules {
    /// Mirror rules whose times are exact.
    static var exact: CacheRules {
        var rules = CacheRules.mirror
        rules.jitter = 0
        return rules
    }
}

/// An answer that came at ``now``.
func stored(
    _ text: String, _ code: Int = 200, to fields: String = "", body: String = "content", rules: CacheRules = .exact,
    at moment: Moment = now, tags: [String] = []
) -> StoredAnswer {
    let answer = StoredAnswer(
        response(text, code, body: body), content: Array(body.utf8), to: request(fields).fields, requested: moment,
        received: moment, rules: rules, tags: tags)
    // `Vary: *` alone gives nil, and no table has it here.
    return answer ?? stored("Cache-Control: no-store", body: "never")
}

func storability(
    _ text: String, _ code: Int = 200, to request: Request = request(), rules: CacheRules = .exact,
    isComplete: Bool = true
) -> Storability {
    Storability(of: response(text, code), to: request, isComplete: isComplete, received: now, rules: rules)
}
