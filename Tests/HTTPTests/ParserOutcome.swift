internal import HTTP

/// What came out of a parser: requests that are complete, then how it ended.
struct ParserOutcome: Equatable {
    struct Message: Equatable {
        var line: String
        var authority: String?
        var fields: [String]
        var keepsAlive: Bool
        var expectsContinue: Bool
        var body: [UInt8] = []
        var isComplete = false
    }

    var messages: [Message] = []
    /// Status and code of the fault that ended it; nil where the parser waits for more.
    var fault: String?
    /// Whether nothing of a further request has come.
    var isBetweenRequests = false

    /// Feeds `pieces` to a fresh parser.
    init(_ pieces: [ArraySlice<UInt8>], limits: RequestLimits = RequestLimits(), names: [String] = []) {
        var parser = RequestParser(limits: limits, names: names)
        do throws(GatewayError) {
            for piece in pieces { try feed(&parser, Array(piece)) }
        } catch {
            fault = "\(error.status.code) \(error.code)"
        }
        isBetweenRequests = parser.isBetweenRequests
    }

    /// Feeds the text, one character a byte, in one piece.
    init(_ text: String, limits: RequestLimits = RequestLimits(), names: [String] = []) {
        self.init([bytes(text)[...]], limits: limits, names: names)
    }

    var status: Int? { fault.flatMap { Int($0.prefix(3)) } }

    private mutating func feed(_ parser: inout RequestParser, _ piece: [UInt8]) throws(GatewayError) {
        var position = 0
        while true {
            switch try parser.next(in: piece.span, at: &position) {
            case .head(let head): messages.append(Message(head))
            case .content(let range): messages[messages.count - 1].body += piece[range]
            case .end: messages[messages.count - 1].isComplete = true
            case .starved:
                precondition(position == piece.count, "starved before the end")
                return
            }
        }
    }
}

extension ParserOutcome.Message {
    init(_ head: RequestHead) {
        line = "\(head.method.rawValue) \(head.target.text) \(head.isVersion10 ? "1.0" : "1.1")"
        authority = head.authority
        var lines: [String] = []
        func add(_ name: String, _ value: String) { lines.append("\(name): \(value)") }
        head.fields.forEach(add)
        fields = lines
        keepsAlive = head.keepsAlive
        expectsContinue = head.expectsContinue
        isComplete = head.framing == .none
    }
}

/// `text` with one byte for each character: characters up to U+00FF are bytes of that value.
func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

/// Random numbers that are the same in each run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// The ways in which one input is cut: whole, in single bytes, in two at every place, and at random.
func cuts(_ input: [UInt8], seed: UInt64 = 1) -> [[ArraySlice<UInt8>]] {
    var all = [[input[...]], input.indices.map { input[$0..<$0 + 1] }]
    if input.count <= 2048 {
        for place in 1..<max(input.count, 1) { all.append([input[..<place], input[place...]]) }
    }
    var random = SeededGenerator(seed: seed)
    for _ in 0..<8 {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        let longest = Int.random(in: 1...max(1, input.count / 2), using: &random)
        while start < input.count {
            let end = min(input.count, start + Int.random(in: 1...longest, using: &random))
            pieces.append(input[start..<end])
            start = end
        }
        all.append(pieces)
    }
    return all
}
