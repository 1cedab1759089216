internal import HTTP
internal import Hashing

/// An answer before it has the fields that depend on the request.
struct SWAPIAnswer {
    let status: Status
    let contentType: String
    /// Whether it comes from the API itself, not from the site around it.
    let isAPI: Bool
    let body: [UInt8]
    var extra: (name: FieldName, value: String)?

    init(_ status: Status, _ form: SWAPIForm, _ json: [UInt8]) {
        self.status = status
        contentType = form.contentType
        isAPI = true
        body = form.rendered(json)
    }

    private init(_ status: Status, html body: [UInt8]) {
        self.status = status
        contentType = SWAPIForm.page.contentType
        isAPI = false
        self.body = body
    }

    /// `detail` is our own text: nothing in it has to be escaped.
    static func json(_ status: Status, detail: String, _ form: SWAPIForm = .json) -> SWAPIAnswer {
        SWAPIAnswer(status, form, Array("{\"detail\":\"\(detail)\"}".utf8))
    }

    static func missing(_ form: SWAPIForm) -> SWAPIAnswer { json(.notFound, detail: "Not found", form) }

    static func page(_ status: Status, _ title: String) -> SWAPIAnswer {
        SWAPIAnswer(status, html: SWAPIPage.bytes(title: title))
    }

    static func moved(to location: String) -> SWAPIAnswer {
        var answer = SWAPIAnswer(.movedPermanently, html: [])
        answer.extra = (.location, location)
        return answer
    }

    /// The whole answer: with an entity tag on GET, and 304 where the client has it already.
    func response(to request: Request, _ prepared: AnswerFields) -> Response {
        var fields = prepared.fields(isAPI: isAPI, contentType: contentType)
        if let extra { fields.append(extra.name, extra.value) }
        if request.fields.contains("Origin") { fields.append("Access-Control-Allow-Origin", "*") }
        guard request.method == .get, !body.isEmpty, let digits = Digest.md5.hex(body) else {
            return Response(status: status, fields: fields, body: body.isEmpty ? .none : .bytes(body))
        }
        let tag = EntityTag(digits)
        fields.append(.etag, tag.text)
        if status == .ok, tag.isNamed(by: request.fields.list(.ifNoneMatch)) {
            return Response(status: .notModified, fields: fields)
        }
        return Response(status: status, fields: fields, body: .bytes(body))
    }
}

/// The fields that all answers of one sort share, put together once.
struct AnswerFields: Sendable {
    private let json: Fields
    private let page: Fields
    private let site: Fields

    init() {
        json = Self.made(SWAPIForm.json.contentType, isAPI: true)
        page = Self.made(SWAPIForm.page.contentType, isAPI: true)
        site = Self.made(SWAPIForm.page.contentType, isAPI: false)
    }

    func fields(isAPI: Bool, contentType: String) -> Fields {
        guard isAPI else { return site }
        return contentType == SWAPIForm.json.contentType ? json : page
    }

    private static func made(_ contentType: String, isAPI: Bool) -> Fields {
        var fields = Fields()
        fields.append(.contentType, contentType)
        if isAPI {
            fields.append(.vary, "Accept, Cookie")
            fields.append(.allow, "GET, HEAD, OPTIONS")
        }
        fields.append("X-Frame-Options", "SAMEORIGIN")
        return fields
    }
}
