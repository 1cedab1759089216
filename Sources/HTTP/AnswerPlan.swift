/// How one answer is written onto one connection (RFC 9112, sections 6, 7 and 9): decided from the request, the answer and the
/// state of the connection, without touching any of them.
public struct AnswerPlan: Sendable, Equatable {
    /// What follows the head.
    public enum Content: Sendable, Equatable {
        /// Nothing: an answer to HEAD, or a status that forbids content.
        case none
        /// So many bytes.
        case length(Int)
        /// Chunks, to a client that knows them.
        case chunks
        /// Bytes until the connection is closed, to HTTP/1.0.
        case untilClose
    }

    /// What the head says about the length.
    private enum Length: Equatable {
        case unsaid
        case bytes(Int)
        case chunked
    }

    /// What an answer's connection knows of its request.
    public struct Client: Sendable, Equatable {
        public var isHead: Bool
        public var isVersion10: Bool
        public var keepsAlive: Bool

        public init(isHead: Bool, isVersion10: Bool, keepsAlive: Bool) {
            self.isHead = isHead
            self.isVersion10 = isVersion10
            self.keepsAlive = keepsAlive
        }
    }

    public let content: Content
    /// Whether the connection ends with this answer.
    public let closes: Bool
    private let length: Length
    /// HTTP/1.0 closes where nobody says otherwise.
    private let saysKeepAlive: Bool
    /// An answer to HEAD without a body may bring the length that GET would have had.
    private let keepsLengthField: Bool

    /// - Parameter mustClose: the connection has to end whatever the client wants.
    public init(for response: Response, to client: Client, mustClose: Bool = false) {
        var length = Length.unsaid
        var content = Content.none
        if !response.status.forbidsContent {
            if let count = response.body.length {
                length = client.isHead && count == 0 ? .unsaid : .bytes(count)
                content = .length(count)
            } else if client.isVersion10 {
                content = .untilClose
            } else {
                length = client.isHead ? .unsaid : .chunked
                content = .chunks
            }
        }
        self.length = length
        self.content = client.isHead ? .none : content
        closes = mustClose || !client.keepsAlive || self.content == .untilClose
        saysKeepAlive = client.isVersion10 && !closes
        keepsLengthField = client.isHead && length == .unsaid && !response.status.forbidsContent
    }

    /// Appends an interim answer (RFC 9110, section 15.2): status line, its fields, the empty line.
    public static func writeInterim(_ response: Response, to out: inout [UInt8]) {
        writeStatus(response.status, to: &out)
        response.fields.writeEndToEnd(keepsLength: false, to: &out)
        out.append(ascii: "\r\n")
    }

    private static func writeStatus(_ status: Status, to out: inout [UInt8]) {
        out.append(ascii: "HTTP/1.1 ")
        out.append(decimal: Int(status.code))
        out.append(UInt8(ascii: " "))
        out.append(contentsOf: status.reason.utf8)
        out.append(ascii: "\r\n")
    }

    /// Appends the head to `out`: status line, `Date`, the answer's own fields, framing, the empty line. The version is always
    /// 1.1. Fields of the answer that belong to a connection are left out.
    /// - Parameter date: the line `Date: …` with its CRLF, used where the answer has none of its own.
    public func writeHead(_ response: Response, date: [UInt8], to out: inout [UInt8]) {
        Self.writeStatus(response.status, to: &out)
        if !response.fields.contains(.date) { out.append(contentsOf: date) }
        response.fields.writeEndToEnd(keepsLength: keepsLengthField, to: &out)
        switch length {
        case .unsaid: break
        case .bytes(let count):
            out.append(ascii: "Content-Length: ")
            out.append(decimal: count)
            out.append(ascii: "\r\n")
        case .chunked: out.append(ascii: "Transfer-Encoding: chunked\r\n")
        }
        if closes {
            out.append(ascii: "Connection: close\r\n\r\n")
        } else if saysKeepAlive {
            out.append(ascii: "Connection: keep-alive\r\n\r\n")
        } else {
            out.append(ascii: "\r\n")
        }
    }
}

/// The chunked coding of an answer (RFC 9112, section 7.1).
public enum Chunk {
    /// Appends `piece` as one chunk; nothing where it is empty, for an empty chunk would end the content.
    public static func write(_ piece: [UInt8], to out: inout [UInt8]) {
        guard !piece.isEmpty else { return }
        writeSize(piece.count, to: &out)
        out.append(contentsOf: piece)
        out.append(ascii: "\r\n")
    }

    /// Appends the line that begins a chunk of `count` bytes; its content and a CRLF have to follow.
    public static func writeSize(_ count: Int, to out: inout [UInt8]) {
        out.append(contentsOf: String(count, radix: 16).utf8)
        out.append(ascii: "\r\n")
    }

    /// Appends the last chunk, without trailers.
    public static func writeEnd(to out: inout [UInt8]) { out.append(ascii: "0\r\n\r\n") }
}

extension Fields {
    /// Appends every line but those that belong to a connection.
    fileprivate func writeEndToEnd(keepsLength: Bool, to out: inout [UInt8]) {
        let bytes = wire.span
        var kept = 0
        for line in lines {
            switch FieldLine.Role(bytes.extracting(line.name)) {
            case .content, .host, .expect: continue
            case .contentLength where keepsLength: continue
            case .contentLength, .transferEncoding, .connection, .hop:
                out.append(contentsOf: wire[kept..<line.name.lowerBound])
                kept = line.end
            }
        }
        out.append(contentsOf: wire[kept...])
    }
}

extension [UInt8] {
    public mutating func append(ascii text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends a number that is not below zero.
    public mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(0x30 | UInt8(truncatingIfNeeded: number % 10))
    }
}
