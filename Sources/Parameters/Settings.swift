/// What the program was told: each value from its flag, else from its environment variable, else the default that
/// stands here. `ParameterTable` says what each of them means and may be.
public struct Settings: Sendable, Equatable {
    public init() {}

    // Where and what.

    /// Contract files, or folders of them.
    public var contracts = ["openapi"]
    public var host = "127.0.0.1"
    /// 0: any free port.
    public var port = 8080
    /// 0: one for each core.
    public var workers = 0
    public var isSample = false
    /// The one upstream of a plain caching proxy; empty: the contracts are served.
    public var mirror = ""
    /// Empty: below the folder that XDG has for it.
    public var state = ""
    /// Empty: the address that the gateway listens on.
    public var publicURL = ""
    public var isVerbose = false

    // Clients.

    public var maximumRequestLine = 8 << 10
    public var maximumHead = 32 << 10
    public var maximumFieldLines = 100
    public var maximumBody = 1 << 20
    public var maximumImage = 10_000_000
    /// Of one chunk.
    public var maximumChunkExtension = 256
    /// Of all chunks of a message.
    public var maximumChunkExtensions = 4 << 10
    public var maximumTrailer = 8 << 10
    public var headDeadline = Duration.seconds(10)
    /// Bytes in a second.
    public var bodyRate = 240
    /// How long a body may be slower than `bodyRate`.
    public var bodyGrace = Duration.seconds(5)
    public var bodyDeadline = Duration.seconds(30)
    public var idleTimeout = Duration.seconds(60)
    public var writeStall = Duration.seconds(30)
    public var maximumPipelined = 100
    /// 0: what `RLIMIT_NOFILE` allows.
    public var maximumConnections = 0
    public var drainAccept = Duration.seconds(1)
    public var drainLimit = Duration.seconds(25)
    /// A file; empty: none.
    public var clientKeysFile = ""
    public var opensWrites = false
    public var requiresKey = false
    /// Origins with commas between them.
    public var crossOrigins = ""

    // Upstreams.

    public var connectTimeout = Duration.seconds(2)
    /// Networks with commas between them.
    public var allowedNetworks = ""
    public var maximumAnswer = 8 << 20
    public var mirrorSilence = Duration.seconds(60)
    public var maximumJSONDepth = 64
    public var maximumJSONValues = 250_000

    // Cache.

    /// `upstream` or `off`.
    public var cache = "all"
    public var cacheMemory = 256 << 20
    /// Empty: none.
    public var redis = ""
    public var redisTimeout = Duration.milliseconds(50)

    // One request, where its operation says nothing else.

    public var deadline = Duration.seconds(10)
    public var maximumLinks = 256
    public var maximumDepth = 4
    public var maximumUpstreamBytes = 32 << 20

    // Cards.

    /// At the same time.
    public var cardDrawings = 2
    public var cardQueue = 64
    /// For one drawing.
    public var cardDeadline = Duration.seconds(3)
    /// Bytes of one drawing; 0 sets no limit.
    public var cardMemory = 256 << 20
    public var cardCover = 4 << 20
    public var cardPixels = 16_000_000
    public var cardsKept = 16 << 20

    // Upload.

    public var url = "http://127.0.0.1:8080"
    public var title = ""
    public var imageDescription = ""
    public var patience = Duration.seconds(60)

    // Log.

    public var logLevel = "info"
    public var logFormat = "text"

    // Admin port.

    /// 0: none.
    public var adminPort = 0
    public var adminHost = "127.0.0.1"
}
