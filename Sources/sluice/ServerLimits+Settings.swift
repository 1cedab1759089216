internal import HTTP
internal import Parameters
internal import Server

extension ServerLimits {
    /// As the settings say.
    init(_ settings: Settings) {
        self.init()
        request.requestLine = settings.maximumRequestLine
        request.head = settings.maximumHead
        request.lines = settings.maximumFieldLines
        request.content = settings.maximumBody
        unwantedContent = settings.maximumBody
        request.chunkExtension = settings.maximumChunkExtension
        request.chunkExtensions = settings.maximumChunkExtensions
        request.trailers = settings.maximumTrailer
        headTime = settings.headDeadline
        contentRate = settings.bodyRate
        contentGrace = settings.bodyGrace
        contentTime = settings.bodyDeadline
        idleTime = settings.idleTimeout
        stallTime = settings.writeStall
        request.takesOtherMethods = !settings.mirror.isEmpty
        requestsInTurn = settings.maximumPipelined
    }
}
