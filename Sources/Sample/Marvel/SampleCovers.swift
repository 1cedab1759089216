public import HTTP

/// A stand-in for the host of Marvel's pictures (i.annihil.us): below `/u/prod/marvel` every picture's address has a cover of its own, drawn from its name:
/// the skyline of some harbour. It is always a PNG, as that host too sends what it likes under any name.
///
/// It is put behind a server; it opens no sockets. One object serves all workers.
public final class SampleCovers: Responder {
    public init() {}

    public func respond(to request: Request) async throws(GatewayError) -> Response {
        answer(to: request)
    }

    /// The answer, at once.
    func answer(to request: Request) -> Response {
        guard request.method == .get || request.method == .head else {
            return Response(status: .methodNotAllowed, fields: Fields([(.allow, "GET, HEAD")]))
        }
        guard let name = SampleCovers.name(request.target.path) else { return Response(status: .notFound) }
        let fields = Fields([(.contentType, "image/png"), (.cacheControl, "max-age=86400")])
        return Response(fields: fields, body: .bytes(CoverDrawing(seed: name).png()))
    }

    /// A number from the file's name; nil for what is no picture's address.
    private static func name(_ path: String) -> UInt64? {
        guard let file = path.split(separator: "/").last else { return nil }
        let parts = file.split(separator: ".")
        guard parts.count == 2, ["jpg", "png", "gif"].contains(parts[1]), parts[0] != "image_not_available" else {
            return nil
        }
        return UInt64(parts[0], radix: 16)
    }
}
