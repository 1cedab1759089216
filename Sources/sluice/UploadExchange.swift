internal import Glibc
internal import HTTP
internal import JSON

/// One upload over one connection: the file goes out while the answer comes in.
struct UploadExchange {
    private let descriptor: CInt
    private let source: CInt
    private let patience: Int32
    /// Bytes of the file that are still to be read.
    private var left: Int
    private var outbox: [UInt8] = []
    private var answer = UploadAnswer()

    private static let pieceSize = 64 << 10

    init(_ descriptor: CInt, source: CInt, size: Int, patience: Duration) {
        self.descriptor = descriptor
        self.source = source
        left = size
        self.patience = Int32(clamping: patience.components.seconds * 1000)
    }

    /// - Parameter progress: called with the bytes that were sent on, and with how many there are, where that is known.
    /// - Returns: what the gateway says of the image, as JSON.
    mutating func run(
        _ head: [UInt8], _ progress: (Int, Int?) -> Void
    ) throws(UploadCommand.Failure) -> [UInt8] {
        outbox = head
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            if outbox.isEmpty, left > 0 { try readFile() }
            var waiting = pollfd(fd: descriptor, events: Int16(outbox.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
            switch poll(&waiting, 1, patience) {
            case 0: throw .init(text: "the gateway doesn't go on")
            case ..<0 where errno != EINTR: throw .init(text: "the connection can't be used")
            default: break
            }
            if waiting.revents & Int16(POLLOUT) != 0 { send() }
            guard waiting.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { continue }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return try answer.finish() }
            if let json = try answer.receive(buffer[..<count], progress) { return json }
        }
    }

    private mutating func readFile() throws(UploadCommand.Failure) {
        var piece = [UInt8](repeating: 0, count: min(left, UploadExchange.pieceSize))
        let count = read(source, &piece, piece.count)
        guard count > 0 else { throw .init(text: "the file became shorter while it was read") }
        outbox = Array(piece[..<count])
        left -= count
    }

    /// An error here is told by what is received, or by its end.
    private mutating func send() {
        let count = write(descriptor, outbox, outbox.count)
        if count > 0 { outbox.removeFirst(count) }
        if count < 0, errno != EAGAIN, errno != EINTR {
            // Nothing more is taken; perhaps an answer says why.
            outbox = []
            left = 0
        }
    }
}

/// The gateway's answer as it comes: events, or a problem.
struct UploadAnswer {
    private var bytes: [UInt8] = []
    private var isEvents: Bool?
    private var status = ""

    private static let limit = 1 << 20

    /// - Returns: the image's JSON, once it is there.
    mutating func receive(
        _ more: ArraySlice<UInt8>, _ progress: (Int, Int?) -> Void
    ) throws(UploadCommand.Failure) -> [UInt8]? {
        bytes += more
        guard bytes.count <= UploadAnswer.limit else { throw .init(text: "the answer is longer than any gateway's") }
        if isEvents == nil, let end = UploadAnswer.end(of: [0x0D, 0x0A, 0x0D, 0x0A], in: bytes) {
            let head = String(decoding: bytes[..<end], as: UTF8.self)
            status = String(head.prefix { $0 != "\r\n" })
            // An interim answer comes before the answer.
            if status.split(separator: " ").dropFirst().first?.first != "1" {
                isEvents = head.lowercased().contains("content-type: text/event-stream")
            }
            bytes.removeFirst(end)
            return try receive([], progress)
        }
        guard isEvents == true else { return nil }
        while let end = UploadAnswer.end(of: [0x0A, 0x0A], in: bytes) {
            let event = String(decoding: bytes[..<end], as: UTF8.self)
            bytes.removeFirst(end)
            if let json = try take(event, progress) { return json }
        }
        return nil
    }

    private func take(_ event: String, _ progress: (Int, Int?) -> Void) throws(UploadCommand.Failure) -> [UInt8]? {
        var (name, data) = ("", [UInt8]())
        for line in event.split(separator: "\n") {
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { data = Array(line.utf8.dropFirst(6)) }
        }
        switch name {
        case "progress":
            if let document = try? JSONDocument(data), let sent = UploadAnswer.number("sent", document) {
                progress(sent, UploadAnswer.number("total", document))
            }
            return nil
        case "done": return data
        case "error": throw .init(text: UploadAnswer.detail(data) ?? "the upload failed")
        default: return nil
        }
    }

    /// The connection has ended.
    func finish() throws(UploadCommand.Failure) -> [UInt8] {
        if isEvents == nil { throw .init(text: "the gateway closed the connection without an answer") }
        if isEvents == true { throw .init(text: "the connection ended before the upload did") }
        throw .init(text: UploadAnswer.detail(bytes) ?? "the gateway answered \(status)")
    }

    private static func number(_ name: String, _ document: JSONDocument) -> Int? {
        document.member(name, of: document.root).flatMap { document.integer(of: $0) }
    }

    private static func detail(_ json: [UInt8]) -> String? {
        guard let document = try? JSONDocument(json) else { return nil }
        let detail = document.member("detail", of: document.root).flatMap { document.string(of: $0) }
        // It goes to a terminal.
        return detail.map { text in String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }) }
    }

    private static func end(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
        bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
    }
}
