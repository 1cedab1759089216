internal import Glibc
internal import HTTP

/// Reads `multipart/form-data` (RFC 7578, RFC 2046 section 5.1.1) as it comes: fields `image`, `title` and `description`, each at most
/// once, in any order. It keeps one part head or one text, and the few bytes that may begin a boundary.
struct MultipartReader: UploadReader {
    private enum State {
        /// Before the first boundary.
        case preamble
        /// Behind a boundary: the rest of its line, or the mark of the last one.
        case boundaryLine
        case head
        case part(PartHead.Field)
        /// Behind the mark of the last boundary.
        case lastLine
        case epilogue
    }

    private var state = State.preamble
    /// CRLF, two dashes and the boundary.
    private let delimiter: [UInt8]
    /// What was read and not decided on.
    private var held: [UInt8]
    private var text: [UInt8] = []
    private var seen: [PartHead.Field] = []

    /// Blanks behind a boundary.
    private static let paddingLimit = 64

    init(_ boundary: Boundary) {
        delimiter = [0x0D, 0x0A, 0x2D, 0x2D] + boundary.bytes
        // The first boundary may stand at the very start, without the line end that belongs to it.
        held = [0x0D, 0x0A]
    }

    mutating func receive(_ piece: [UInt8], _ events: inout [UploadEvent]) throws(GatewayError) {
        var input = piece
        if !held.isEmpty {
            input = held + piece
            held = []
        }
        var position = 0
        while try step(input, &position, &events) {}
        if position < input.count { held = Array(input[position...]) }
    }

    mutating func finish(_ events: inout [UploadEvent]) throws(GatewayError) {
        switch state {
        case .epilogue: break
        case .lastLine where held.isEmpty: break
        default: throw .upload("bad-form", "The form ends before its last boundary.")
        }
        guard seen.contains(.image) else { throw .missingImage }
    }

    /// One step from `position`, which moves past what is decided. False where more bytes are needed.
    private mutating func step(
        _ input: [UInt8], _ position: inout Int, _ events: inout [UploadEvent]
    ) throws(GatewayError) -> Bool {
        switch state {
        case .preamble:
            let found = MultipartReader.search(delimiter, input, position)
            position = found.end
            if found.isWhole { state = .boundaryLine }
            return found.isWhole
        case .boundaryLine: return try readBoundaryLine(input, &position)
        case .head: return try readHead(input, &position)
        case .part(let field): return try readPart(field, input, &position, &events)
        case .lastLine: return try readLastLine(input, &position)
        case .epilogue:
            position = input.count
            return false
        }
    }

    /// Bytes at a part's start that are the last line end of its head: it may begin a boundary, and is no content.
    private var leading = 0

    private mutating func readBoundaryLine(_ input: [UInt8], _ position: inout Int) throws(GatewayError) -> Bool {
        let rest = input[position...]
        if rest.starts(with: [0x2D, 0x2D]) {
            position += 2
            state = .lastLine
            return true
        }
        var end = position
        while end < input.count, input[end] == 0x20 || input[end] == 0x09 { end += 1 }
        let line = input[end...]
        // A single dash may be the first of two, but not behind blanks.
        let isOpen = line.isEmpty || line.elementsEqual([0x0D]) || rest.elementsEqual([0x2D])
        guard end - position <= MultipartReader.paddingLimit, isOpen || line.starts(with: [0x0D, 0x0A]) else {
            throw MultipartReader.badBoundary
        }
        if isOpen { return false }
        // The line end stays: a head without lines is over at once.
        position = end
        state = .head
        return true
    }

    private mutating func readLastLine(_ input: [UInt8], _ position: inout Int) throws(GatewayError) -> Bool {
        while position < input.count, input[position] == 0x20 || input[position] == 0x09 { position += 1 }
        let rest = input[position...]
        if rest.isEmpty || rest.elementsEqual([0x0D]) { return false }
        guard rest.starts(with: [0x0D, 0x0A]) else { throw MultipartReader.badBoundary }
        state = .epilogue
        return true
    }

    private mutating func readHead(_ input: [UInt8], _ position: inout Int) throws(GatewayError) -> Bool {
        let found = MultipartReader.search([0x0D, 0x0A, 0x0D, 0x0A], input, position)
        guard found.start - position <= PartHead.limit else {
            throw .upload(
                "part-head-too-long", "A part's head is longer than the \(PartHead.limit) bytes that are taken.")
        }
        if !found.isWhole { return false }
        let head = try PartHead(Array(input[position..<(found.start + 2)].dropFirst(2)))
        guard !seen.contains(head.field) else {
            throw .upload("repeated-part", "The form has the part \"\(head.field.name)\" twice.")
        }
        seen.append(head.field)
        // A part without content has its boundary's line end right here.
        position = found.start + 2
        leading = 2
        state = .part(head.field)
        return true
    }

    private mutating func readPart(
        _ field: PartHead.Field, _ input: [UInt8], _ position: inout Int, _ events: inout [UploadEvent]
    ) throws(GatewayError) -> Bool {
        let found = MultipartReader.search(delimiter, input, position)
        let content = input[position..<found.start].dropFirst(leading)
        if position < found.start { leading = 0 }
        position = found.end
        switch field {
        case .image: if !content.isEmpty { events.append(.image(Array(content))) }
        case .text(let name):
            guard content.count <= name.limit - text.count else { throw name.tooLong }
            text += content
            if found.isWhole { events.append(.text(name, try name.read(text))) }
        }
        guard found.isWhole else { return false }
        text = []
        state = .boundaryLine
        return true
    }

    private static let badBoundary = GatewayError.upload(
        "bad-form", "A boundary of the form isn't followed by the end of its line.")

    /// Where `needle`, lies in `input` at or after `position`. Not whole: it may begin at
    /// `start`, and `end` is there too.
    private static func search(
        _ needle: [UInt8], _ input: [UInt8], _ position: Int
    ) -> (start: Int, end: Int, isWhole: Bool) {
        input.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress, let first = needle.first else { return (position, position, false) }
            var from = position
            while from < bytes.count, let hit = memchr(base + from, Int32(first), bytes.count - from) {
                let start = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
                let count = min(needle.count, bytes.count - start)
                if needle.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, hit, count) == 0 } ?? false }) {
                    let isWhole = count == needle.count
                    return (start, isWhole ? start + count : start, isWhole)
                }
                from = start + 1
            }
            return (bytes.count, bytes.count, false)
        }
    }
}

extension GatewayError {
    static let missingImage = GatewayError.upload("missing-image", "There is no image in the request.")
}
