internal import Cache
internal import Cards
internal import HTTP
internal import Images
internal import Parameters
internal import Plan
internal import Redis

/// The routes that are more than upstream requests, by the names that contracts have for them. Made once for all workers, and kept when
/// contracts are read again.
struct Handlers: Sendable {
    /// What `x-sluice: {handler: …}` may name.
    static let names: Set<String> = [CardHandler.name, ImagesHandler.name]

    let all: [String: any RouteHandler]
    private let records: RecordStore?

    /// Opens what the plan's handlers need.
    /// - Throws: where what is kept between runs can't be used.
    /// - Parameter redis: what the gateways of several machines share, before it starts.
    init(
        _ plan: Plan, _ settings: Settings, _ environment: [String: String], _ log: Log, redis: RedisLayer? = nil
    ) throws {
        if !settings.state.isEmpty { try StateFolder.make(settings.state) }
        let hasImages = plan.operations.contains { $0.handler == ImagesHandler.name }
        records = hasImages ? try Handlers.openRecords(settings, environment) : nil
        var images = ImagesSettings(store: records)
        images.imageLimit = settings.maximumImage
        images.report = { log.write(.warning, $0) }
        images.sharing = redis.map { RedisRecords($0, host: CacheHost.ofWorker) }
        let uploads = ImagesHandler(images)
        if let redis, hasImages {
            let patient = RedisRecords(redis, host: { nil })
            redis.tick { await uploads.synchronize(patient, connection: $0) }
        }
        let cards = Handlers.cards(settings, log, uploads: hasImages ? uploads : nil)
        all = cards.merging([ImagesHandler.name: uploads]) { first, _ in first }
        if let records, records.unfinished > 0 {
            let uploads = Quantity.text(records.unfinished, "upload")
            log.write(
                .warning,
                "\(uploads) ended with an earlier process: an image may be at Imgur that can't be deleted from here")
        }
        if let records, records.completed > 0 {
            let uploads = Quantity.text(records.completed, "upload")
            log.write(
                .warning, "\(uploads) of an earlier process: the record is written now, which could not be written then"
            )
        }
        if hasImages, records == nil { log.write(.warning, "images can't be uploaded: name a folder with --state") }
    }

    /// The handler of cards, which opens nothing.
    static func cards(_ settings: Settings, _ log: Log, uploads: (any RouteHandler)?) -> [String: any RouteHandler] {
        let renderer = CardRenderer(CardRenderer.Limits(settings)) { log.write(.warning, $0) }
        return [CardHandler.name: CardHandler(renderer, coverLimit: settings.cardCover, uploads: uploads)]
    }

    /// - Returns: nil where there is no place for them.
    private static func openRecords(
        _ settings: Settings, _ environment: [String: String]
    ) throws -> RecordStore? {
        if !settings.state.isEmpty { return try RecordStore(folder: settings.state) }
        // What the samples have is gone with them.
        if settings.isSample { return try RecordStore(folder: nil) }
        return try StateFolder.makeDefault(environment).map { try RecordStore(folder: $0) }
    }

    func close() { records?.close() }
}

extension CardRenderer.Limits {
    fileprivate init(_ settings: Settings) {
        self.init()
        drawings = settings.cardDrawings
        waiting = settings.cardQueue
        kept = settings.cardsKept
        drawing.memory = settings.cardMemory
        drawing.time = settings.cardDeadline
        drawing.pixels = settings.cardPixels
    }
}
