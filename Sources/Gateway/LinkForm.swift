internal import HTTP
internal import Plan

/// How a link to an operation is written at this gateway.
final class LinkForm: Sendable {
    private enum Piece: Sendable {
        case text([UInt8])
        /// Index into the values of the upstream path.
        case value(Int)
    }
    private enum Rule: Sendable {
        case anything
        /// Digits alone, which stand for a number in this range.
        case integer(ClosedRange<Int>)
        case declared(ParameterPlan)
    }
    private let pieces: [Piece]
    private let upstreamPieces: [Piece]
    private let upstreamEndsInSlash: Bool
    private let upstream: Int?
    /// Whether the path is all that an upstream request is made from.
    private let isPathAlone: Bool
    /// What the gateway itself would take, in the upstream path's order.
    private let rules: [Rule]
    /// The upstream path's parameters, in its order.
    let names: [String]
    /// Which of the upstream path's segments they are.
    private let positions: [Int]

    /// Nil where the local path has a parameter that an upstream address doesn't tell.
    init?(_ operation: Operation) {
        let names = operation.upstreamPath.parameterNames
        guard let pieces = LinkForm.pieces(operation.path, names),
            let upstreamPieces = LinkForm.pieces(operation.upstreamPath, names)
        else { return nil }
        self.names = names
        positions = operation.upstreamPath.segments.indices.filter {
            if case .parameter = operation.upstreamPath.segments[$0] { true } else { false }
        }
        self.pieces = pieces
        self.upstreamPieces = upstreamPieces
        upstreamEndsInSlash = operation.upstreamPath.endsInSlash
        upstream = operation.upstream
        isPathAlone =
            operation.query.isEmpty && !operation.parameters.contains { $0.role == .upstream && $0.default != nil }
        rules = names.map { name in
            operation.parameters.first { $0.name == name }.map(LinkForm.rule) ?? .anything
        }
    }

    /// The number that at most 18 digits stand for; nil for anything else.
    private static func number(_ text: String) -> Int? {
        let digits = text.utf8
        guard (1...18).contains(digits.count) else { return nil }
        var number = 0
        for byte in digits {
            guard ASCII.isDigit(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    private static func pieces(_ path: PathTemplate, _ names: [String]) -> [Piece]? {
        var pieces: [Piece] = []
        for segment in path.segments {
            switch segment {
            case .literal:
                let text = PathTemplate(segments: [segment], endsInSlash: false).filled([:]) ?? ""
                pieces.append(.text(Array(text.utf8)))
            case .parameter(let name):
                guard let index = names.firstIndex(of: name) else { return nil }
                pieces.append(.value(index))
            }
        }
        return pieces
    }

    private static func rule(_ parameter: ParameterPlan) -> Rule {
        let hasLength = parameter.minimumLength != nil || parameter.maximumLength != nil
        guard parameter.type == .integer, parameter.allowed == nil, !hasLength else {
            return .declared(parameter)
        }
        let low = parameter.minimum.map { Int(exactly: $0) } ?? 0
        let high = parameter.maximum.map { Int(exactly: $0) } ?? .max
        guard let low, let high, low >= 0, low <= high else { return .declared(parameter) }
        return .integer(low...high)
    }

    /// The values as the gateway itself would take them (`7` for `007`), one for each of `names`; nil where it wouldn't.
    func accepted(_ values: [String]) -> [String]? {
        guard values.count == rules.count else { return nil }
        var accepted: [String] = []
        for (value, rule) in zip(values, rules) {
            switch rule {
            case .anything: accepted.append(value)
            case .integer(let range):
                guard let number = LinkForm.number(value), range.contains(number) else { return nil }
                accepted.append(String(number))
            case .declared(let parameter):
                guard let checked = try? parameter.checked(value) else { return nil }
                accepted.append(checked)
            }
        }
        return accepted
    }

    /// Appends the local path with values that are accepted.
    func append(_ values: [String], endsInSlash: Bool, to bytes: inout [UInt8]) {
        LinkForm.append(pieces, values, endsInSlash, to: &bytes)
    }

    /// The usual link as a JSON string, with no text made of it; nil where it needs a closer look.
    func json(_ address: UnsafeBufferPointer<UInt8>, _ link: LinkMatcher.Plain, _ base: LinkBase) -> [UInt8]? {
        for index in positions.indices where !accepts(address, segment(positions[index], of: address, link), index) {
            return nil
        }
        return base.json { bytes in
            for piece in pieces {
                switch piece {
                case .text(let text): bytes.append(contentsOf: text)
                case .value(let index):
                    bytes.append(UInt8(ascii: "/"))
                    let value = segment(positions[index], of: address, link)
                    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: address[value]))
                }
            }
            let endsInSlash = !link.path.isEmpty && address[link.path.upperBound - 1] == UInt8(ascii: "/")
            if endsInSlash || pieces.isEmpty { bytes.append(UInt8(ascii: "/")) }
        }
    }

    private func accepts(_ address: UnsafeBufferPointer<UInt8>, _ value: Range<Int>, _ index: Int) -> Bool {
        switch rules[index] {
        case .anything: return true
        case .declared: return false
        case .integer(let range):
            guard (1...18).contains(value.count), value.count == 1 || address[value.lowerBound] != UInt8(ascii: "0")
            else { return false }
            var number = 0
            for position in value {
                guard ASCII.isDigit(address[position]) else { return false }
                number = number * 10 + Int(address[position] - UInt8(ascii: "0"))
            }
            return range.contains(number)
        }
    }

    /// Where a segment of a plain link stands, without its slash.
    private func segment(
        _ position: Int, of address: UnsafeBufferPointer<UInt8>, _ link: LinkMatcher.Plain
    ) -> Range<Int> {
        var start = link.path.lowerBound
        var left = position
        for index in link.path where address[index] == UInt8(ascii: "/") {
            if left < 0 { return start..<index }
            if left == 0 { start = index + 1 }
            left -= 1
        }
        return start..<link.path.upperBound
    }

    /// The path of the upstream request with values that are accepted, and its upstream; nil where more than the path goes into it.
    func target(_ values: [String]) -> (upstream: Int, target: Target)? {
        guard isPathAlone, let upstream else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        LinkForm.append(upstreamPieces, values, upstreamEndsInSlash, to: &bytes)
        return (upstream, Target(path: String(decoding: bytes, as: UTF8.self)))
    }

    private static func append(
        _ pieces: [Piece], _ values: [String], _ endsInSlash: Bool, to bytes: inout [UInt8]
    ) {
        for piece in pieces {
            switch piece {
            case .text(let text): bytes.append(contentsOf: text)
            case .value(let index):
                bytes.append(UInt8(ascii: "/"))
                bytes.append(contentsOf: Percent.encoded(values[index]).utf8)
            }
        }
        if endsInSlash || pieces.isEmpty { bytes.append(UInt8(ascii: "/")) }
    }
}
