internal import HTTP
internal import JSON

extension ImagesHandler {
    /// `GET /images`: the newest first, a page at a time.
    func list(_ call: HandlerCall) async throws(GatewayError) -> Response {
        let limit = call.number("limit") ?? 20
        let offset = call.number("offset") ?? 0
        let (count, records) = try await self.records().list(call.scope, limit: limit, offset: offset)
        let next = offset.addingReportingOverflow(limit)
        func page(_ offset: Int) -> String {
            "\(call.base)\(call.request.target.path)?limit=\(limit)&offset=\(offset)"
        }
        let json = JSONWriter.object { object in
            object.member("count", count)
            if !next.overflow, next.partialValue < count {
                object.member("next", page(next.partialValue))
            } else {
                object.null("next")
            }
            if offset > 0 { object.member("previous", page(max(0, offset - limit))) } else { object.null("previous") }
            object.array("results") { array in
                for record in records { array.object { record.write(to: &$0) } }
            }
        }
        return own(json)
    }

    /// `GET /images/{id}`.
    func show(_ id: String, _ call: HandlerCall) async throws(GatewayError) -> Response {
        own(try await find(id, call).json)
    }

    /// - Throws: 404 where there is no such image, or it is another owner's.
    func find(_ id: String, _ call: HandlerCall) async throws(GatewayError) -> ImageRecord {
        guard let record = try await records().find(id, call.scope) else { throw .noImage }
        return record
    }

    /// What belongs to one client key is nobody else's to keep, and changes at any time.
    private func own(_ json: [UInt8]) -> Response {
        var response = Response.json(json)
        response.fields.append(.cacheControl, "private, no-cache")
        response.fields.append(.vary, "Authorization, X-API-Key")
        return response
    }
}

extension HandlerCall {
    fileprivate func number(_ name: String) -> Int? {
        arguments[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

extension GatewayError {
    static let noImage = GatewayError(
        source: .client, code: "no-image", status: .notFound,
        detail: "No image of this id was uploaded here, or it was deleted, or it belongs to another key.")
}
