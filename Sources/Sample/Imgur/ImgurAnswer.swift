internal import Compression
internal import HTTP

/// An answer before it has the fields that all have.
struct ImgurAnswer: Sendable {
    /// What it says.
    enum Content: Sendable {
        /// The service's envelope: `data`, `success`, `status`.
        case envelope(ImgurValue, success: Bool, status: Int)
        /// JSON of another form.
        case document(ImgurValue)
        /// An HTML page of this title.
        case page(String)
    }

    var status: Status
    var content: Content
    /// Of the JSON.
    var contentType = "application/json"
    /// PHP's way, which is the service's in errors.
    var escapesSlashes = false
    var fields: [(FieldName, String)] = []
    /// Whether the servers that count sent it, and not those in front of them.
    var hasLimits = true
    /// What it was made by, or what bends it.
    var fault: SampleImgur.Fault?
    /// Whether it is compressed for who takes it.
    private(set) var takesGzip = false

    private init(_ status: Int, _ content: Content) {
        self.status = Status(code: status) ?? .internalServerError
        self.content = content
    }

    static func success(_ data: ImgurValue, _ fault: SampleImgur.Fault?) -> ImgurAnswer {
        var answer = ImgurAnswer(200, .envelope(data, success: true, status: 200))
        answer.fault = fault
        return answer
    }

    /// - Parameter bodyStatus: what the envelope says, where that is something else.
    static func error(_ status: Int, _ data: ImgurValue, bodyStatus: Int? = nil) -> ImgurAnswer {
        var answer = ImgurAnswer(status, .envelope(data, success: false, status: bodyStatus ?? status))
        answer.escapesSlashes = true
        return answer
    }

    static func page(_ status: Int, _ title: String) -> ImgurAnswer {
        var answer = ImgurAnswer(status, .page(title))
        answer.hasLimits = false
        return answer
    }

    /// The front server's: other order, no escapes, a line end.
    static func front413(_ error: ImgurValue, _ target: Target, _ method: Method) -> ImgurAnswer {
        let data: ImgurValue.Member = ("data", .members(call(error, target, method)))
        var answer = ImgurAnswer(
            413, .document(.members([("status", .number(413)), ("success", .flag(false)), data])))
        answer.hasLimits = false
        return answer
    }

    static func typeWithObject(_ target: Target, _ method: Method) -> ImgurAnswer {
        let place = ImgurValue.members([("file", .text("image")), ("line", .number(1))])
        let exception = exception(1003, "[image]: File type invalid (1)", type: "Exception_UploadError", place)
        return .error(415, .members(call(exception, target, method)))
    }

    /// Of the servers in front.
    static var cdn: ImgurAnswer {
        var answer = error(400, .members([("error", .text("These actions are forbidden."))]))
        answer.fields = [(.retryAfter, "0"), ("CDN-Error", "yes")]
        answer.hasLimits = false
        return answer
    }

    /// Neither `data` nor `success`, and the code a text.
    static var errors: ImgurAnswer {
        let text = ImgurValue.text("Too Many Requests")
        let error = ImgurValue.members([
            ("id", .text("legacy-api-5c7f9d6b4-x2k8p")), ("code", .text("429")), ("status", text), ("detail", text),
        ])
        var answer = ImgurAnswer(429, .document(.members([("errors", .list([error]))])))
        answer.contentType = vendorType
        answer.takesGzip = true
        return answer
    }

    static let vendorType = "application/vnd.imgur.v1+json"

    /// What is in the error of ``SampleImgur/Fault/nested413``.
    static let nestedError =
        #"{"id":"legacy-api-9c1f4e62-7a3b-4d58-b0e6-25c8d97a1f","code":413,"detail":"file is over the size limit","#
        + #""status":"Request Entity Too Large"}"#

    /// The error and the call that it is about.
    static func call(
        _ error: ImgurValue, _ target: Target, _ method: Method
    ) -> [ImgurValue.Member] {
        [("error", error), ("request", .text(target.path)), ("method", .text(method.rawValue))]
    }

    static func exception(
        _ code: Int, _ text: String, type: String, _ exception: ImgurValue = .list([])
    ) -> ImgurValue {
        let exception: ImgurValue.Member = ("exception", exception)
        return .members([("code", .number(code)), ("message", .text(text)), ("type", .text(type)), exception])
    }

    /// The answer as it is sent.
    /// - Parameters:
    ///   - isXML: whether the path ended in `.xml`; only the envelope has that form.
    ///   - takesGzip: whether the client does.
    func response(isXML: Bool, takesGzip: Bool) -> Response {
        var all = Fields()
        for (name, value) in fields { all.append(name, value) }
        let body: [UInt8]
        switch content {
        case .page(let title):
            all.append(.contentType, "text/html; charset=utf-8")
            body = Array(
                "<!DOCTYPE html>\n<html><head><title>\(title)</title></head><body><h1>\(title)</h1></body></html>\n"
                    .utf8)
        case .envelope(let data, let success, let status) where isXML:
            all.append(.contentType, "text/xml; charset=utf-8")
            body = Self.xml(data, success: success, status: status)
        case .envelope(let data, let success, let status):
            all.append(.contentType, contentType)
            body = ImgurValue.members([("data", data), ("success", .flag(success)), ("status", .number(status))])
                .json(escapesSlashes: escapesSlashes)
        case .document(let value):
            all.append(.contentType, contentType)
            body = value.json(escapesSlashes: escapesSlashes) + [UInt8(ascii: "\n")]
        }
        if self.takesGzip, takesGzip, let coded = ContentCoding.gzip.encode(body) {
            all.append(.contentEncoding, ContentCoding.gzip.token)
            return Response(status: status, fields: all, body: .bytes(coded))
        }
        return Response(status: status, fields: all, body: .bytes(body))
    }

    private static func xml(_ data: ImgurValue, success: Bool, status: Int) -> [UInt8] {
        var output: [UInt8] = []
        output.append(ascii: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<data type=\"array\" success=\"")
        output.append(ascii: success ? "1" : "0")
        output.append(ascii: "\" status=\"")
        output.append(decimal: status)
        output.append(ascii: "\">")
        data.writeXML(to: &output)
        output.append(ascii: "</data>\n")
        return output
    }
}
