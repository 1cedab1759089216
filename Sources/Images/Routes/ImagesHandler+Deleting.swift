internal import HTTP

extension ImagesHandler {
    /// `DELETE /images/{id}`: takes the image back at Imgur, then forgets it. What is gone there already is forgotten too.
    func delete(_ id: String, _ call: HandlerCall) async throws(GatewayError) -> Response {
        let record = try await find(id, call)
        switch try await ask(deletion(of: record.deleteHash), call, isUpload: false) {
        case .done, .uploaded, .gone: break
        case .failed(let failure): throw error(failure, isUpload: false)
        }
        // Somebody else may have been faster.
        guard try await records().remove(record) else { throw .noImage }
        count { $0.deletions += 1 }
        var response = Response(status: .noContent)
        writeLimits(to: &response.fields)
        return response
    }

    func deletion(of hash: String) -> Request {
        Request(method: .delete, target: Target(path: "/image/" + Percent.encoded(hash)))
    }
}
