internal import HTTP

extension ImagesHandler {
    /// `DELETE /images/{id}`: takes the image back at Imgur, then forgets it. What is gone there already is forgotten too.
    func delete(_ id: String, _ call: HandlerCall) async throws(GatewayError) -> Response {
        let records = try records()
        // Another machine may be about to delete it; afterwards it isn't found here.
        let end = await records.turn(toDelete: id, until: call.deadline)
        defer { end?() }
        let record = try await find(id, call)
        // What Imgur has deleted must not stay listed here.
        try await records.checkWriting()
        switch try await ask(deletion(of: record.deleteHash, id: call.request.id), call, isUpload: false) {
        case .done, .uploaded, .gone: break
        case .failed(let failure, let isRefusal):
            let error = error(failure, isUpload: false)
            throw isRefusal ? error : error.withUnknownOutcome
        }
        // Somebody else may have been faster.
        guard try await records.remove(record) else { throw .noImage }
        count { $0.deletions += 1 }
        var response = Response(status: .noContent)
        writeLimits(to: &response.fields)
        return response
    }

    func deletion(of hash: String, id: String) -> Request {
        var request = Request(method: .delete, target: Target(path: "/image/" + Percent.encoded(hash)), id: id)
        request.hasSecretPath = true
        return request
    }
}
