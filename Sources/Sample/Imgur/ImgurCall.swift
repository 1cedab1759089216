internal import HTTP

/// What a request asks of the API.
struct ImgurCall: Sendable {
    enum Route: Sendable, Equatable {
        case upload
        /// An image by its id or its delete hash.
        case image(String)

        var methods: [Method] { self == .upload ? [.post] : [.get, .delete] }
    }

    let request: Request
    /// Nil where there is nothing under the path.
    let route: Route?
    /// What the whole service or the path asks for.
    let fault: SampleImgur.Fault?
    /// Whether the path ends in `.xml`.
    let isXML: Bool

    /// - Parameter fault: what the whole service does.
    init(_ request: Request, fault: SampleImgur.Fault?) {
        self.request = request
        var segments = request.target.segments ?? []
        isXML = segments.last?.hasSuffix(".xml") == true
        if isXML, let last = segments.popLast() { segments.append(String(last.dropLast(4))) }
        if segments.last?.isEmpty == true { segments.removeLast() }
        var asked: SampleImgur.Fault?
        if segments == ["3", "image"] || segments == ["3", "upload"] {
            route = .upload
        } else if segments.count == 3, segments.starts(with: ["3", "image"]), let id = segments.last {
            route = .image(id)
            asked = SampleImgur.Fault(asking: id, "fault:")
        } else {
            route = nil
        }
        self.fault = fault ?? asked
    }

    /// `_fake_status=200`: errors are 200, with the true status in the body.
    var wantsFakeStatus: Bool { FormQuery(request.target.query)["_fake_status"] == "200" }

    /// Whether a page of the same machine made a browser call, which the service refuses.
    var isFromLocalPage: Bool {
        (request.fields.values("Origin") + request.fields.values("Referer")).contains { address in
            ["http://", "https://"].contains { scheme in
                ["localhost", "127.0.0.1", "[::1]"].contains { address.lowercased().hasPrefix(scheme + $0) }
            }
        }
    }

    /// What the request is refused with for its `Authorization`; nil where it is `Client-ID`, one blank and `client`.
    func refusal(of client: String) -> SampleImgur.Fault? {
        guard let given = request.fields[.authorization], !given.isEmpty else { return .anonymous }
        if given.hasPrefix("Bearer ") { return .badToken }
        guard given.hasPrefix("Client-ID ") else { return .malformed }
        return given.dropFirst("Client-ID ".count) == client && !client.isEmpty ? nil : .unauthorized
    }

    func answer(_ fault: SampleImgur.Fault, minutes: Int = 59) -> ImgurAnswer {
        fault.answer(to: request.target, request.method, minutes: minutes)
    }

    /// Where the picture is: on the host that was asked, or as the original has it.
    func link(to image: ImgurImage, _ bend: SampleImgur.Fault?) -> String {
        let name = image.id + "." + image.facts.kind.ending
        return switch (bend, request.authority) {
        case (.oldLink, _): "http://i.imgur.com/" + name
        case (.link, _), (_, nil): "https://i.imgur.com/" + name
        case (_, let host?): "http://" + host + "/" + name
        }
    }
}
