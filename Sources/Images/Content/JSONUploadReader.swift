internal import HTTP

/// Reads `{"url": …}` or `{"base64": …}`, with `title` and `description`, as it comes: the image's base64 is decoded piece by piece, and at
/// most one other text is kept.
struct JSONUploadReader: UploadReader {
    private enum Member: String {
        case base64, url, title, description
        var text: UploadText? { UploadText(rawValue: rawValue) }
    }

    private enum State {
        case start
        /// Behind `{` or a comma: a name, or the end of an object without members.
        case name(isFirst: Bool)
        case inName
        case colon
        case value
        case inValue
        /// In `null`, with so many letters read.
        case null(Int)
        case afterValue
        case end
    }

    private var state = State.start
    private var string = JSONStringReader()
    private var member: Member?
    private var seen: [Member] = []
    private var text: [UInt8] = []
    private var decoder = Base64Decoder()

    private static let nameLimit = 256

    mutating func receive(_ piece: [UInt8], _ events: inout [UploadEvent]) throws(GatewayError) {
        var position = 0
        var image: [UInt8] = []
        while position < piece.count {
            switch state {
            case .inName: try readName(piece, &position)
            case .inValue: try readValue(piece, &position, &image, &events)
            default:
                try readMark(piece[position])
                position += 1
            }
        }
        if !image.isEmpty { events.append(.image(image)) }
    }

    mutating func finish(_ events: inout [UploadEvent]) throws(GatewayError) {
        guard case .end = state else { throw JSONUploadReader.malformed }
        guard seen.contains(.url) || seen.contains(.base64) else {
            throw .upload("missing-image", "There must be an image: base64, or the url of one.")
        }
    }

    // MARK: Marks between texts

    private mutating func readMark(_ byte: UInt8) throws(GatewayError) {
        if [0x20, 0x09, 0x0A, 0x0D].contains(byte), !isInNull { return }
        switch (state, byte) {
        case (.start, UInt8(ascii: "{")): state = .name(isFirst: true)
        case (.name, UInt8(ascii: "\"")): begin(.inName)
        case (.name(isFirst: true), UInt8(ascii: "}")), (.afterValue, UInt8(ascii: "}")): state = .end
        case (.colon, UInt8(ascii: ":")): state = .value
        case (.value, UInt8(ascii: "\"")): begin(.inValue)
        case (.value, UInt8(ascii: "n")) where member?.text == .title || member?.text == .description: state = .null(1)
        case (.null(let count), _): try readNull(byte, count)
        case (.afterValue, UInt8(ascii: ",")): state = .name(isFirst: false)
        case (.value, _) where "{[tfn-0123456789".utf8.contains(byte):
            throw .upload("bad-json", "The value of \(member?.rawValue ?? "a member") must be a text.")
        default: throw JSONUploadReader.malformed
        }
    }

    private var isInNull: Bool { if case .null = state { true } else { false } }

    private mutating func readNull(_ byte: UInt8, _ count: Int) throws(GatewayError) {
        guard Array("null".utf8)[count] == byte else { throw JSONUploadReader.malformed }
        state = count == 3 ? .afterValue : .null(count + 1)
    }

    private mutating func begin(_ next: State) {
        string = JSONStringReader()
        text = []
        state = next
    }

    // MARK: Texts

    private mutating func readName(_ piece: [UInt8], _ position: inout Int) throws(GatewayError) {
        let isOver = try string.read(piece, &position, into: &text)
        guard text.count <= JSONUploadReader.nameLimit else { throw JSONUploadReader.unknownMember(text) }
        if !isOver { return }
        guard let member = Member(rawValue: String(decoding: text, as: UTF8.self)) else {
            throw JSONUploadReader.unknownMember(text)
        }
        guard !seen.contains(member) else {
            throw .upload("repeated-member", "The member \(member.rawValue) is there twice.")
        }
        seen.append(member)
        if seen.contains(.url), seen.contains(.base64) {
            throw .upload("two-images", "There may be base64 or a url, but not both.")
        }
        self.member = member
        state = .colon
    }

    private mutating func readValue(
        _ piece: [UInt8], _ position: inout Int, _ image: inout [UInt8], _ events: inout [UploadEvent]
    ) throws(GatewayError) {
        let isOver = try string.read(piece, &position, into: &text)
        if let name = member?.text {
            guard text.count <= name.limit else { throw name.tooLong }
            if isOver { events.append(.text(name, try name.read(text))) }
        } else {
            try decoder.decode(text[...], into: &image)
            text.removeAll(keepingCapacity: true)
            if isOver { try decoder.finish() }
        }
        if isOver { state = .afterValue }
    }

    private static let malformed = GatewayError.upload(
        "bad-json", "The content must be one JSON object with texts as its members.")

    private static func unknownMember(_ name: [UInt8]) -> GatewayError {
        var error = GatewayError.upload(
            "unknown-member", "The JSON object has a member \"\(GatewayError.shown(name))\", which is not known here.")
        error.lists = [("allowed", ["base64", "url", "title", "description"])]
        return error
    }
}
