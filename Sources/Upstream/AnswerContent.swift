internal import HTTP

/// Collects the content of an answer: takes the chunked coding and gzip off, and counts what comes out.
struct AnswerContent {
    /// Decoded bytes that are taken from one answer.
    let limit: Int
    private let budget: Budget?
    private let inflater: Inflater?
    private var chunks: ChunkReader?
    private(set) var bytes: [UInt8] = []
    /// Coded bytes, without chunk framing.
    private var received = 0
    /// The framing says itself that there may be no content at all.
    private let mayBeEmpty: Bool

    /// How many times larger content may get by decoding, once it is larger than `ratioFreeBytes`.
    private static let ratioLimit = 100
    private static let ratioFreeBytes = 64 * 1024
    /// Coded bytes that are taken beyond the limit of decoded ones: gzip adds little to what can't be made smaller, but empty
    /// members and blocks could go on for ever.
    private static let codingBytes = 64 * 1024

    /// - Parameters:
    ///   - inflater: reset, where the content is coded.
    ///   - room: bytes that are made room for at first, where so many are announced.
    init(head: AnswerHead, limit: Int, budget: Budget?, inflater: Inflater?, room: Int = .max) {
        self.limit = limit
        self.budget = budget
        self.inflater = inflater
        mayBeEmpty = head.isChunked || head.length == 0
        if head.isChunked { chunks = ChunkReader() }
        if inflater == nil, let length = head.length { bytes.reserveCapacity(min(length, limit, room)) }
    }

    /// Takes bytes as they came from the connection.
    mutating func take(_ piece: UnsafeBufferPointer<UInt8>) throws(Fault) {
        guard var chunks else { return try decode(piece) }
        // Put back on every way out: what is left in `self.chunks` decides whether the content is complete.
        defer { self.chunks = chunks }
        try chunks.take(piece) { part throws(Fault) in try decode(part) }
    }

    /// What has come since the last call, for a reader who takes it piece by piece; the limit is one of a piece then.
    mutating func takeAll() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Called at the end: everything that was announced has to be there.
    func finish() throws(Fault) {
        if let chunks, !chunks.isFinished { throw .cut }
        if let inflater, !inflater.isFinished, received > 0 || !mayBeEmpty {
            throw .framing("its gzip content is cut short")
        }
    }

    private mutating func decode(_ piece: UnsafeBufferPointer<UInt8>) throws(Fault) {
        guard let inflater else { return try keep(piece) }
        guard piece.count <= limit - received + Self.codingBytes else { throw .tooLarge(limit: limit) }
        received += piece.count
        try inflater.take(piece) { part throws(Fault) in
            try keep(part)
            guard bytes.count <= Self.ratioFreeBytes || bytes.count / Self.ratioLimit <= received else {
                throw .tooLarge(limit: limit)
            }
        }
    }

    private mutating func keep(_ piece: UnsafeBufferPointer<UInt8>) throws(Fault) {
        guard piece.count <= limit - bytes.count else { throw .tooLarge(limit: limit) }
        if let budget, !budget.spend(bytes: piece.count) { throw .budgetSpent }
        bytes.append(contentsOf: piece)
    }
}
