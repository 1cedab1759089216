internal import HTTP

/// Takes the chunked coding off a content that libcurl passes on as it came (RFC 9112, section 7.1). Lines end in CRLF, sizes are
/// 1–16 hexadecimal digits, extensions and the trailer are bounded and dropped. Pure.
struct ChunkReader {
    private enum State {
        case size(digits: Int, value: Int)
        /// Inside an extension; its bytes so far.
        case `extension`(length: Int, value: Int)
        case sizeLF(value: Int)
        case data(left: Int)
        case dataCR
        case dataLF
        /// At the start of a trailer line, or of the empty line that ends all.
        case trailerStart
        case trailer
        case trailerLF
        case lastLF
        case finished
    }

    private static let extensionLimit = 256
    private static let overheadLimit = 8 * 1024
    private var state = State.size(digits: 0, value: 0)
    private var trailerBytes = 0
    private var extensionBytes = 0

    var isFinished: Bool { if case .finished = state { true } else { false } }

    /// Takes the next bytes and hands the content in them to `emit`.
    mutating func take(
        _ bytes: UnsafeBufferPointer<UInt8>, emit: (UnsafeBufferPointer<UInt8>) throws(Fault) -> Void
    ) throws(Fault) {
        var index = 0
        while index < bytes.count {
            if case .data(let left) = state {
                let count = min(left, bytes.count - index)
                try emit(bytes.extracting(index..<(index + count)))
                index += count
                state = count == left ? .dataCR : .data(left: left - count)
            } else {
                try take(bytes[index])
                index += 1
            }
        }
    }

    private mutating func take(_ byte: UInt8) throws(Fault) {
        switch state {
        case .size(let digits, let value): state = try size(byte, digits, value)
        case .extension(let length, let value): state = try inExtension(byte, length, value)
        case .sizeLF(let value):
            try expect(byte, 0x0A)
            state = value == 0 ? .trailerStart : .data(left: value)
        case .data: break
        case .dataCR:
            try expect(byte, 0x0D)
            state = .dataLF
        case .dataLF:
            try expect(byte, 0x0A)
            state = .size(digits: 0, value: 0)
        case .trailerStart, .trailer: state = try trailer(byte)
        case .trailerLF:
            try expect(byte, 0x0A)
            state = .trailerStart
        case .lastLF:
            try expect(byte, 0x0A)
            state = .finished
        case .finished: throw .framing("bytes follow its last chunk")
        }
    }

    private func size(_ byte: UInt8, _ digits: Int, _ value: Int) throws(Fault) -> State {
        if let digit = ASCII.hexValue(byte) {
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 16)
            let (sum, carry) = scaled.addingReportingOverflow(Int(digit))
            guard digits < 16, !overflow, !carry else { throw .framing("a chunk's size is too large") }
            return .size(digits: digits + 1, value: sum)
        }
        guard digits > 0 else { throw .framing("a chunk's size is no number") }
        switch byte {
        case 0x0D: return .sizeLF(value: value)
        case UInt8(ascii: ";"), 0x20, 0x09: return .extension(length: 1, value: value)
        default: throw .framing("a chunk's size is no number")
        }
    }

    private mutating func inExtension(_ byte: UInt8, _ length: Int, _ value: Int) throws(Fault) -> State {
        if byte == 0x0D { return .sizeLF(value: value) }
        extensionBytes += 1
        guard byte >= 0x20 && byte != 0x7F || byte == 0x09, length < Self.extensionLimit,
            extensionBytes < Self.overheadLimit
        else { throw .framing("a chunk's extension is malformed") }
        return .extension(length: length + 1, value: value)
    }

    private mutating func trailer(_ byte: UInt8) throws(Fault) -> State {
        trailerBytes += 1
        guard trailerBytes <= Self.overheadLimit else { throw .framing("its trailer is too large") }
        if byte == 0x0D { if case .trailerStart = state { return .lastLF } else { return .trailerLF } }
        guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { throw .framing("its trailer is malformed") }
        return .trailer
    }

    private func expect(_ byte: UInt8, _ wanted: UInt8) throws(Fault) {
        guard byte == wanted else { throw .framing("a chunk does not end in CRLF") }
    }
}
