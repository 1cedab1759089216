internal import HTTP

/// A client's upload on its way to Imgur: what the client sends goes in, the form that Imgur takes comes out, piece by piece. It keeps a piece
/// of each at most. Confined to the loop of the client's connection, which pulls no faster than Imgur takes.
final class UploadContent: BodyStream, @unchecked Sendable {
    /// What an upload is about, known from its first bytes.
    enum Subject: Equatable {
        case image(ImageType)
        /// Imgur fetches it from there.
        case url(String)
    }

    /// Of the whole form; nil where it isn't known before the end.
    private(set) var length: Int?
    /// What has been read of the client's content, and how much that is in all where the client said so.
    private(set) var received = 0
    let total: Int?
    private(set) var imageSize = 0
    private(set) var texts: [UploadText: String]
    /// Whether the client's content was read to its end.
    private(set) var isWhole = false
    /// Why the form could not be made, where that is so.
    private(set) var failure: GatewayError?
    /// Called when more of the client's content was read.
    var onProgress: (() -> Void)?

    private let source: any BodyStream
    private var reader: any UploadReader
    private let imageLimit: Int
    private let writer = FormWriter()
    /// Bytes of the image before its type is decided.
    private var start: [UInt8] = []
    private var subject: Subject?
    private var isImageOpen = false
    private var outbox: [UInt8] = []

    /// - Parameters:
    ///   - reader: for the form that the content has.
    ///   - texts: what is known besides the content.
    init(_ source: any BodyStream, _ reader: any UploadReader, texts: [UploadText: String], imageLimit: Int) {
        self.source = source
        self.reader = reader
        self.texts = texts
        self.imageLimit = imageLimit
        total = source.length
        for (name, text) in texts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            outbox += writer.field(name.rawValue, text)
        }
    }

    var contentType: String { writer.contentType }

    /// Reads until it is known what comes.
    /// - Throws: 400, 413 or 415 for what is no upload.
    func begin() async throws(GatewayError) -> Subject {
        while subject == nil { try await readOn() }
        guard let subject else { throw .missingImage }
        if reader is RawImageReader, let total {
            // Nothing but the image is still to come; of one that ended at once, nothing at all.
            length = outbox.count + (isWhole ? 0 : total - imageSize + writer.imageEnd.count + writer.end.count)
        }
        return subject
    }

    /// All of the form, where no image is in it.
    func whole() async throws(GatewayError) -> [UInt8] {
        var form: [UInt8] = []
        while let piece = try await next() { form += piece }
        return form
    }

    func next() async throws(GatewayError) -> [UInt8]? {
        while outbox.isEmpty, !isWhole { try await readOn() }
        if outbox.isEmpty { return nil }
        defer { outbox = [] }
        return outbox
    }

    private func readOn() async throws(GatewayError) {
        do throws(GatewayError) {
            try await readNext()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    private func readNext() async throws(GatewayError) {
        var events: [UploadEvent] = []
        guard let piece = try await source.next() else { return try end() }
        received += piece.count
        try reader.receive(piece, &events)
        for event in events { try take(event) }
        onProgress?()
    }

    private func end() throws(GatewayError) {
        var events: [UploadEvent] = []
        try reader.finish(&events)
        for event in events { try take(event) }
        isWhole = true
        if subject == nil { try decide() }
        endImage()
        outbox += writer.end
    }

    private func take(_ event: UploadEvent) throws(GatewayError) {
        switch event {
        case .image(let bytes):
            guard bytes.count <= imageLimit - imageSize else { throw .imageTooLarge(limit: imageLimit) }
            imageSize += bytes.count
            if subject == nil {
                start += bytes
                if start.count >= ImageType.signatureLength { try decide() }
            } else {
                outbox += bytes
            }
        case .text(let name, let text):
            guard texts[name] == nil else {
                throw .upload("repeated-text", "The \(name.rawValue) is there twice.")
            }
            if subject == nil, !start.isEmpty { try decide() }
            endImage()
            texts[name] = text
            if name != .url { outbox += writer.field(name.rawValue, text) }
        }
    }

    /// Settles what the upload is about, by the image's first bytes.
    private func decide() throws(GatewayError) {
        if start.isEmpty, let url = texts[.url] {
            subject = .url(try WebAddress.checked(url))
            outbox += writer.field("image", url) + writer.field("type", "URL")
            return
        }
        guard !start.isEmpty else { throw .missingImage }
        guard let type = ImageType(firstBytes: start) else { throw .notAnImage }
        subject = .image(type)
        isImageOpen = true
        outbox += writer.field("type", "file") + writer.imageStart(type) + start
        start = []
    }

    private func endImage() {
        guard isImageOpen else { return }
        isImageOpen = false
        outbox += writer.imageEnd
    }
}

/// Checks addresses that Imgur is told to fetch.
enum WebAddress {
    /// - Throws: 400 unless it is an absolute http or https address of visible ASCII with a host and without a user.
    static func checked(_ text: String) throws(GatewayError) -> String {
        let lower = text.lowercased()
        let scheme = ["https://", "http://"].first { lower.hasPrefix($0) }
        let rest = text.dropFirst(scheme?.count ?? 0)
        let host = rest.prefix { !"/?#".contains($0) }
        guard scheme != nil, !host.isEmpty, !host.contains("@"), host.first != ":",
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) })
        else {
            throw .upload("bad-url", "The url must be an absolute http or https address.")
        }
        return text
    }
}

extension GatewayError {
    static func imageTooLarge(limit: Int) -> GatewayError {
        .upload(
            "content-too-large", "The image is larger than the \(limit) bytes that are taken here.",
            status: .contentTooLarge)
    }
}
