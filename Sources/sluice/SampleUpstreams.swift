internal import HTTP
internal import Plan
internal import Sample
internal import Server

/// The sample upstreams as one real server, on a thread of its own. Each has its original's base path, so they share a port.
struct SampleUpstreams {
    /// One of them.
    struct Sample: Sendable {
        let name: String
        let path: String
        /// The variable that contracts have its address in, and what they sign with.
        let variable: String
        var keys: [String: String] = [:]
        /// Whether a path that is below none of theirs is its own.
        var alsoHas: @Sendable (_ path: String) -> Bool = { _ in false }
        let responder: any Responder
    }

    private let worker: Worker
    private let samples: [Sample]
    /// Without a path.
    private let origin: String

    /// Starts them.
    init(host: String = "127.0.0.1", port: Int = 0, log: Log) throws {
        try PortTaken.check(host, port)
        samples = SampleUpstreams.all()
        var limits = ServerLimits()
        // Imgur says itself what is too long, and the others read no content.
        limits.request.content = 1 << 30
        worker = try Worker(limits: limits, log: log)
        worker.answer(with: Site(samples: samples))
        let bound = try worker.listen(host: host, port: port)
        origin = "http://\(host.contains(":") ? "[\(host)]" : host):\(bound)"
        try worker.start()
    }

    private static func all() -> [Sample] {
        let keys = SampleMarvel.Keys.sample
        return [
            Sample(name: "SWAPI", path: "/api", variable: "SWAPI_URL", responder: SampleSWAPI()),
            Sample(
                name: "Marvel", path: "/v1/public", variable: "MARVEL_URL",
                keys: ["MARVEL_PUBLIC_KEY": keys.publicKey, "MARVEL_PRIVATE_KEY": keys.privateKey],
                responder: SampleMarvel(keys: keys)),
            Sample(
                name: "covers", path: "/u/prod/marvel", variable: "MARVEL_IMAGES_URL", responder: SampleCovers()),
            Sample(
                name: "World Weather Online", path: "/premium/v1", variable: "WWO_URL",
                keys: ["WWO_KEY": SampleWeather.sampleKey], responder: SampleWeather()),
            Sample(
                name: "Imgur", path: "/3", variable: "IMGUR_URL", keys: ["IMGUR_CLIENT_ID": SampleImgur.sampleClient],
                alsoHas: { SampleImgur.isPicture(path: $0) }, responder: SampleImgur()),
        ]
    }

    /// The variables that point the contracts' upstreams here, and what they are signed with.
    var variables: [String: String] {
        samples.reduce(into: [:]) { variables, sample in
            variables[sample.variable] = origin + sample.path
            variables.merge(sample.keys) { _, new in new }
        }
    }

    /// The variables that hold addresses.
    var addressVariables: [String] { samples.map(\.variable) }

    /// Where they are, a line each.
    var description: String {
        samples.map { sample in
            let keys = sample.keys.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let rest = keys.isEmpty ? "" : " (" + keys.joined(separator: ", ") + ")"
            return "The sample \(sample.name) answers at \(origin)\(sample.path)/\(rest)\n"
        }.joined()
    }

    /// Whether `base` is one of the samples' addresses.
    func includes(_ base: BaseURL) -> Bool { samples.contains { BaseURL(origin + $0.path) == base } }

    func stop() { worker.stop() }

    /// Hands each request to the sample whose path it is below; what is below none is the first one's to refuse.
    private struct Site: Responder {
        let samples: [Sample]

        func respond(to request: Request) async throws(GatewayError) -> Response {
            let sample = samples.first {
                request.target.path == $0.path || request.target.path.hasPrefix($0.path + "/")
                    || $0.alsoHas(request.target.path)
            }
            guard let sample = sample ?? samples.first else { return Response(status: .notFound) }
            return try await sample.responder.respond(to: request)
        }
    }
}
