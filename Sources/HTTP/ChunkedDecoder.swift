/// Takes the chunked coding off (RFC 9112, section 7.1), byte by byte, with nothing kept but counts.
///
/// Lines end in CRLF only. Chunk extensions are skipped, and trailer fields are checked like any field and dropped.
struct ChunkedDecoder: Sendable {
    enum Event: Equatable {
        /// These bytes of the input are content.
        case content(Range<Int>)
        /// The last chunk and its trailer section are complete.
        case end
        /// All input is used up.
        case starved
    }

    private enum State {
        case sizeStart
        case size
        /// After a blank behind the size: only an extension may follow.
        case beforeExtension
        case chunkExtension
        case sizeLF
        case data
        case dataCR
        case dataLF
        case trailerStart
        case trailerName
        case trailerValue
        case trailerLF
        case lastLF
    }

    private var state = State.sizeStart
    private var size = 0
    private var digits = 0
    /// Decoded bytes that may still come.
    private var room: Int
    private var extensionBytes = 0
    private var extensionBytesInAll = 0
    private var trailerBytes = 0
    private var trailerLines = 0

    init(limits: RequestLimits) { room = limits.content }

    /// Reads on from `position`, which moves past what was used.
    mutating func next(_ input: Span<UInt8>, _ position: inout Int, _ limits: RequestLimits) throws(GatewayError)
        -> Event
    {
        while position < input.count {
            if state == .data {
                let count = min(size, input.count - position)
                let content = position..<position + count
                position += count
                size -= count
                if size == 0 { state = .dataCR }
                return .content(content)
            }
            let byte = input[position]
            position += 1
            switch state {
            case .sizeStart, .size, .beforeExtension, .chunkExtension, .sizeLF: try readSizeLine(byte, limits)
            case .data: break
            case .dataCR, .dataLF: try readDataEnd(byte)
            case .trailerStart, .trailerName, .trailerValue, .trailerLF: try readTrailer(byte, limits)
            case .lastLF:
                guard byte == ASCII.lf else { throw Self.badByte }
                return .end
            }
        }
        return .starved
    }

    private mutating func readSizeLine(_ byte: UInt8, _ limits: RequestLimits) throws(GatewayError) {
        switch state {
        case .sizeStart, .size:
            if let digit = ASCII.hexValue(byte) { return try add(digit, limits) }
            guard state == .size else {
                throw .malformed("bad-chunk", "A chunk doesn't begin with a hexadecimal size.")
            }
            try endSize(byte, limits)
        case .beforeExtension:
            guard byte == UInt8(ascii: ";") || ASCII.isBlank(byte) else {
                throw .malformed("bad-chunk", "A blank follows a chunk size.")
            }
            try countExtension(limits)
            if byte == UInt8(ascii: ";") { state = .chunkExtension }
        case .chunkExtension:
            if byte == ASCII.cr {
                state = .sizeLF
            } else {
                guard ASCII.isFieldContent(byte) else { throw Self.badByte }
                try countExtension(limits)
            }
        default:
            guard byte == ASCII.lf else { throw Self.badByte }
            extensionBytes = 0
            digits = 0
            state = size == 0 ? .trailerStart : .data
        }
    }

    private mutating func add(_ digit: UInt8, _ limits: RequestLimits) throws(GatewayError) {
        digits += 1
        let (scaled, overflow) = size.multipliedReportingOverflow(by: 16)
        let (sum, carry) = scaled.addingReportingOverflow(Int(digit))
        guard digits <= 16, !overflow, !carry else {
            throw .malformed("bad-chunk", "A chunk size has over 16 digits or doesn't fit 63 bits.")
        }
        size = sum
        state = .size
    }

    private mutating func endSize(_ byte: UInt8, _ limits: RequestLimits) throws(GatewayError) {
        guard size <= room else { throw .contentTooLarge(limit: limits.content) }
        room -= size
        switch byte {
        case ASCII.cr: state = .sizeLF
        case UInt8(ascii: ";"):
            state = .chunkExtension
            try countExtension(limits)
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            state = .beforeExtension
            try countExtension(limits)
        default: throw .malformed("bad-chunk", "A chunk size holds a byte that is no hexadecimal digit.")
        }
    }

    private mutating func countExtension(_ limits: RequestLimits) throws(GatewayError) {
        extensionBytes += 1
        extensionBytesInAll += 1
        guard extensionBytes <= limits.chunkExtension, extensionBytesInAll <= limits.chunkExtensions else {
            throw .refused(.contentTooLarge, "chunk-extensions-too-large", "The chunk extensions are too long.")
        }
    }

    private mutating func readDataEnd(_ byte: UInt8) throws(GatewayError) {
        guard byte == (state == .dataCR ? ASCII.cr : ASCII.lf) else {
            throw .malformed("bad-chunk", "A chunk's content isn't followed by CRLF.")
        }
        state = state == .dataCR ? .dataLF : .sizeStart
    }

    private mutating func readTrailer(_ byte: UInt8, _ limits: RequestLimits) throws(GatewayError) {
        trailerBytes += 1
        guard trailerBytes <= limits.trailers else {
            throw .refused(
                .fieldsTooLarge, "trailers-too-large", "The trailer section is over \(limits.trailers) bytes.")
        }
        switch state {
        case .trailerStart where byte == ASCII.cr: state = .lastLF
        case .trailerStart:
            trailerLines += 1
            guard trailerLines <= limits.lines else {
                throw .refused(
                    .fieldsTooLarge, "too-many-fields", "The trailer section has over \(limits.lines) lines.")
            }
            guard Token.contains(byte) else { throw Self.badTrailer }
            state = .trailerName
        case .trailerName where byte == UInt8(ascii: ":"): state = .trailerValue
        case .trailerName: guard Token.contains(byte) else { throw Self.badTrailer }
        case .trailerValue where byte == ASCII.cr: state = .trailerLF
        case .trailerValue: guard ASCII.isFieldContent(byte) else { throw Self.badByte }
        default:
            guard byte == ASCII.lf else { throw Self.badByte }
            state = .trailerStart
        }
    }

    private static var badByte: GatewayError {
        .malformed("bad-byte", "The chunked content holds a control byte, a bare CR or a bare LF.")
    }

    private static var badTrailer: GatewayError {
        .malformed("bad-field-name", "A trailer line has no name that is a token with a colon right after it.")
    }
}
